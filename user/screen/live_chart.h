/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lower half of the live view: a quantity as bars, a column for each mode and a row for each
 * bucket, part or class. All columns have one scale: modes compare at a glance.
 */
#ifndef SCREEN_LIVE_CHART_H
#define SCREEN_LIVE_CHART_H

#include "grid.h"
#include "live_hist.h"
#include "live_model.h"

#define LIVE_CHART_FOOT_MAX 6
#define LIVE_CHART_VALUE    16

struct live_chart_column {
	const struct live_mode *mode;
	char head[48];  /* beside the mode's name */
	char text[256]; /* why there are no bars; empty: there are */
	double share[HIST_AXIS_ROWS_MAX];
	struct real value[HIST_AXIS_ROWS_MAX]; /* what the share is in units; unknown: n/a */
	struct {
		char label[12], value[LIVE_CHART_VALUE];
	} foot[LIVE_CHART_FOOT_MAX]; /* figures below the bars */
	int foot_nr;
};

struct live_chart {
	struct grid *g;
	bool utf8;
	int row, last;  /* where it is drawn */
	int label_cols; /* columns of the labels, with a space */
	int width;      /* of a column */
	bool wide;      /* a column has room for values beside the shares */
	char title[192];
	const char *note;       /* beside the title, where there is room; or NULL */
	const char *unit;       /* heading of the values */
	const char *foot_label; /* or NULL */
	bool zeros;             /* a share of 0 is shown as '-' */
	char *(*format)(char *buf, size_t len, struct real v); /* of values */
	char label[HIST_AXIS_ROWS_MAX][LIVE_CHART_VALUE];
	int rows;
	struct live_chart_column columns[MODE_NR];
	int nr;
};

/* The colour of a mode. Colour never says anything alone. */
unsigned int live_chart__attr(enum mode mode);

/* An empty chart on rows row..last, with the columns of f's modes; text is set of modes not run. */
void live_chart__begin(struct live_chart *c, struct grid *g, int row, int last, bool utf8,
		       const struct live_frame *f, int label_cols);

/* Rows that have room for bars, once the columns have their foots. */
int live_chart__room(const struct live_chart *c);

void live_chart__draw(const struct live_chart *c);

/* live_columns.c: a chart of a histogram. times: of a stage the time per event, not the bytes. */
void live_columns__draw(struct grid *g, int row, int last, const struct live_frame *f,
			enum live_quantity q, bool times, bool utf8);

/*
 * live_shares.c: charts of the parts of a mean send call, and of the CPU time of a KiB by class
 * (samples of finished rounds).
 */
void live_shares__parts(struct grid *g, int row, int last, const struct live_frame *f, bool utf8);
void live_shares__cpu(struct grid *g, int row, int last, const struct live_frame *f, bool utf8);

#endif
