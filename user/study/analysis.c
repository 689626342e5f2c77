/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells of a data set, their medians and comparisons; see analysis.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "base/stats.h"
#include "common/xalloc.h"

/* NULL: no pace. Else the pace of each block. */
struct pace {
	bool computed;
	double *of_block;
};

/* By the two modes that are compared, and the metric. */
struct paces {
	struct pace list[MODE_NR][MODE_NR][METRIC_NR];
};

static bool same_cell(const struct dataset_row *x, const struct dataset_row *y)
{
	return !dataset__compare_cells(x, y);
}

/* Rows are sorted, so a cell's rows are adjacent. */
static void find_cells(struct analysis *a)
{
	const struct dataset *d = a->dataset;

	a->cells = xcalloc(d->rows_nr, sizeof(*a->cells));
	for (size_t i = 0; i < d->rows_nr; i++) {
		const struct dataset_row *row = &d->rows[i];

		if (!i || !same_cell(row, row - 1))
			a->cells[a->cells_nr++] = (struct cell){.mode = row->mode,
								.size = row->size,
								.threads = row->threads,
								.rows = row};
		a->cells[a->cells_nr - 1].rows_nr++;
		a->modes_nr += !a->has_mode[row->mode];
		a->has_mode[row->mode] = true;
	}
	a->cells = xreallocarray(a->cells, a->cells_nr, sizeof(*a->cells));
	for (size_t i = 0; i < a->cells_nr; i++) {
		size_t n = a->cells[i].rows_nr;

		a->rounds_min = i && a->rounds_min < n ? a->rounds_min : n;
		a->rounds_max = a->rounds_max > n ? a->rounds_max : n;
	}
}

static void find_axes(struct analysis *a)
{
	size_t n = a->cells_nr;

	a->sizes = xcalloc(n, sizeof(*a->sizes));
	a->threads = xcalloc(n, sizeof(*a->threads));
	for (size_t i = 0; i < n; i++) {
		a->sizes[i] = a->cells[i].size;
		a->threads[i] = a->cells[i].threads;
	}
	qsort(a->sizes, n, sizeof(*a->sizes), order__u64);
	qsort(a->threads, n, sizeof(*a->threads), order__uint);
	for (size_t i = 0; i < n; i++) {
		if (!i || a->sizes[i] != a->sizes[a->sizes_nr - 1])
			a->sizes[a->sizes_nr++] = a->sizes[i];
		if (!i || a->threads[i] != a->threads[a->threads_nr - 1])
			a->threads[a->threads_nr++] = a->threads[i];
	}
}

/* A row by its round, and by which run of that round in the cell: data may lack round numbers. */
struct round_key {
	unsigned int round, repeat;
	size_t row;
};

static int compare_rounds(const void *pa, const void *pb)
{
	const struct round_key *a = pa, *b = pb;
	int order = ORDER(a->round, b->round);

	return order ? order : ORDER(a->repeat, b->repeat);
}

static void find_blocks(struct analysis *a)
{
	const struct dataset_row *row = a->dataset->rows;
	size_t n = a->dataset->rows_nr;
	struct round_key *key = xcalloc(n, sizeof(*key));

	for (size_t i = 0; i < n; i++) {
		bool again =
			i && same_cell(&row[i], &row[i - 1]) && row[i].round == row[i - 1].round;

		key[i] = (struct round_key){row[i].round, again ? key[i - 1].repeat + 1 : 0, i};
	}
	qsort(key, n, sizeof(*key), compare_rounds);
	a->block = xcalloc(n, sizeof(*a->block));
	for (size_t i = 0; i < n; i++) {
		a->blocks_nr += !i || compare_rounds(&key[i], &key[i - 1]);
		a->block[key[i].row] = a->blocks_nr - 1;
	}
	free(key);
}

size_t analysis__block(const struct analysis *a, const struct dataset_row *row)
{
	return a->block[row - a->dataset->rows];
}

void analysis__init(struct analysis *a, const struct dataset *d)
{
	*a = (struct analysis){.dataset = d,
			       .tests = xcalloc(TEST_FAMILY_KINDS, sizeof(*a->tests)),
			       .paces = xcalloc(1, sizeof(struct paces))};
	find_cells(a);
	find_axes(a);
	find_blocks(a);
}

