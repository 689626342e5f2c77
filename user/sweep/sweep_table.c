/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep prints at its end; see sweep_table.h. */
#include <stdlib.h>

#include "base/stats.h"
#include "sweep_table.h"
#include "common/units.h"

#define RANGE_WIDTH 15

static struct spread spread_of(const struct grid *g, const double *gbps, char *const *made,
			       size_t first)
{
	double *values = calloc(g->rounds, sizeof(*values));
	struct spread spread = {0};
	size_t n = 0;

	if (!values)
		return spread;
	for (unsigned int round = 0; round < g->rounds; round++)
		if (made[first + round])
			values[n++] = gbps[first + round];
	spread = stats__spread(values, n);
	free(values);
	return spread;
}

static void put_cell(FILE *f, const struct spread *s, bool last)
{
	char range[40] = "", median[16] = "n/a";

	if (s->n)
		snprintf(median, sizeof(median), "%.3g", s->median);
	if (s->n > 1)
		snprintf(range, sizeof(range), "(%.3g - %.3g)", s->low, s->high);
	fprintf(f, "  %8s", median);
	if (!last)
		fprintf(f, " %-*s", RANGE_WIDTH, range);
	else if (range[0])
		fprintf(f, " %s", range);
}

/* Runs of one cell follow each other; the same cell of the next mode comes a block later. */
static void put_row(FILE *f, const struct grid *g, const double *gbps, char *const *made,
		    size_t first)
{
	size_t block = grid__runs(g) / g->modes_nr;
	struct sweep_run r = grid__run(g, first);
	char size[UNITS_BUF];

	fprintf(f, "%6s %7u", format_size_short(size, sizeof(size), r.size), r.threads);
	for (size_t m = 0; m < g->modes_nr; m++) {
		struct spread s = spread_of(g, gbps, made, m * block + first);

		put_cell(f, &s, m + 1 == g->modes_nr);
	}
	fputc('\n', f);
}

static void put_table(FILE *f, const struct grid *g, const double *gbps, char *const *made)
{
	size_t block = grid__runs(g) / g->modes_nr;

	fprintf(f, "%6s %7s", "size", "threads");
	for (size_t m = 0; m < g->modes_nr; m++)
		fprintf(f, "  %8s%*s", mode__name(g->modes[m]),
			m + 1 == g->modes_nr ? 0 : RANGE_WIDTH + 1, "");
	fputc('\n', f);
	for (size_t first = 0; first < block; first += g->rounds)
		put_row(f, g, gbps, made, first);
}

void sweep_text__write(FILE *f, const char *directory, const struct grid *g, const double *gbps,
		       char *const *made, const struct sweep_totals *t)
{
	fprintf(f, "Gbit/s, median%s\n\n", g->rounds > 1 ? " (lowest - highest round)" : "");
	put_table(f, g, gbps, made);
	fprintf(f, "\n%s: %zu of %zu runs made, %zu failed", directory, t->made, t->runs,
		t->failed);
	if (t->measured_ns)
		fprintf(f, "; now %.1f s measured in %.1f s (%.2f x)", (double)t->measured_ns / 1e9,
			(double)t->elapsed_ns / 1e9,
			(double)t->elapsed_ns / (double)t->measured_ns);
	fprintf(f, "\n");
	if (t->made + t->failed < t->runs)
		fprintf(f, "interrupted: the same command with --resume makes the rest\n");
}
