/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of a run, and the paragraphs its details are made of. */
#ifndef NETIOTRACE_TEXT_H
#define NETIOTRACE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "model/result.h"

struct text_end_form {
	unsigned int columns; /* of the terminal; fewer than 80 are taken as 80 */
	unsigned int rows;    /* of the terminal; 0: there is none */
	bool details;         /* text_details__print() follows */
};

/*
 * The end of a run: the answer first, then tables, at most 30 lines; 23 on a terminal of 24 rows.
 * 0 or -ENOMEM.
 */
int text_end__print(const struct result *r, FILE *f, const struct text_end_form *form);

/* All the rest (--details). columns: width to wrap at (at least 60). 0 or -errno. */
int text_details__print(const struct result *r, FILE *f, unsigned int columns);

/* text_books.c: do the books balance, was zero-copy zero-copy, were bytes retransmitted or wrong?
 */
void text_books__alarm(FILE *f, const struct run_result *run); /* nothing if it balances */
/* The throughput of zero-copy against one-copy's, a sentence after a blank. 0 or -errno. */
int text_books__comparison(FILE *f, const struct result *r);
int text_books__print(FILE *f, unsigned int width, const struct result *r);

/*
 * text_time.c: what send calls and copies take, as a table of at most 60 columns, nothing when that
 * is not known; and why it is not.
 */
void text_time__print(FILE *f, const struct result *r);
int text_time__reasons(FILE *f, unsigned int width, const struct result *r);

/* text_copies.c: where deferred copies ran, who made other copies, how zero-copy sends completed.
 */
int text_copies__print(FILE *f, unsigned int width, const struct result *r);

/* text_load.c: what the load was where it was not one stream of messages as fast as it goes. */
int text_load__print(FILE *f, unsigned int width, const struct result *r);

/* Of an open loop in a sentence: its rate, and which modes did not keep it. */
void text_load__result(FILE *f, const struct result *r);

/* text_cost.c: hardware counters and CPU time per payload byte. */
int text_cost__print(FILE *f, unsigned int width, const struct result *r);

/* text_cpu.c: where CPU time goes, by class, side and mode; or why that is not known. */
int text_cpu__print(FILE *f, unsigned int width, const struct result *r);

/* text_quality.c: what was not measured and why, what was lost, whether the run was cut short. */
int text_quality__print(FILE *f, unsigned int width, const struct result *r);

#endif
