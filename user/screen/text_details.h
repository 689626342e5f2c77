/* SPDX-License-Identifier: GPL-2.0-only */
/* The paragraphs and tables of the details (text_details.c), in lines of width columns. */
#ifndef SCREEN_TEXT_DETAILS_H
#define SCREEN_TEXT_DETAILS_H

#include <stdio.h>

#include "model/result.h"

/* text_books.c: do the books balance, was zero-copy zero-copy, were bytes retransmitted or wrong?
 */
void text_books__alarm(FILE *f, const struct run_result *run); /* nothing if it balances */
void text_books__print(FILE *f, unsigned int width, const struct result *r);

/*
 * text_time.c: what send calls and copies take, as tables, nothing when that is not known; and why
 * it is not.
 */
void text_time__print(FILE *f, unsigned int width, const struct result *r);
void text_time__reasons(FILE *f, unsigned int width, const struct result *r);

/* text_cost.c: hardware counters and CPU time per payload byte; where CPU time goes, by class. */
void text_cost__print(FILE *f, unsigned int width, const struct result *r);
void text_cpu__print(FILE *f, unsigned int width, const struct result *r);

/* text_quality.c: what was not measured and why, what was lost, whether the run was cut short. */
void text_quality__print(FILE *f, unsigned int width, const struct result *r);

#endif
