/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers of figures under construction, and gnuplot's syntax. */
#ifndef REPORT_FIGURE_INTERNAL_H
#define REPORT_FIGURE_INTERNAL_H

#include <stdio.h>

#include "figure.h"

#define FIGURE_PANELS_MAX 4

/* A figure while it is made: its two texts as streams. */
struct figure_draft {
	struct figure *figure;
	const struct analysis *a;
	const char *system;
	FILE *data, *gnuplot_settings;
	size_t data_len, settings_len;
	bool modes[MODE_NR]; /* that have data */
	unsigned int panels;
	char panel_title[FIGURE_PANELS_MAX][64];
	double x_min, x_max, y_min, y_max; /* of the data */
	size_t points;
	unsigned int rounds_min, rounds_max; /* of a point; 0: no medians */
	bool has_bars;                       /* intervals are drawn, where points have them */
	bool has_intervals;                  /* a point has one */
	bool pooled;                         /* all rounds added up, no medians */
	bool is_partial;                     /* sizes or thread counts are left out */
	unsigned int width, panel_height;    /* px; 0: the usual */
	const char *rounds;                  /* replaces the caption's sentence on rounds; static */
};

/* Settings, one assignment each. Text is quoted, so that gnuplot interprets nothing in it. */
void draft__set_text(struct figure_draft *d, const char *name, const char *text);
void draft__set_number(struct figure_draft *d, const char *name, double value);
void draft__set_array(struct figure_draft *d, const char *name, const char *const *texts, size_t n);

/* The text below the figure: replaces title, note, reason. */
__attribute__((format(printf, 2, 3))) void draft__title(struct figure_draft *d, const char *format,
							...);
__attribute__((format(printf, 2, 3))) void draft__note(struct figure_draft *d, const char *format,
						       ...);
__attribute__((format(printf, 2, 3))) void draft__no_data(struct figure_draft *d,
							  const char *format, ...);

/* Up to max of n indices, evenly spaced, including the first and last. Returns their number. */
size_t pick_indices(size_t n, size_t max, size_t *picked);

/* The makers. */
void figure_lines__make(struct figure_draft *d, enum figure_id id);
void figure_lines__relative(struct figure_draft *d, enum figure_id id);
void figure_lines__copy_times(struct figure_draft *d, enum figure_id id);
void figure_stacks__make(struct figure_draft *d, enum figure_id id);

#endif
