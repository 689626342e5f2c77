/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mode costs on the live screen: a row per mode, of both sides together. Where there are no
 * hardware counters CPU time stands for cycles, and the reason is said once. Pure layout on a grid.
 */
#include <stdio.h>

#include "model/perf_figures.h"
#include "live_layout.h"

#define MODE_COLS   10
#define FIGURE_COLS 12
#define GAP_COLS    3

struct figure {
	const char *heading;
	struct real (*value)(const struct run_result *run);
};

static struct real cycles_per_byte(const struct run_result *run)
{
	return perf_derive(run, DERIVED_CYCLES_PER_BYTE, PERF_OF_BOTH);
}

static struct real ipc(const struct run_result *run)
{
	return perf_derive(run, DERIVED_IPC, PERF_OF_BOTH);
}

static struct real llc_misses(const struct run_result *run)
{
	return perf_derive(run, DERIVED_LLC_MISSES_PER_KIB, PERF_OF_BOTH);
}

static struct real switches(const struct run_result *run)
{
	return perf_derive(run, DERIVED_SWITCHES_PER_S, PERF_OF_BOTH);
}

static struct real cpu_time(const struct run_result *run)
{
	return perf_derive__ns_per_kib(run, PERF_OF_BOTH);
}

static const struct figure with_pmu[] = {
	{"cycles/B", cycles_per_byte},
	{"IPC", ipc},
	{"LLC miss/KiB", llc_misses},
	{"switches/s", switches},
};

static const struct figure without_pmu[] = {
	{"CPU ns/KiB", cpu_time},
	{"switches/s", switches},
};

struct cost_columns {
	const struct figure *figures;
	int nr;
	const char *reason; /* why there are no hardware counters; NULL: there are */
};

static struct cost_columns plan_columns(const struct live_frame *f)
{
	struct cost_columns c = {with_pmu, sizeof(with_pmu) / sizeof(with_pmu[0]), NULL};
	size_t i;

	for (i = 0; i < f->modes_nr; i++) {
		if (!f->modes[i].seen)
			continue;
		c.reason = perf_derive__no_hardware(&f->modes[i].total);
		if (!c.reason)
			return c;
	}
	if (c.reason) {
		c.figures = without_pmu;
		c.nr = sizeof(without_pmu) / sizeof(without_pmu[0]);
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
		view_cost__format(cell, sizeof(cell), c->figures[i].value(&m->total));
		grid__put_right(g, row, MODE_COLS + i * FIGURE_COLS, FIGURE_COLS, attr, cell);
	}
}

int view_cost__draw(struct grid *g, int row, const struct live_frame *f)
{
	struct cost_columns c = plan_columns(f);
	int i, col = MODE_COLS + c.nr * FIGURE_COLS + GAP_COLS;
	size_t m;

	grid__put(g, row, 2, MODE_COLS, GRID_BOLD, "cost");
	for (i = 0; i < c.nr; i++)
		grid__put_right(g, row, MODE_COLS + i * FIGURE_COLS, FIGURE_COLS, GRID_BOLD,
				c.figures[i].heading);
	if (c.reason)
		grid__put(g, row, col, g->cols - col, GRID_DIM, c.reason);
	for (m = 0; m < f->modes_nr; m++)
		draw_mode(g, ++row, &f->modes[m], &c);
	return row + 1;
}
