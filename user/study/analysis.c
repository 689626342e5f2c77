/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells, estimates, peaks and duels; see analysis.h. Knows no files and no wording. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

static bool same_cell(const struct dataset_row *x, const struct dataset_row *y)
{
	return x->mode == y->mode && x->size == y->size && x->threads == y->threads;
}

static size_t rounds_at(const struct dataset *d, size_t i)
{
	size_t n = 1;

	while (i + n < d->rows_nr && same_cell(&d->rows[i], &d->rows[i + n]))
		n++;
	return n;
}

static void add_cell(struct analysis *a, const struct dataset_row *rows, size_t n)
{
	struct cell *cell = &a->cells[a->cells_nr++];

	*cell = (struct cell){
		.mode = rows->mode,
		.size = rows->size,
		.threads = rows->threads,
		.rows = rows,
		.rows_nr = n,
	};
	a->has_mode[rows->mode] = true;
	if (!a->rounds_min || n < a->rounds_min)
		a->rounds_min = n;
	if (n > a->rounds_max)
		a->rounds_max = n;
}

/* The rows are in order, so a cell's rows stand together. */
static int find_cells(struct analysis *a)
{
	const struct dataset *d = a->dataset;
	size_t i, n, cells = 0;

	for (i = 0; i < d->rows_nr; i += rounds_at(d, i))
		cells++;
	a->cells = calloc(cells ? cells : 1, sizeof(*a->cells));
	if (!a->cells)
		return -ENOMEM;
	for (i = 0; i < d->rows_nr; i += n) {
		n = rounds_at(d, i);
		add_cell(a, &d->rows[i], n);
	}
	return 0;
}

static int compare_u64(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static int compare_unsigned(const void *pa, const void *pb)
{
	unsigned int a = *(const unsigned int *)pa, b = *(const unsigned int *)pb;

	return (a > b) - (a < b);
}

static int find_axes(struct analysis *a)
{
	size_t i, n = a->cells_nr;

	a->sizes = calloc(n + 1, sizeof(*a->sizes));
	a->threads = calloc(n + 1, sizeof(*a->threads));
	if (!a->sizes || !a->threads)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		a->sizes[i] = a->cells[i].size;
		a->threads[i] = a->cells[i].threads;
	}
	qsort(a->sizes, n, sizeof(*a->sizes), compare_u64);
	qsort(a->threads, n, sizeof(*a->threads), compare_unsigned);
	for (i = 0; i < n; i++) {
		if (!i || a->sizes[i] != a->sizes[a->sizes_nr - 1])
			a->sizes[a->sizes_nr++] = a->sizes[i];
		if (!i || a->threads[i] != a->threads[a->threads_nr - 1])
			a->threads[a->threads_nr++] = a->threads[i];
	}
	return 0;
}

int analysis__init(struct analysis *a, const struct dataset *d, uint64_t seed)
{
	int err;

	*a = (struct analysis){.dataset = d, .seed = seed};
	err = find_cells(a);
	return err ? err : find_axes(a);
}

void analysis__clear(struct analysis *a)
{
	free(a->cells);
	free(a->sizes);
	free(a->threads);
	*a = (struct analysis){0};
}

struct cell_key {
	enum mode mode;
	uint64_t size;
	unsigned int threads;
};

static int compare_key(const void *pkey, const void *pcell)
{
	const struct cell_key *key = pkey;
	const struct cell *cell = pcell;

	if (key->mode != cell->mode)
		return key->mode < cell->mode ? -1 : 1;
	if (key->size != cell->size)
		return key->size < cell->size ? -1 : 1;
	return (key->threads > cell->threads) - (key->threads < cell->threads);
}

struct cell *analysis__cell(const struct analysis *a, enum mode mode, uint64_t size,
			    unsigned int threads)
{
	const struct cell_key key = {mode, size, threads};

	return bsearch(&key, a->cells, a->cells_nr, sizeof(*a->cells), compare_key);
}

/* A seed of its own for each number, so that no interval depends on what was asked before. */
static uint64_t seed_of(const struct analysis *a, const struct cell *cell, enum metric m)
{
	return a->seed * 0x9e3779b97f4a7c15 ^ (uint64_t)(cell - a->cells) << 16 ^ (uint64_t)m;
}

static struct estimate compute(const struct analysis *a, const struct cell *cell, enum metric m)
{
	double *values = calloc(cell->rows_nr, sizeof(*values));
	struct estimate e = {(double)NAN, (double)NAN, (double)NAN, 0};
	size_t i;

