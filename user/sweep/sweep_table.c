/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a sweep at its end; see sweep_table.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "screen/text_end.h"
#include "screen/text_cells.h"
#include "screen/text_limits.h"
#include "sweep_table.h"

struct table {
	const struct sweep_grid *g;
	const double *gbps;
	char *const *made;
	double *values; /* room for as many as there are rounds */
};

/* Runs of one cell follow each other; the same cell of the next mode comes a block later. */
static size_t block_of(const struct table *t)
{
	return sweep_grid__runs(t->g) / t->g->modes_nr;
}

static void name_cell(char *cell, const void *of, size_t row, int what)
{
	const struct sweep_grid *g = ((const struct table *)of)->g;
	struct sweep_run r = sweep_grid__run(g, row * g->rounds);
	char size[UNITS_BUF];

	(void)what;
	snprintf(cell, TEXT_CELL_MAX, "%6s %7u%s%s", format_size_short(size, sizeof(size), r.size),
		 r.threads, r.congestion ? " " : "", r.congestion ? r.congestion : "");
}

/* "31.4 (30.2-32)". what: the mode. */
static void gbps_cell(char *cell, const void *of, size_t row, int what)
{
	const struct table *t = of;
	size_t run = (size_t)what * block_of(t) + row * t->g->rounds, n = 0;
	struct spread s;

	for (unsigned int round = 0; round < t->g->rounds; round++)
		if (t->made[run + round])
			t->values[n++] = t->gbps[run + round];
	s = stats__spread(t->values, n);
	if (!s.n)
		snprintf(cell, TEXT_CELL_MAX, "%5s", "n/a");
	else if (s.n > 1)
		snprintf(cell, TEXT_CELL_MAX, "%5.3g (%.3g-%.3g)", s.median, s.low, s.high);
	else
		snprintf(cell, TEXT_CELL_MAX, "%5.3g", s.median);
}

static void put_table(FILE *f, unsigned int width, struct table *t)
{
	struct text_cells cells;

	t->values = xcalloc(t->g->rounds, sizeof(*t->values));
	text_cells__begin(&cells, 1, block_of(t) / t->g->rounds);
	text_cells__add(&cells,
			t->g->congestions_nr ? "  size threads congestion" : "  size threads", true,
			name_cell, t, 0);
	for (size_t m = 0; m < t->g->modes_nr; m++)
		text_cells__add(&cells, mode__words(t->g->modes[m]), true, gbps_cell, t, (int)m);
	text_cells__print(f, &cells, width);
	free(t->values);
}

static void put_cpus(FILE *f, const struct workload *t, bool one_cpu)
{
	if (t->sender_cpus)
		fprintf(f, "senders on CPU%s %s", strchr(t->sender_cpus, ',') ? "s" : "",
			t->sender_cpus);
	if (t->receiver_cpus)
		fprintf(f, "%sreceivers on CPU%s %s", t->sender_cpus ? ", " : "",
			strchr(t->receiver_cpus, ',') ? "s" : "", t->receiver_cpus);
	if (!t->sender_cpus && !t->receiver_cpus)
		fprintf(f, "threads are not pinned%s",
			one_cpu ? ": this process may use one CPU only" : "");
}

/* If the congestion control is varied: each one. */
static void put_congestions(FILE *f, const struct congestion *c, const struct sweep_grid *g)
{
	for (size_t i = 0; i < g->congestions_nr; i++) {
		struct congestion one = {.choice = CONGESTION_ASKED};
		const char *name = g->congestions[i];

		if (!strcmp(name, CONGESTION_OF_SYSTEM))
			name = c->system;
		snprintf(one.chosen, sizeof(one.chosen), "%s", name);
		text_congestion__write(f, &one);
		fputc(' ', f);
	}
	if (!g->congestions_nr)
		text_congestion__write(f, c);
}

void sweep_table__conditions(FILE *f, unsigned int width, const struct result *r,
			     const struct sweep_options *o, bool pinned_by_default, bool one_cpu)
{
	const struct environment *env = &r->env;
	struct text_note n;

	text_note__begin(&n);
	fputs(env->path, n.f);
	if (env->receiver)
		fprintf(n.f, ", %s to %s", env->machine.host, env->receiver->machine.host);
	fputs("; ", n.f);
	put_cpus(n.f, &o->run.workload, one_cpu);
	fputs(pinned_by_default ? "; --no-pin leaves them to the scheduler." : ".", n.f);
	text_note__end(&n, f, width, "path");
	text_note__begin(&n);
	put_congestions(n.f, &env->congestion, &o->grid);
	text_note__end(&n, f, width, "congestion");
	text_note__begin(&n);
	text_limits__emulator(n.f, r);
	text_note__end(&n, f, width, "emulated");
	fputc('\n', f);
}

void sweep_table__write(FILE *f, unsigned int width, const char *directory,
			const struct sweep_grid *g, const double *gbps, char *const *made,
			const struct sweep_totals *t)
{
	struct table table = {.g = g, .gbps = gbps, .made = made};
	struct text_note n;

	fprintf(f, "Gbit/s, median%s\n\n", g->rounds > 1 ? " (lowest-highest round)" : "");
	put_table(f, width, &table);
	fputc('\n', f);
	text_note__begin(&n);
	fprintf(n.f, "%s: %zu of %zu run%s made, %zu failed", directory, t->made, t->runs,
		plural(t->runs), t->failed);
	if (t->measured_ns)
		fprintf(n.f, "; this took %.1f s, %.1f s of them under load",
			(double)t->elapsed_ns / 1e9, (double)t->measured_ns / 1e9);
	fputc('\n', n.f);
	if (t->made + t->failed < t->runs)
		fputs("interrupted: the same command with --resume makes the rest\n", n.f);
	else if (t->made)
		fprintf(n.f, "next: netiotrace report %s\n", directory);
	text_note__fit(&n, f, &(struct text_note_form){.columns = width, .lines = UINT_MAX});
}
