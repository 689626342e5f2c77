/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the end of a run and of its details. All show what the result has. */
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

struct text_cells;

/* text_tables.c: begins a table with a row for each mode, whose name is the first column. */
void text_tables__begin(struct text_cells *t, const struct result *r, const char *label,
			unsigned int heads);

/*
 * text_tables.c: copies, throughput and CPU time (median of the rounds); latencies (all rounds);
 * CPU time by class (all rounds), nothing if it is unknown for every mode. For the details: copies
 * by stage, and a latency.
 */
void text_tables__modes(FILE *f, const struct result *r, unsigned int columns);
void text_tables__latency(FILE *f, const struct result *r, unsigned int columns);
void text_tables__cpu(FILE *f, const struct result *r, unsigned int columns);
void text_tables__copies(FILE *f, const struct result *r, unsigned int columns);
void text_tables__percentiles(FILE *f, const struct result *r, unsigned int columns,
			      enum latency_kind k);

/*
 * text_notes.c, each in at most lines lines: whether the books balance (with details also: as what
 * the bytes were sent); hardware counters, if any; what was not measured and why. The first two
 * return their lines.
 */
unsigned int text_notes__checked(FILE *f, const struct result *r, unsigned int columns,
				 unsigned int lines, bool details);
unsigned int text_notes__counted(FILE *f, const struct result *r, unsigned int columns,
				 unsigned int lines);
void text_notes__unseen(FILE *f, const struct result *r, unsigned int columns, unsigned int lines);

/*
 * text_cost.c: tables of what send calls and copies take and of CPU time by class and side; how
 * these were measured; counters and CPU time per payload byte.
 */
void text_cost__times(FILE *f, const struct result *r, unsigned int columns);
void text_cost__sides(FILE *f, const struct result *r, unsigned int columns);
void text_cost__say_times(FILE *f, const struct run_result *run);
void text_cost__say_samples(FILE *f, const struct run_result *run);
void text_cost__say_counters(FILE *f, const struct result *r);
void text_cost__say_events(FILE *f, const struct result *r);

/* "two-copy / one-copy: " before the figures of modes side by side; "" of a single mode. */
#define TEXT_MODES_LEN 96
char *text_cost__modes(char *buf, size_t len, const struct result *r);

/* lead, then a figure of all modes; false: no mode has it, nothing was written. */
bool text_cost__say_derived(FILE *f, const struct result *r, const char *lead, enum perf_derived d);

/* An event of --perf-events per KiB. */
struct real text_cost__asked(const struct run_result *run, size_t event);

/* text_quality.c: a table of losses of the probes, and what they mean; which events were sampled;
 * bytes outside all stages. */
void text_quality__losses(FILE *f, const struct result *r, unsigned int columns);
void text_quality__say_meanings(FILE *f, const struct result *r);
void text_quality__say_sampling(FILE *f, const struct result *r);
void text_quality__say_sampled(FILE *f, const struct run_result *run);
void text_quality__say_uncovered(FILE *f, const struct run_result *run);

#endif
