/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the mean send call is made of on the live screen: a column per mode, a bar per part, and
 * below them what each copy takes for a KiB. Shares are of the whole call where the load generator
 * has timed it, else of the parts that are known. Pure layout on a grid.
 */
#include <stdio.h>
#include <string.h>

#include "model/time_figures.h"
#include "live_bar.h"
#include "live_hist.h"
#include "live_layout.h"

#define LABEL_COLS     15
#define GAP_COLS       2
#define PERCENT_COLS   6
#define VALUE_COLS     8
#define VALUE_MIN_COLS 28 /* columns this wide have room for times beside the shares */
#define VALUE_LEN      32

/* Rows: the parts, and behind them what lies outside of tcp_sendmsg. */
#define PARTS_NR (PATH_NR - 1)
#define ROWS_NR  (PARTS_NR + 1)

struct column {
	const struct live_mode *mode;
	struct real value[ROWS_NR];
	double whole;       /* ns; 0: there is nothing to show */
	const char *reason; /* then: why */
};

static void column__init(struct column *c, const struct live_mode *mode)
{
	struct real total = time_figures__part(&mode->total, PATH_SEND_TOTAL);
	double sum = 0;
	int i;

	memset(c, 0, sizeof(*c));
	c->mode = mode;
	for (i = 0; i < ROWS_NR; i++) {
		c->value[i] = i < PARTS_NR ? time_figures__part(&mode->total, i + 1)
					   : time_figures__outside(&mode->total);
		if (i < PARTS_NR && c->value[i].known)
			sum += c->value[i].value;
		else if (!c->reason)
			c->reason = c->value[i].reason;
	}
	if (sum > 0)
		c->whole = total.known && total.value > sum ? total.value : sum;
}

/* The rows that are drawn. */
struct rows {
	int nr;
	int at[ROWS_NR];
};

/* The largest share that a row has in any column. */
static double share_of(const struct column *columns, int nr, int row)
{
	double share, max = 0;

	for (int i = 0; i < nr; i++) {
		share = columns[i].whole > 0 && columns[i].value[row].known
				? columns[i].value[row].value / columns[i].whole
				: 0;
		if (share > max)
			max = share;
	}
	return max;
}

static double max_share(const struct column *columns, int nr)
{
	double share, max = 0;

	for (int row = 0; row < ROWS_NR; row++) {
		share = share_of(columns, nr, row);
		if (share > max)
			max = share;
	}
	return max > 0 ? max : 1;
}

static void rows__drop(struct rows *rows, int i)
{
	rows->nr--;
	memmove(&rows->at[i], &rows->at[i + 1], (size_t)(rows->nr - i) * sizeof(rows->at[0]));
}

/* All of them; where there is no room for that, those with the smallest shares are left out. */
static void rows__choose(struct rows *rows, const struct column *columns, int nr, int room)
{
	double share[ROWS_NR];
	int least, i;

	for (i = 0; i < ROWS_NR; i++) {
		share[i] = share_of(columns, nr, i);
		rows->at[i] = i;
	}
	for (rows->nr = ROWS_NR; rows->nr > room && rows->nr > 0; rows__drop(rows, least))
		for (least = 0, i = 1; i < rows->nr; i++)
			if (share[rows->at[i]] < share[rows->at[least]])
				least = i;
}

