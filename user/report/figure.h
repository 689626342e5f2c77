/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pictures of a report as data for gnuplot: for each a CSV and a settings file (scripts/gnuplot
 * says what each template takes). Pure: text in memory, nothing is drawn here.
 */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "study/analysis.h"

enum figure_id {
	FIGURE_RELATIVE_THROUGHPUT, /* these two are on the first screen */
	FIGURE_RELATIVE_CPU,
	FIGURE_THROUGHPUT,
	FIGURE_LATENCY,
	FIGURE_RECV,
	FIGURE_CACHE,
	FIGURE_CACHE_THREADS,
	FIGURE_CYCLES,
	FIGURE_BYTES_PER_CYCLE,
	FIGURE_COPIES,
	FIGURE_COPY_TIMES,
	FIGURE_PATH,
	FIGURE_CPU,
	FIGURE_COMPLETION,
	FIGURE_NR,
};

struct figure {
	const char *name;     /* of its files, without suffix */
	const char *template; /* of scripts/gnuplot, without suffix */
	char *title;
	char *note;    /* its content, and what replaces missing data; one sentence or more */
	char *no_data; /* why there is nothing to draw, and nothing else; NULL: there is */
	char *data;    /* CSV with a header */
	char *gnuplot_settings; /* gnuplot assignments */
	char *svg;              /* as gnuplot drew it; NULL: not yet */
};

/* system: one line about the machine, for the caption. Free with figure__clear(). */
void figure__make(struct figure *f, enum figure_id id, const struct analysis *a,
		  const char *system);
void figure__clear(struct figure *f);

/* The line about the machine: kernel, CPU, path and so on. The caller frees it. */
char *figure__system(const struct dataset *d);

/* The name of a stage as people read it: "gather", "send copy", "pin", "deferred", "receive". */
const char *figure__stage(enum nio_stage stage);

/* Mean over the rounds: parts of one whole add up as means, as medians do not. NaN: no value. */
double figure__mean(const struct cell *cell, enum metric m);

/* The size and thread count of pictures and diagrams that show only one. */
uint64_t figure__reference_size(const struct analysis *a);
unsigned int figure__reference_threads(const struct analysis *a);

#endif
