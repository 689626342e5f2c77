/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells, estimates, peaks and duels; see analysis.h. Knows no files and no wording. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "base/array.h"
#include "base/order.h"
#include "family.h"

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
	a->cells = array__new(cells, sizeof(*a->cells));
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

	return ORDER(a, b);
}

static int compare_unsigned(const void *pa, const void *pb)
{
	unsigned int a = *(const unsigned int *)pa, b = *(const unsigned int *)pb;

	return ORDER(a, b);
}

static int find_axes(struct analysis *a)
{
	size_t i, n = a->cells_nr;

	a->sizes = array__new(n, sizeof(*a->sizes));
	a->threads = array__new(n, sizeof(*a->threads));
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
	a->sizes = array__shrunk(a->sizes, a->sizes_nr, sizeof(*a->sizes));
	a->threads = array__shrunk(a->threads, a->threads_nr, sizeof(*a->threads));
	return 0;
}

/* A round, and which of the cell's runs of that number it is: data may lack round numbers. */
struct round_key {
	unsigned int round, repeat;
};

static int compare_round(const void *pa, const void *pb)
{
	const struct round_key *a = pa, *b = pb;
	int order = ORDER(a->round, b->round);

	return order ? order : ORDER(a->repeat, b->repeat);
}

static size_t sort_unique(struct round_key *keys, size_t n)
{
	size_t i, nr = 0;

	qsort(keys, n, sizeof(*keys), compare_round);
	for (i = 0; i < n; i++)
		if (!nr || compare_round(&keys[i], &keys[nr - 1]))
			keys[nr++] = keys[i];
	return nr;
}

static void number_rounds(const struct dataset *d, struct round_key *key)
{
	for (size_t i = 0; i < d->rows_nr; i++) {
		bool again = i && same_cell(&d->rows[i], &d->rows[i - 1]) &&
			     d->rows[i].round == d->rows[i - 1].round;

		key[i].round = d->rows[i].round;
		key[i].repeat = again ? key[i - 1].repeat + 1 : 0;
	}
}

static int find_blocks(struct analysis *a)
{
	size_t n = a->dataset->rows_nr, i;
	struct round_key *key = array__new(n, sizeof(*key)), *all = array__new(n, sizeof(*all));
	const struct round_key *found;

	a->block = array__new(n, sizeof(*a->block));
	if (key && all && a->block) {
		number_rounds(a->dataset, key);
		memcpy(all, key, n * sizeof(*key));
		a->blocks_nr = sort_unique(all, n);
		for (i = 0; i < n; i++) {
			found = bsearch(&key[i], all, a->blocks_nr, sizeof(*all), compare_round);
			a->block[i] = (size_t)(found - all);
		}
	}
	i = key && all && a->block;
	free(key);
	free(all);
	return i ? 0 : -ENOMEM;
}

size_t analysis__block(const struct analysis *a, const struct dataset_row *row)
{
	return a->block[row - a->dataset->rows];
}

int analysis__init(struct analysis *a, const struct dataset *d)
{
	int err;

	*a = (struct analysis){
		.dataset = d, .lacked = array__new(1, sizeof(bool)), .family = family__new()};
	err = a->lacked && a->family ? find_cells(a) : -ENOMEM;
	if (!err)
		err = find_axes(a);
	return err ? err : find_blocks(a);
}

void analysis__clear(struct analysis *a)
{
	free(a->family);
	free(a->cells);
	free(a->sizes);
	free(a->threads);
	free(a->block);
	free(a->lacked);
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
	int order = ORDER(key->mode, cell->mode);

	order = order ? order : ORDER(key->size, cell->size);
	return order ? order : ORDER(key->threads, cell->threads);
}

struct cell *analysis__cell(const struct analysis *a, enum mode mode, uint64_t size,
			    unsigned int threads)
{
	const struct cell_key key = {mode, size, threads};

	return bsearch(&key, a->cells, a->cells_nr, sizeof(*a->cells), compare_key);
}

bool analysis__lacked_memory(const struct analysis *a)
{
	bool lacked = *a->lacked;

	*a->lacked = false;
	return lacked;
}

static struct estimate compute(const struct cell *cell, enum metric m, double *values)
{
	for (size_t i = 0; i < cell->rows_nr; i++)
		values[i] = cell->rows[i].value[m];
	return estimate__of(values, cell->rows_nr);
}

struct estimate analysis__estimate(const struct analysis *a, struct cell *cell, enum metric m)
{
	double *values;

	if (!cell)
		return estimate__of(NULL, 0);
	if (cell->known[m])
		return cell->estimate[m];
	values = array__new(cell->rows_nr, sizeof(*values));
	if (!values) {
		*a->lacked = true;
		return estimate__of(NULL, 0);
	}
	cell->estimate[m] = compute(cell, m, values);
	cell->known[m] = true;
	free(values);
	return cell->estimate[m];
}

static void take_values(const struct cell *cell, enum metric m, double *values)
{
	for (size_t i = 0; i < cell->rows_nr; i++)
		values[i] = cell->rows[i].value[m];
}

struct claim analysis__compare(const struct analysis *a, struct cell *x, struct cell *y,
			       enum metric m)
{
	struct estimate ex = analysis__estimate(a, x, m), ey = analysis__estimate(a, y, m);
	size_t nx = x ? x->rows_nr : 0, ny = y ? y->rows_nr : 0, tests = 1;
	double *values = array__new(nx + ny, sizeof(*values));
	struct rank_test t;

