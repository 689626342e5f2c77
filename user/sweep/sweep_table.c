/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text of a sweep; see sweep_table.h. */
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "screen/text_note.h"
#include "screen/text.h"
#include "sweep_table.h"
#include "common/units.h"
#include "common/xalloc.h"

#define RANGE_WIDTH      15
#define CONGESTION_WIDTH 10

/* values: room for as many as there are rounds. */
static struct spread spread_of(const struct sweep_grid *g, const double *gbps, char *const *made,
			       size_t first, double *values)
{
	size_t n = 0;

	for (unsigned int round = 0; round < g->rounds; round++)
		if (made[first + round])
			values[n++] = gbps[first + round];
	return stats__spread(values, n);
}

static void put_cell(FILE *f, const struct spread *s, bool last)
{
	char range[40] = "", median[16] = "n/a";

	if (s->n)
		snprintf(median, sizeof(median), "%.3g", s->median);
	if (s->n > 1)
		snprintf(range, sizeof(range), "(%.3g - %.3g)", s->low, s->high);
	fprintf(f, "  %9s", median);
	if (!last)
		fprintf(f, " %-*s", RANGE_WIDTH, range);
	else if (range[0])
		fprintf(f, " %s", range);
}

/* The column of the congestion control, where it is varied. */
static void put_congestion(FILE *f, const struct sweep_grid *g, const char *name)
{
	if (g->congestions_nr)
		fprintf(f, " %-*s", CONGESTION_WIDTH, name);
}

/* Runs of one cell follow each other; the same cell of the next mode comes a block later. */
static void put_row(FILE *f, const struct sweep_grid *g, const double *gbps, char *const *made,
		    size_t first, double *values)
{
	size_t block = sweep_grid__runs(g) / g->modes_nr;
	struct sweep_run r = sweep_grid__run(g, first);
	char size[UNITS_BUF];

	fprintf(f, "%6s %7u", format_size_short(size, sizeof(size), r.size), r.threads);
	put_congestion(f, g, r.congestion);
	for (size_t m = 0; m < g->modes_nr; m++) {
		struct spread s = spread_of(g, gbps, made, m * block + first, values);

		put_cell(f, &s, m + 1 == g->modes_nr);
	}
	fputc('\n', f);
}

static void put_table(FILE *f, const struct sweep_grid *g, const double *gbps, char *const *made)
{
	double *values = xcalloc(g->rounds, sizeof(*values));
	size_t block = sweep_grid__runs(g) / g->modes_nr;

	fprintf(f, "%6s %7s", "size", "threads");
	put_congestion(f, g, "congestion");
	for (size_t m = 0; m < g->modes_nr; m++)
		fprintf(f, "  %9s%*s", mode__words(g->modes[m]),
			m + 1 == g->modes_nr ? 0 : RANGE_WIDTH + 1, "");
	fputc('\n', f);
	for (size_t first = 0; first < block; first += g->rounds)
		put_row(f, g, gbps, made, first, values);
	free(values);
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
	fprintf(n.f, "%s; ", env->path);
	put_cpus(n.f, &o->run.traffic, one_cpu);
	fputs(pinned_by_default ? "; --no-pin leaves them to the scheduler." : ".", n.f);
	text_note__end(&n, f, width, "path");
	text_note__begin(&n);
	put_congestions(n.f, &env->congestion, &o->grid);
	text_note__end(&n, f, width, "congestion");
	fputc('\n', f);
}

void sweep_table__write(FILE *f, const char *directory, const struct sweep_grid *g,
			const double *gbps, char *const *made, const struct sweep_totals *t)
{
	fprintf(f, "Gbit/s, median%s\n\n", g->rounds > 1 ? " (lowest - highest round)" : "");
	put_table(f, g, gbps, made);
	fprintf(f, "\n%s: %zu of %zu run%s made, %zu failed", directory, t->made, t->runs,
		plural(t->runs), t->failed);
	if (t->measured_ns)
		fprintf(f, "; now %.1f s measured in %.1f s (%.2f x)", (double)t->measured_ns / 1e9,
			(double)t->elapsed_ns / 1e9,
			(double)t->elapsed_ns / (double)t->measured_ns);
	fprintf(f, "\n");
	if (t->made + t->failed < t->runs)
		fprintf(f, "interrupted: the same command with --resume makes the rest\n");
}