static void draw_part(struct grid *g, const struct column *c, int part, int row, int col, int width,
		      double max, bool utf8)
{
	unsigned int attr = view_mode__attr(c->mode->mode);
	int values = width >= VALUE_MIN_COLS ? VALUE_COLS : 0;
	int bar = width - PERCENT_COLS - 1 - values;
	struct real v = c->value[part];
	char text[VALUE_LEN] = "n/a";
	double share = v.value / c->whole;

	if (v.known && !(v.value > 0)) {
		snprintf(text, sizeof(text), "-");
	} else if (v.known) {
		bar__draw(g, row, col, bar, attr, share / max, utf8);
		bar__format_share(text, sizeof(text), share);
	}
	grid__put_right(g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (v.known && v.value > 0 && values)
		grid__put_right(g, row, col + width - values, values, attr,
				hist_axis__value(HIST_AXIS_TIME, v.value, text, sizeof(text)));
}

/* "send 76.4ns" of each copy, as many on a line as fit. */
static void draw_per_kib(struct grid *g, const struct column *c, int row, int last, int col,
			 int width)
{
	char value[VALUE_LEN], item[2 * VALUE_LEN];
	int s, at = 0, len;
	struct real v;

	for (s = 0; s < NIO_STAGE_NR; s++) {
		v = time_figures__per_kib(&c->mode->total, s);
		if (!stage__is_copy(s) || !v.known || !(v.value > 0))
			continue;
		snprintf(item, sizeof(item), "%s %s", stage__heading(s),
			 hist_axis__value(HIST_AXIS_TIME, v.value, value, sizeof(value)));
		len = (int)strlen(item);
		if (at && at + 1 + len > width) {
			at = 0;
			row++;
		}
		if (row > last)
			return;
		at += at > 0;
		grid__put(g, row, col + at, width - at, view_mode__attr(c->mode->mode), item);
		at += len;
	}
}

static void draw_heading(struct grid *g, const struct column *c, int row, int col, int width)
{
	unsigned int attr = view_mode__attr(c->mode->mode);
	const char *name = mode__name(c->mode->mode);
	int after = (int)strlen(name) + 2;
	char value[VALUE_LEN];

	grid__put(g, row, col, width, attr | GRID_BOLD, name);
	if (c->whole > 0)
		grid__put(g, row, col + after, width - after, attr,
			  hist_axis__value(HIST_AXIS_TIME, c->whole, value, sizeof(value)));
}

static void draw_column(struct grid *g, const struct column *c, const struct rows *rows, int row,
			int last, int col, int width, double max, bool utf8)
{
	char text[256] = "not run yet";
	int i;

	draw_heading(g, c, row++, col, width);
	if (c->whole > 0 && c->mode->seen) {
		for (i = 0; i < rows->nr; i++)
			draw_part(g, c, rows->at[i], row + i, col, width, max, utf8);
	} else {
		if (c->mode->seen)
			snprintf(text, sizeof(text), "n/a: %s",
				 c->reason ? c->reason : "no call was followed so far");
		bar__text(g, row, row + ROWS_NR - 1, col, width, view_mode__attr(c->mode->mode),
			  text);
	}
	if (c->mode->seen)
		draw_per_kib(g, c, row + ROWS_NR + 1, last, col, width);
}

static void draw_labels(struct grid *g, const struct rows *rows, int row)
{
	for (int i = 0; i < rows->nr; i++)
		grid__put(g, row + i, 0, LABEL_COLS - 1, GRID_PLAIN,
			  rows->at[i] < PARTS_NR ? path_part__heading(rows->at[i] + 1) : "outside");
	grid__put(g, row + ROWS_NR + 1, 0, LABEL_COLS - 1, GRID_PLAIN, "for a KiB");
}

void view_parts__draw(struct grid *g, int row, int last, const struct live_frame *f, bool utf8)
{
	struct column columns[MODE_NR];
	struct rows rows;
	int width, nr = (int)f->modes_nr, i;

	grid__printf(g, row++, 0, g->cols, GRID_BOLD,
		     "< %d/%d >  call parts: the mean send call, and where its time goes",
		     VIEW_CALL_PARTS + 1, VIEW_QUANTITY_NR);
	if (!nr)
		return;
	width = (g->cols - LABEL_COLS + GAP_COLS) / nr - GAP_COLS;
	for (i = 0; i < nr; i++)
		column__init(&columns[i], &f->modes[i]);
	/* The row below the last is empty, before the line of keys. */
	rows__choose(&rows, columns, nr, last + 1 - row);
	draw_labels(g, &rows, row + 1);
	for (i = 0; i < nr; i++)
		draw_column(g, &columns[i], &rows, row, last, LABEL_COLS + i * (width + GAP_COLS),
			    width, max_share(columns, nr), utf8);
}