void analysis__clear(struct analysis *a)
{
	for (int x = 0; a->paces && x < MODE_NR; x++)
		for (int y = 0; y < MODE_NR; y++)
			for (int m = 0; m < METRIC_NR; m++)
				free(a->paces->list[x][y][m].of_block);
	free(a->paces);
	free(a->tests);
	free(a->cells);
	free(a->sizes);
	free(a->threads);
	free(a->block);
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

struct cell *analysis__peer(const struct analysis *a, const struct cell *cell, enum mode mode)
{
	return analysis__cell(a, mode, cell->size, cell->threads);
}

uint64_t analysis__smaller(const struct analysis *a, uint64_t size)
{
	for (size_t i = 1; i < a->sizes_nr; i++)
		if (a->sizes[i] == size)
			return a->sizes[i - 1];
	return 0;
}

struct estimate analysis__estimate(const struct analysis *a, struct cell *cell, enum metric m)
{
	double *values;

	(void)a;
	if (!cell)
		return estimate__of(NULL, 0);
	if (!cell->known[m]) {
		values = xcalloc(cell->rows_nr, sizeof(*values));
		for (size_t i = 0; i < cell->rows_nr; i++)
			values[i] = cell->rows[i].value[m];
		cell->estimate[m] = estimate__of(values, cell->rows_nr);
		cell->known[m] = true;
		free(values);
	}
	return cell->estimate[m];
}

/* A run as a share of the median of its cell. */
struct share {
	size_t block;
	double share;
};

static int compare_shares(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;
	int order = ORDER(a->block, b->block);

	return order ? order : ORDER(a->share, b->share);
}

/* The shares of all runs of the modes that are not compared, in order. */
static size_t find_shares(const struct analysis *a, enum mode x, enum mode y, enum metric m,
			  struct share *shares)
{
	size_t n = 0;

	for (struct cell *cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		double median = analysis__estimate(a, cell, m).median;

		if (cell->mode == x || cell->mode == y || !(median > 0))
			continue;
		for (size_t i = 0; i < cell->rows_nr; i++) {
			double value = cell->rows[i].value[m];

			if (value > 0)
				shares[n++] = (struct share){analysis__block(a, &cell->rows[i]),
							     value / median};
		}
	}
	qsort(shares, n, sizeof(*shares), compare_shares);
	return n;
}

/* The median share of each block; false: a block has too few of them. */
static bool find_pace(const struct analysis *a, const struct share *shares, size_t n, double *pace)
{
	size_t from = 0, to, blocks = 0;

	for (; from < n; from = to, blocks++) {
		for (to = from; to < n && shares[to].block == shares[from].block; to++)
			;
		if (to - from < PACE_RUNS_MIN)
			return false;
		pace[shares[from].block] =
			shares[(from + to - 1) / 2].share / 2 + shares[(from + to) / 2].share / 2;
	}
	return blocks == a->blocks_nr;
}

/* The pace of each block for a comparison of two modes; NULL: there is none. */
static const double *pace_for(const struct analysis *a, enum mode x, enum mode y, enum metric m)
{
	struct pace *p = &a->paces->list[x][y][m];
	struct share *shares;
	size_t n;

	if (p->computed)
		return p->of_block;
	p->computed = true;
	shares = xcalloc(a->dataset->rows_nr, sizeof(*shares));
	p->of_block = xcalloc(a->blocks_nr, sizeof(double));
	n = find_shares(a, x, y, m, shares);
	if (!find_pace(a, shares, n, p->of_block)) {
		free(p->of_block);
		p->of_block = NULL;
	}
	free(shares);
	return p->of_block;
}

bool finding__holds(const struct finding *f)
{
	return difference__holds(f->difference);
}

bool finding__untested(const struct finding *f)
{
	return f->difference == DIFFERENCE_POINT || f->difference == DIFFERENCE_FEW;
}

static struct finding finding_of(const struct estimate *a, const struct estimate *b,
				 const struct rank_test *t, size_t tests)
{
	return (struct finding){
		.a = *a,
		.b = *b,
		.change = t->change,
		.low = t->low,
		.high = t->high,
		.coverage = t->coverage,
		.sign = t->sign,
		.p = t->p,
		.tests = tests,
		.difference = t->difference,
	};
}

/* Where one of two numbers is missing, or both. */
static struct finding unknown(const struct estimate *a, const struct estimate *b)
{
	struct rank_test t = rank_test__of(NULL, 0, NULL, 0, 1);

	return finding_of(a, b, &t, 1);
}

/* The change is that of the displayed medians, and lies inside the interval. */
static void change_of_medians(struct finding *f)
{
	if (!f->a.n || !f->b.n || !(f->b.median > 0))
		return;
	f->change = f->a.median / f->b.median - 1;
	f->sign = (f->change > 0) - (f->change < 0);
	if (!isnan(f->low) && !isnan(f->high)) {
		f->low = fmin(f->low, f->change);
		f->high = fmax(f->high, f->change);
	}
	if ((f->difference == DIFFERENCE_HIGHER && f->low <= 0) ||
	    (f->difference == DIFFERENCE_LOWER && f->high >= 0))
		f->difference = DIFFERENCE_NOISE;
}

static void read_rounds(const struct analysis *a, const struct cell *cell, enum metric m,
			const double *pace, double *values)
{
	for (size_t i = 0; i < cell->rows_nr; i++)
		values[i] = cell->rows[i].value[m] /
			    (pace ? pace[analysis__block(a, &cell->rows[i])] : 1);
}

/* The end of the interval of a cell's softirq work; its only round without one. */
static double softirq_of(const struct analysis *a, struct cell *cell, bool at_most)
{
	struct estimate e =
		analysis__estimate(a, cell, at_most ? METRIC_SOFTIRQ_AT_MOST : METRIC_SOFTIRQ);
	double end = at_most ? e.high : e.low;

	return isnan(end) ? e.median : end;
}

/*
 * Can softirq work remove or turn a difference, or does it make one for certain, or leave open more
 * than the rounds do? Also if it is unknown: its ends are NaN.
 */
static bool softirq_decides(const struct analysis *a, struct cell *x, struct cell *y, enum metric m,
			    const struct finding *f)
{
	double low = isnan(f->low) ? f->change : f->low;
	double high = isnan(f->high) ? f->change : f->high;
	double less, more;

	if (f->difference == DIFFERENCE_UNKNOWN ||
	    (m != METRIC_CPU_NS_PER_KIB && m != METRIC_CPU_S_NS_PER_KIB) ||
	    (x->rows[0].imported && !analysis__has(a, METRIC_SOFTIRQ)))
		return false;
	less = (softirq_of(a, x, false) - softirq_of(a, y, true)) / f->b.median;
	more = (softirq_of(a, x, true) - softirq_of(a, y, false)) / f->b.median;
	return !(low > 0    ? low + less > 0
		 : high < 0 ? high + more < 0
			    : low + less <= 0 && high + more >= 0 && more - less <= high - low);
}

struct finding analysis__compare_across(const struct analysis *ax, struct cell *x,
					const struct analysis *ay, struct cell *y, enum metric m,
					size_t tests)
{
	struct estimate ex = analysis__estimate(ax, x, m), ey = analysis__estimate(ay, y, m);
	const double *pace;
	struct finding f;
	struct rank_test t;
	double *values;

	if (!ex.n || !ey.n)
		return unknown(&ex, &ey);
	pace = ax == ay ? pace_for(ax, x->mode, y->mode, m) : NULL;
	values = xcalloc(x->rows_nr + y->rows_nr, sizeof(*values));
	read_rounds(ax, x, m, pace, values);
	read_rounds(ay, y, m, pace, values + x->rows_nr);
	t = rank_test__of(values, x->rows_nr, values + x->rows_nr, y->rows_nr, tests);
	free(values);
	f = finding_of(&ex, &ey, &t, tests);
	if (pace)
		change_of_medians(&f);
	f.softirq_decides = ax == ay && softirq_decides(ax, x, y, m, &f);
	return f;
}

struct finding analysis__compare_modes(const struct analysis *a, struct cell *x, struct cell *y,
				       enum metric m)
{
	struct finding f = analysis__compare(a, x, y, m);

	if (f.softirq_decides)
		f.difference = DIFFERENCE_UNKNOWN;
	return f;
}

bool analysis__has(const struct analysis *a, enum metric m)
{
	for (size_t i = 0; i < a->dataset->rows_nr; i++)
		if (!isnan(a->dataset->rows[i].value[m]))
			return true;
	return false;
}

enum metric analysis__cost(const struct analysis *a)
{
	static const enum metric costs[] = {METRIC_CPU_NS_PER_KIB, METRIC_CPU_S_NS_PER_KIB,
					    METRIC_CYCLES_PER_BYTE};

	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (analysis__has(a, costs[i]))
			return costs[i];
	return costs[0];
}

struct cell *analysis__peak(const struct analysis *a, enum mode mode, enum metric m)
{
	struct cell *peak = NULL;
	double highest = 0;

	for (struct cell *cell = a->cells; cell < a->cells + a->cells_nr; cell++) {
		struct estimate e = analysis__estimate(a, cell, m);

		if ((mode == MODE_NR || cell->mode == mode) && e.n &&
		    (!peak || e.median > highest)) {
			peak = cell;
			highest = e.median;
		}
	}
	return peak;
}

/* Would any run have the number if it were known how long the run was? */
static bool duration_helps(const struct analysis *a, enum metric m)
{
	double value[METRIC_NR];

	for (size_t i = 0; i < a->dataset->rows_nr; i++) {
		const struct dataset_row *row = &a->dataset->rows[i];

		if (!isnan(row->value[METRIC_DURATION]))
			continue;
		memcpy(value, row->value, sizeof(value));
		value[METRIC_DURATION] = 1;
		metric__derive(value, row->threads);
		if (!isnan(value[m]))
			return true;
	}
	return false;
}

const char *analysis__reason(const struct analysis *a, enum metric m)
{
	const struct dataset *d = a->dataset;

	if (d->reason[m])
		return d->reason[m];
	if (d->reason[metric__source(m)])
		return d->reason[metric__source(m)];
	if (metric__formula(m) && duration_helps(a, m))
		return "the data says neither how many bytes were moved nor for how long: give "
		       "--duration";
	return d->lacking ? d->lacking : "the data set has no such number";
}
