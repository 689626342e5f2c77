/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the end of a run (text_end.c). All take what they show from the result alone. */
#ifndef NETIOTRACE_TEXT_END_H
#define NETIOTRACE_TEXT_END_H

#include <stdio.h>

#include "model/result.h"

/* Rounds that every mode completed: "2 of 5 rounds" of a run that ended early. */
unsigned int text_rounds__complete(const struct result *r);

/* Did the run end before all rounds were made? */
bool text_rounds__ended_early(const struct result *r);

/* "1 round", "5 rounds"; "3 to 5 rounds" where modes differ. Fills buf, returns it. */
char *text_rounds__made(char *buf, size_t len, const struct result *r);

/* text_result.c: the answer in at most lines lines. 0 or -ENOMEM. */
int text_result__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines);

/*
 * text_tables.c: copies, throughput and CPU time (median of the rounds); latencies (all rounds);
 * CPU time by class (all rounds), nothing where that is known of no mode.
 */
void text_tables__modes(FILE *f, const struct result *r, unsigned int columns);
void text_tables__latency(FILE *f, const struct result *r, unsigned int columns);
void text_tables__cpu(FILE *f, const struct result *r, unsigned int columns);

/* text_checked.c: whether the books balance, in at most lines lines. 0 or -ENOMEM. */
int text_checked__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines);

/*
 * text_unseen.c: hardware counters, where there are any; what was not measured, and why; each in at
 * most lines lines. details: the details follow. 0 or -ENOMEM.
 */
int text_counted__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines);
int text_unseen__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines,
		       bool details);

#endif
