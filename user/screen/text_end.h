/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the end of a run. All show what the result has. */
#ifndef SCREEN_TEXT_END_H
#define SCREEN_TEXT_END_H

#include <stdio.h>

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

#endif