	if (x && y)
		tests = family__tests(a, family__kind(a, x, y), m);
	if (values && x)
		take_values(x, m, values);
	if (values && y)
		take_values(y, m, values + nx);
	if (!values || rank_test__of(&t, values, nx, values + nx, ny, tests)) {
		*a->lacked = true;
		t = (struct rank_test){.change = (double)NAN};
	}
	free(values);
	return t.difference == DIFFERENCE_UNKNOWN ? claim__unknown(&ex, &ey)
						  : claim__make(&ex, &ey, &t, tests);
}

/* Adds a cell's rounds to the sums of its mode, as shares of a number that both modes share. */
static void add_shares(const struct analysis *a, const struct cell *cell, enum metric m,
		       double unit, double *sum)
{
	bool *seen = array__new(a->blocks_nr, sizeof(*seen));

	if (!seen) {
		*a->lacked = true;
		return;
	}
	for (size_t i = 0; i < cell->rows_nr; i++) {
		size_t block = analysis__block(a, &cell->rows[i]);

		sum[block] += cell->rows[i].value[m] / unit;
		seen[block] = true;
	}
	for (size_t b = 0; b < a->blocks_nr; b++)
		if (!seen[b])
			sum[b] = (double)NAN;
	free(seen);
}

/* Fills a value for each round of both modes; false: they have no thread count in common. */
static bool sum_threads(const struct analysis *a, enum mode first, enum mode second, uint64_t size,
			enum metric m, double *sums)
{
	bool any = false;

	for (size_t i = 0; i < a->threads_nr; i++) {
		struct cell *x = analysis__cell(a, first, size, a->threads[i]);
		struct cell *y = analysis__cell(a, second, size, a->threads[i]);
		struct estimate ex = analysis__estimate(a, x, m), ey = analysis__estimate(a, y, m);
		double unit = ex.median / 2 + ey.median / 2;

		if (!ex.n || !ey.n || !(unit > 0))
			continue;
		add_shares(a, x, m, unit, sums);
		add_shares(a, y, m, unit, sums + a->blocks_nr);
		any = true;
	}
	return any;
}

struct claim analysis__compare_modes(const struct analysis *a, enum mode first, enum mode second,
				     uint64_t size, enum metric m)
{
	size_t tests = family__tests(a, FAMILY_MODES_OF_SIZE, m), n = a->blocks_nr;
	struct estimate unknown = estimate__of(NULL, 0);
	double *sums = array__new(2 * n, sizeof(*sums));
	struct claim c = claim__unknown(&unknown, &unknown);
	struct rank_test t;

	if (!sums) {
		*a->lacked = true;
		return c;
	}
	if (sum_threads(a, first, second, size, m, sums)) {
		if (rank_test__of(&t, sums, n, sums + n, n, tests))
			*a->lacked = true;
		else if (t.difference != DIFFERENCE_UNKNOWN)
			c = claim__make(&unknown, &unknown, &t, tests);
	}
	free(sums);
	return c;
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

static bool is_better(enum metric m, const struct claim *c)
{
	return metric__better(m) == BETTER_LOWER ? c->sign < 0 : c->sign > 0;
}

static void duel__add_point(struct duel *duel, uint64_t size, const struct claim *c)
{
	bool lower = metric__better(duel->metric) == BETTER_LOWER;

	duel->points[duel->points_nr++] = (struct duel_point){size, *c};
	switch (c->difference) {
	case DIFFERENCE_HIGHER:
	case DIFFERENCE_LOWER:
		if ((c->difference == DIFFERENCE_LOWER) == lower)
			duel->ahead++;
		else
			duel->behind++;
		break;
	case DIFFERENCE_NOISE:
		duel->noise++;
		break;
	default:
		duel->few += c->difference == DIFFERENCE_FEW;
		duel->point_only += c->difference == DIFFERENCE_POINT;
		duel->point_ahead += is_better(duel->metric, c);
	}
}

/* Sizes at which nothing is certain lie inside the crossover, they do not end it. */
static void duel__find_crossovers(struct duel *duel)
{
	const struct duel_point *last = NULL, *p;

	for (p = duel->points; p < duel->points + duel->points_nr; p++) {
		if (!claim__holds(&p->c))
			continue;
		if (last && last->c.difference != p->c.difference)
			duel->crossovers[duel->crossovers_nr++] = (struct crossover){
				last->size, p->size,
				(p->c.difference == DIFFERENCE_LOWER) ==
					(metric__better(duel->metric) == BETTER_LOWER)};
		last = p;
	}
}

int analysis__duel(const struct analysis *a, enum mode first, enum mode second,
		   unsigned int threads, enum metric m, struct duel *duel)
{
	struct claim c;
	size_t i;

	*duel = (struct duel){.first = first, .second = second, .threads = threads, .metric = m};
	duel->points = array__new(a->sizes_nr, sizeof(*duel->points));
	duel->crossovers = array__new(a->sizes_nr, sizeof(*duel->crossovers));
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
	if (!analysis__lacked_memory(a))
		return 0;
	duel__clear(duel);
	return -ENOMEM;
}

void duel__clear(struct duel *duel)
{
	free(duel->points);
	free(duel->crossovers);
	*duel = (struct duel){0};
}
