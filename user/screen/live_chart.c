/* SPDX-License-Identifier: GPL-2.0-only */
/* Bars of the live view; see live_chart.h. Pure layout on a grid. */
#include <string.h>

#include "live_chart.h"

#define GAP_COLS       2
#define PERCENT_COLS   6
#define VALUE_COLS     10
#define VALUE_MIN_COLS 30 /* columns this wide have room for values beside the shares */

unsigned int live_chart__attr(enum mode mode)
{
	return 1 + (unsigned int)mode;
}

void live_chart__begin(struct live_chart *c, struct grid *g, int row, int last, bool utf8,
		       const struct live_frame *f, int label_cols)
{
	memset(c, 0, sizeof(*c));
	c->g = g;
	c->utf8 = utf8;
	c->row = row;
	c->last = last;
	c->label_cols = label_cols;
	c->nr = (int)f->modes_nr;
	if (c->nr)
		c->width = (g->cols - label_cols + GAP_COLS) / c->nr - GAP_COLS;
	c->wide = c->width >= VALUE_MIN_COLS;
	for (int i = 0; i < c->nr; i++) {
		c->columns[i].mode = &f->modes[i];
		if (!f->modes[i].seen)
			strcpy(c->columns[i].text, "not run yet");
	}
}

/* Draws the foot from row on, unless row is negative. Returns its number of lines. */
static int draw_foot(const struct live_chart *c, const struct live_chart_column *column, int row,
		     int col)
{
	unsigned int attr = live_chart__attr(column->mode->mode);
	int lines = 0, at = 0;

	for (int i = 0; i < column->foot_nr; i++) {
		const char *label = column->foot[i].label, *value = column->foot[i].value;
		int value_at = (int)strlen(label) + 1, len = value_at + (int)strlen(value);

		if (!lines || at + len > c->width) {
			at = 0;
			lines++;
		}
		if (row >= 0) {
			int line = row + lines - 1;

			grid__put(c->g, line, col + at, value_at, GRID_DIM, label);
			grid__put(c->g, line, col + at + value_at, len - value_at, attr, value);
		}
		at += len + 1;
	}
	return lines;
}

static int foot_lines(const struct live_chart *c)
{
	int most = 0;

	for (int i = 0; i < c->nr; i++) {
		int lines = draw_foot(c, &c->columns[i], -1, 0);

		most = lines > most ? lines : most;
	}
	return most;
}

int live_chart__room(const struct live_chart *c)
{
	return c->last - c->row - 1 - foot_lines(c);
}

static double longest(const struct live_chart *c)
{
	double most = 0;

	for (int i = 0; i < c->nr; i++)
		for (int row = 0; row < c->rows && !c->columns[i].text[0]; row++)
			if (c->columns[i].share[row] > most)
				most = c->columns[i].share[row];
	return most;
}

static void draw_bar(const struct live_chart *c, const struct live_chart_column *column, int i,
		     int row, int col)
{
	unsigned int attr = live_chart__attr(column->mode->mode);
	int values = c->wide ? VALUE_COLS : 0, bar = c->width - PERCENT_COLS - 1 - values;
	double share = column->share[i];
	char text[32] = "";

	if (share > 0) {
		grid__bar(c->g, row, col, bar, attr, share / longest(c), c->utf8);
		format_share(text, sizeof(text), share);
	} else if (!column->value[i].known) {
		strcpy(text, "n/a");
	} else if (c->zeros) {
		strcpy(text, "-");
	}
	grid__put_right(c->g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (values && share > 0)
		grid__put_right(c->g, row, col + c->width - values, values, attr,
				c->format(text, sizeof(text), column->value[i]));
}

static void draw_column(const struct live_chart *c, const struct live_chart_column *column, int col)
{
	unsigned int attr = live_chart__attr(column->mode->mode);
	const char *name = mode__words(column->mode->mode);
	int row = c->row + 1, after = (int)strlen(name) + 2;

	grid__put(c->g, row, col, c->width, attr | GRID_BOLD, name);
	if (column->text[0]) {
		grid__text(c->g, row + 1, c->last - foot_lines(c), col, c->width, attr,
			   column->text);
	} else {
		grid__put(c->g, row, col + after, c->width - after, attr, column->head);
		if (c->wide && c->unit)
			grid__put_right(c->g, row, col + c->width - VALUE_COLS, VALUE_COLS, attr,
					c->unit);
		for (int i = 0; i < c->rows; i++)
			draw_bar(c, column, i, row + 1 + i, col);
	}
	draw_foot(c, column, c->last - foot_lines(c) + 1, col);
}

void live_chart__draw(const struct live_chart *c)
{
	int len = (int)strlen(c->title), foot = foot_lines(c);

	grid__put(c->g, c->row, 0, c->g->cols, GRID_BOLD, c->title);
	if (c->note && len + 3 + (int)strlen(c->note) <= c->g->cols)
		grid__put_right(c->g, c->row, len, c->g->cols - len, GRID_DIM, c->note);
	for (int i = 0; i < c->rows; i++)
		grid__put(c->g, c->row + 2 + i, 0, c->label_cols - 1, GRID_PLAIN, c->label[i]);
	if (c->foot_label && foot)
		grid__put(c->g, c->last - foot + 1, 0, c->label_cols - 1, GRID_PLAIN,
			  c->foot_label);
	for (int i = 0; i < c->nr; i++)
		draw_column(c, &c->columns[i], c->label_cols + i * (c->width + GAP_COLS));
}
