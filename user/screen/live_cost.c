/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mode costs on the live screen: a row per mode, of the sides that are here together. Where
 * there are no hardware counters CPU time stands for cycles, and the reason is said once. Pure
 * layout on a grid.
 */
#include <stdio.h>

#include "model/perf_figures.h"
#include "live_layout.h"

#define MODE_COLS   10
#define FIGURE_COLS 14
#define GAP_COLS    3

struct cost_columns {
	enum perf_derived figures[DERIVED_NR];
	int nr;
	const char *reason; /* why there are no hardware counters; NULL: there are */
	bool of_sender;     /* alone: the receiver is on another machine */
};

/* Of any mode that has run; NULL: one of them has hardware counters. */
static const char *no_hardware(const struct live_frame *f)
{
	const char *reason = NULL;

	for (size_t i = 0; i < f->modes_nr; i++) {
		if (!f->modes[i].seen)
			continue;
		reason = perf_derive__no_hardware(&f->modes[i].total);
		if (!reason)
			return NULL;
	}
	return reason;
}

static struct cost_columns plan_columns(const struct live_frame *f)
{
	struct cost_columns c = {.reason = no_hardware(f)};

	for (size_t i = 0; i < f->modes_nr; i++)
		c.of_sender |= f->modes[i].seen && f->modes[i].total.sender_side;
	if (c.reason)
		c.figures[c.nr++] = DERIVED_CPU_NS_PER_KIB;
	for (int d = 0; d < DERIVED_NR; d++) {
		if (!perf_derived__shown((enum perf_derived)d, SHOWN_LIVE) ||
		    d == DERIVED_CPU_NS_PER_KIB)
			continue;
		if (!c.reason || !perf_derived__needs_pmu((enum perf_derived)d))
			c.figures[c.nr++] = (enum perf_derived)d;
	}
	return c;
}

char *view_cost__format(char *buf, size_t len, struct real v)
{
	if (!v.known)
		snprintf(buf, len, "n/a");
	else if (v.value < 100)
		snprintf(buf, len, "%.2f", v.value);
	else if (v.value < 100000)
		snprintf(buf, len, "%.0f", v.value);
	else
		snprintf(buf, len, "%.0fk", v.value / 1000);
	return buf;
}

static void draw_mode(struct grid *g, int row, const struct live_mode *m,
		      const struct cost_columns *c)
{
	unsigned int attr = view_mode__attr(m->mode) | (m->running ? GRID_BOLD : GRID_PLAIN);
	char cell[32];
	int i;

	grid__printf(g, row, 2, MODE_COLS, attr, "%s", mode__name(m->mode));
	for (i = 0; m->seen && i < c->nr; i++) {
		view_cost__format(
			cell, sizeof(cell),
			perf_derive(&m->total, c->figures[i], perf_whose__here(&m->total)));
		grid__put_right(g, row, MODE_COLS + i * FIGURE_COLS, FIGURE_COLS, attr, cell);
	}
}

int view_cost__draw(struct grid *g, int row, const struct live_frame *f)
{
	struct cost_columns c = plan_columns(f);
	int i, col = MODE_COLS + c.nr * FIGURE_COLS + GAP_COLS;
	size_t m;

	grid__put(g, row, 2, MODE_COLS, GRID_BOLD, c.of_sender ? "sender's" : "cost");
	for (i = 0; i < c.nr; i++)
		grid__put_right(g, row, MODE_COLS + i * FIGURE_COLS, FIGURE_COLS, GRID_BOLD,
				perf_derived__head(c.figures[i]));
	if (c.reason)
		grid__put(g, row, col, g->cols - col, GRID_DIM, c.reason);
	for (m = 0; m < f->modes_nr; m++)
		draw_mode(g, ++row, &f->modes[m], &c);
	return row + 1;
}
