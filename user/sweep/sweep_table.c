/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text of a sweep; see sweep_table.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "screen/text_note.h"
#include "screen/text.h"
#include "sweep_table.h"
#include "common/units.h"
#include "common/xalloc.h"

#define CELL_MAX         40
#define CELL_GAP         2
#define CONGESTION_WIDTH 10

struct table {
	const struct sweep_grid *g;
	const double *gbps;
	char *const *made;
	double *values;              /* room for as many as there are rounds */
	unsigned int width[MODE_NR]; /* of the column of each mode */
};

/* Runs of one cell follow each other; the same cell of the next mode comes a block later. */
static size_t block_of(const struct table *t)
{
	return sweep_grid__runs(t->g) / t->g->modes_nr;
}

/* "31.4 (30.2-32)": the cell of a mode whose first run of the first mode is `first`. */
static char *cell_of(char cell[CELL_MAX], const struct table *t, size_t mode, size_t first)
{
	size_t run = mode * block_of(t) + first, n = 0;
	struct spread s;

	for (unsigned int round = 0; round < t->g->rounds; round++)
		if (t->made[run + round])
			t->values[n++] = t->gbps[run + round];
	s = stats__spread(t->values, n);
	if (!s.n)
		snprintf(cell, CELL_MAX, "%5s", "n/a");
	else if (s.n > 1)
		snprintf(cell, CELL_MAX, "%5.3g (%.3g-%.3g)", s.median, s.low, s.high);
	else
		snprintf(cell, CELL_MAX, "%5.3g", s.median);
	return cell;
}

static void find_widths(struct table *t)
{
	char cell[CELL_MAX];

	for (size_t m = 0; m < t->g->modes_nr; m++) {
		t->width[m] = (unsigned int)strlen(mode__words(t->g->modes[m]));
		for (size_t first = 0; first < block_of(t); first += t->g->rounds) {
			unsigned int len = (unsigned int)strlen(cell_of(cell, t, m, first));

			t->width[m] = len > t->width[m] ? len : t->width[m];
		}
	}
}

/* The columns of modes from `from` to `to` - 1; the last one is not padded. */
static void put_line(FILE *f, const struct table *t, size_t from, size_t to, const size_t *first)
{
	char cell[CELL_MAX];

	for (size_t m = from; m < to; m++)
		fprintf(f, "%*s%-*s", CELL_GAP, "", m + 1 == to ? 0 : (int)t->width[m],
			first ? cell_of(cell, t, m, *first) : mode__words(t->g->modes[m]));
	fputc('\n', f);
}

static void put_block(FILE *f, const struct table *t, size_t from, size_t to)
{
	const struct sweep_grid *g = t->g;
	char size[UNITS_BUF];

	fprintf(f, "%6s %7s", "size", "threads");
	if (g->congestions_nr)
		fprintf(f, " %-*s", CONGESTION_WIDTH, "congestion");
	put_line(f, t, from, to, NULL);
	for (size_t first = 0; first < block_of(t); first += g->rounds) {
		struct sweep_run r = sweep_grid__run(g, first);

		fprintf(f, "%6s %7u", format_size_short(size, sizeof(size), r.size), r.threads);
		if (g->congestions_nr)
			fprintf(f, " %-*s", CONGESTION_WIDTH, r.congestion);
		put_line(f, t, from, to, &first);
	}
}

/* Modes whose columns do not fit the width go below. */
static void put_table(FILE *f, unsigned int width, struct table *t)
{
	unsigned int labels = 14 + (t->g->congestions_nr ? CONGESTION_WIDTH + 1 : 0), used;
	size_t from = 0, to;

	t->values = xcalloc(t->g->rounds, sizeof(*t->values));
	find_widths(t);
	for (; from < t->g->modes_nr; from = to) {
		used = labels + CELL_GAP + t->width[from];
		for (to = from + 1; to < t->g->modes_nr; to++) {
			used += CELL_GAP + t->width[to];
			if (used > width)
				break;
		}
		if (from)
			fputc('\n', f);
		put_block(f, t, from, to);
	}
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

void sweep_table__conditions(FILE *f, unsigned int width, const struct environment *env,
			     const struct sweep_options *o, bool pinned_by_default, bool one_cpu)
{
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
