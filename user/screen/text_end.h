/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of a run, and its parts. All show what the result has. */
#ifndef SCREEN_TEXT_END_H
#define SCREEN_TEXT_END_H

#include <stdbool.h>
#include <stdio.h>

#include "base/rank_test.h"
#include "model/congestion.h"
#include "model/perf_figures.h"
#include "model/result.h"

/*
 * text_result.c: the answer in at most lines lines; sentences are left out from the end. alone: no
 * notes follow that name --details.
 */
void text_result__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines,
			bool alone);

/*
 * text_tables.c: copies, throughput and CPU time (median of the rounds); latencies (all rounds);
 * CPU time by class (all rounds), nothing if it is unknown for every mode.
 */
void text_tables__modes(FILE *f, const struct result *r, unsigned int columns);
void text_tables__latency(FILE *f, const struct result *r, unsigned int columns);
void text_tables__cpu(FILE *f, const struct result *r, unsigned int columns);
bool text_tables__has_cpu(const struct result *r);
/* What the column "rest" is, with its largest class over all modes. */
void text_tables__rest(FILE *f, const struct result *r);

/*
 * text_notes.c, each in at most lines lines: whether the books balance; the sender's own copies, if
 * it was followed; hardware counters, if any; what was not measured and why. The first three return
 * their lines.
 */
unsigned int text_notes__checked(FILE *f, const struct result *r, unsigned int columns,
				 unsigned int lines);
unsigned int text_notes__followed(FILE *f, const struct result *r, unsigned int columns,
				  unsigned int lines);
unsigned int text_notes__counted(FILE *f, const struct result *r, unsigned int columns,
				 unsigned int lines);
void text_notes__unseen(FILE *f, const struct result *r, unsigned int columns, unsigned int lines);

/* The words of the tables and notes, and where all of them are explained. Returns its lines. */
unsigned int text_notes__words(FILE *f, const struct result *r, unsigned int columns,
			       unsigned int lines);

struct text_end_form {
	unsigned int columns; /* of the terminal; fewer than 40 are taken as 40 */
	unsigned int rows;    /* of the terminal; 0: there is none */
	bool details;         /* the details follow: details__print() */
};

/*
 * The answer first, then tables, at most 30 lines, and at most one fewer than the terminal has. In
 * fewer, tables are left out from the end, then notes, then sentences of the answer from its end.
 * If the details follow, nothing is left out, and what was not seen is among their reasons.
 */
void text_end__print(const struct result *r, FILE *f, const struct text_end_form *form);

/*
 * One sentence that compares the throughput of zero-copy and one-copy. Nothing for
 * DIFFERENCE_UNKNOWN.
 */
void text_comparison__write(FILE *f, const struct rank_test *t, unsigned int needed);

/*
 * Whether the senders' congestion control paces, which can limit throughput before copying does,
 * and that another one was chosen. Nothing for a control that is the system's and does not pace.
 */
void text_congestion__write(FILE *f, const struct congestion *c);

#endif