	if (!values)
		return e;
	for (i = 0; i < cell->rows_nr; i++)
		values[i] = cell->rows[i].value[m];
	e = bootstrap__median(values, cell->rows_nr, seed_of(a, cell, m));
	free(values);
	return e;
}

struct estimate analysis__estimate(const struct analysis *a, struct cell *cell, enum metric m)
{
	if (!cell)
		return (struct estimate){(double)NAN, (double)NAN, (double)NAN, 0};
	if (!cell->known[m]) {
		cell->estimate[m] = compute(a, cell, m);
		cell->known[m] = true;
	}
	return cell->estimate[m];
}

struct comparison analysis__compare(const struct analysis *a, struct cell *x, struct cell *y,
				    enum metric m)
{
	struct estimate ex = analysis__estimate(a, x, m), ey = analysis__estimate(a, y, m);

	return estimate__compare(&ex, &ey);
}

bool analysis__has(const struct analysis *a, enum metric m)
{
	size_t i;

	for (i = 0; i < a->dataset->rows_nr; i++)
		if (!isnan(a->dataset->rows[i].value[m]))
			return true;
	return false;
}

struct cell *analysis__peak(const struct analysis *a, enum mode mode, enum metric m)
{
	struct cell *cell, *peak = NULL;
	double highest = 0;
	struct estimate e;

	for (cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		if (mode != MODE_NR && cell->mode != mode)
			continue;
		e = analysis__estimate(a, cell, m);
		if (e.n && (!peak || e.median > highest)) {
			peak = cell;
			highest = e.median;
		}
	}
	return peak;
}

const char *analysis__reason(const struct analysis *a, enum metric m)
{
	const struct dataset *d = a->dataset;

	if (d->reason[m])
		return d->reason[m];
	if (d->reason[metric__source(m)])
		return d->reason[metric__source(m)];
	if (metric__formula(m) && !analysis__has(a, METRIC_PAYLOAD))
		return "the data says neither how many bytes were moved nor for how long";
	return "the data set has no such number";
}

static void duel__add_point(struct duel *duel, uint64_t size, const struct comparison *c)
{
	duel->points[duel->points_nr++] = (struct duel_point){size, *c};
	switch (c->difference) {
	case DIFFERENCE_HIGHER:
		duel->ahead++;
		break;
	case DIFFERENCE_LOWER:
		duel->behind++;
		break;
	case DIFFERENCE_NOISE:
		duel->noise++;
		break;
	default:
		duel->point_only++;
		duel->point_ahead += c->a.median > c->b.median;
	}
}

/* Sizes at which nothing is certain lie inside the crossover, they do not end it. */
static void duel__find_crossovers(struct duel *duel)
{
	const struct duel_point *last = NULL, *p;

	for (p = duel->points; p < duel->points + duel->points_nr; p++) {
		if (p->c.difference != DIFFERENCE_HIGHER && p->c.difference != DIFFERENCE_LOWER)
			continue;
		if (last && last->c.difference != p->c.difference)
			duel->crossovers[duel->crossovers_nr++] = (struct crossover){
				last->size, p->size, p->c.difference == DIFFERENCE_HIGHER};
		last = p;
	}
}

int analysis__duel(const struct analysis *a, enum mode first, enum mode second,
		   unsigned int threads, enum metric m, struct duel *duel)
{
	struct comparison c;
	size_t i;

	*duel = (struct duel){.first = first, .second = second, .threads = threads, .metric = m};
	duel->points = calloc(a->sizes_nr + 1, sizeof(*duel->points));
	duel->crossovers = calloc(a->sizes_nr + 1, sizeof(*duel->crossovers));
	if (!duel->points || !duel->crossovers) {
		duel__clear(duel);
		return -ENOMEM;
	}
	for (i = 0; i < a->sizes_nr; i++) {
		c = analysis__compare(a, analysis__cell(a, first, a->sizes[i], threads),
				      analysis__cell(a, second, a->sizes[i], threads), m);
		if (c.difference != DIFFERENCE_UNKNOWN)
			duel__add_point(duel, a->sizes[i], &c);
	}
	duel__find_crossovers(duel);
	return 0;
}

void duel__clear(struct duel *duel)
{
	free(duel->points);
	free(duel->crossovers);
	*duel = (struct duel){0};
}
