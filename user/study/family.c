/* SPDX-License-Identifier: GPL-2.0-only */
/* What is tested together; see family.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/block_test.h"
#include "base/order.h"
#include "family.h"

/* One test: of two cells, or (cells NULL) of two modes at a size. */
struct family_test {
	const struct cell *x, *y; /* x stands behind y in the analysis */
	enum mode first, second;  /* first is the higher one */
	uint64_t size;
	enum metric metric;
	int group;
	double p;
};

/* Numbers of which modes are told apart. */
static const enum metric of_modes[] = {
	METRIC_GBPS,       METRIC_CPU_NS_PER_KIB,     METRIC_L1D_MISSES,
	METRIC_LLC_MISSES, METRIC_L1D_MISSES_PER_KIB, METRIC_LLC_MISSES_PER_KIB};
#define OF_MODES_NR (sizeof(of_modes) / sizeof(of_modes[0]))

/* Each kind of comparison by each number has noise of its own: a group of the test. */
enum group {
	GROUP_MODES,
	GROUP_SIZES = GROUP_MODES + OF_MODES_NR,
	GROUP_THREADS = GROUP_SIZES + OF_MODES_NR,
	GROUP_PER_THREAD,
	GROUP_NEIGHBOURS,
};

void family__pair(const struct analysis *a, const struct cell *x, const struct cell *y,
		  enum metric m, double *apart)
{
	size_t i, j = 0, bx, by;

	for (i = 0; i < a->blocks_nr; i++)
		apart[i] = (double)NAN;
	for (i = 0; i < x->rows_nr && j < y->rows_nr;) {
		bx = analysis__block(a, &x->rows[i]);
		by = analysis__block(a, &y->rows[j]);
		if (bx == by)
			apart[bx] = claim__apart(x->rows[i].value[m], y->rows[j].value[m]);
		i += bx <= by;
		j += by <= bx;
	}
}

int family__pair_sizes(const struct analysis *a, enum mode first, enum mode second, uint64_t size,
		       enum metric m, double *apart)
{
	double *one = array__new(a->blocks_nr, sizeof(*one));
	size_t *n = array__new(a->blocks_nr, sizeof(*n)), t, b;
	const struct cell *x, *y;

	for (b = 0; one && n && b < a->blocks_nr; b++)
		apart[b] = 0;
	for (t = 0; one && n && t < a->threads_nr; t++) {
		x = analysis__cell(a, first, size, a->threads[t]);
		y = analysis__cell(a, second, size, a->threads[t]);
		if (!x || !y)
			continue;
		family__pair(a, x, y, m, one);
		for (b = 0; b < a->blocks_nr; b++) {
			apart[b] += isnan(one[b]) ? 0 : one[b];
			n[b] += !isnan(one[b]);
		}
	}
	for (b = 0; one && n && b < a->blocks_nr; b++)
		apart[b] = n[b] ? apart[b] / (double)n[b] : (double)NAN;
	t = one && n;
	free(one);
	free(n);
	return t ? 0 : -ENOMEM;
}

/* Few rounds cannot carry a claim whatever they say: such a test only weakens the others. */
static bool has_rounds(const struct analysis *a, const double *apart)
{
	size_t n = 0;

	for (size_t b = 0; b < a->blocks_nr; b++)
		n += !isnan(apart[b]);
	return n >= claim__rounds_needed();
}

struct builder {
	struct analysis *a;
	double *values; /* tests x blocks; NULL in the first pass, which counts */
	double *apart;
	size_t nr;
	bool failed;
};

static void add(struct builder *b, const struct family_test *test)
{
	struct analysis *a = b->a;

	if (test->x)
		family__pair(a, test->x, test->y, test->metric, b->apart);
	else if (family__pair_sizes(a, test->first, test->second, test->size, test->metric,
				    b->apart))
		b->failed = true;
	if (b->failed || !has_rounds(a, b->apart))
		return;
	if (b->values) {
		memcpy(b->values + b->nr * a->blocks_nr, b->apart,
		       a->blocks_nr * sizeof(*b->apart));
		a->family[b->nr] = *test;
	}
	b->nr++;
}

static void add_cells(struct builder *b, const struct cell *x, const struct cell *y, enum metric m,
		      int group)
{
	if (x && y && x != y)
		add(b, &(struct family_test){
			       .x = x, .y = y, .metric = m, .group = group, .p = (double)NAN});
}

static const struct cell *smaller_neighbour(const struct analysis *a, const struct cell *cell)
{
	size_t i;

	for (i = 1; i < a->sizes_nr; i++)
		if (a->sizes[i] == cell->size)
			return analysis__cell(a, cell->mode, a->sizes[i - 1], cell->threads);
	return NULL;
}

/* Of a receiver on another machine no CPU time is known: the sender's is then what costs tell. */
static enum metric metric_of(const struct analysis *a, size_t i)
{
	enum metric m = of_modes[i];

	return m == METRIC_CPU_NS_PER_KIB && !analysis__has(a, m) ? METRIC_CPU_S_NS_PER_KIB : m;
}

static void add_cell(struct builder *b, const struct cell *x)
{
	const struct analysis *a = b->a;
	const struct cell *few = analysis__cell(a, x->mode, x->size, a->threads[0]);

	for (int mode = 0; mode < (int)x->mode; mode++)
		for (size_t i = 0; i < OF_MODES_NR; i++)
			add_cells(b, x, analysis__cell(a, (enum mode)mode, x->size, x->threads),
				  metric_of(a, i), GROUP_MODES + (int)i);
	add_cells(b, x, few, METRIC_GBPS, GROUP_THREADS);
	add_cells(b, x, few, METRIC_GBPS_PER_THREAD, GROUP_PER_THREAD);
	add_cells(b, x, smaller_neighbour(a, x), METRIC_GBPS, GROUP_NEIGHBOURS);
}

static void add_size(struct builder *b, uint64_t size)
{
	for (int first = 1; first < MODE_NR; first++)
		for (int second = 0; second < first; second++)
			for (size_t i = 0; i < OF_MODES_NR; i++)
				add(b, &(struct family_test){.first = (enum mode)first,
							     .second = (enum mode)second,
							     .size = size,
							     .metric = metric_of(b->a, i),
							     .group = GROUP_SIZES + (int)i,
							     .p = (double)NAN});
}

static size_t build(struct builder *b)
{
	const struct analysis *a = b->a;

	b->nr = 0;
	for (size_t i = 0; i < a->cells_nr; i++)
		add_cell(b, &a->cells[i]);
	for (size_t i = 0; a->threads_nr > 1 && i < a->sizes_nr; i++)
		add_size(b, a->sizes[i]);
	return b->nr;
}

static int compare_tests(const void *px, const void *py)
{
	const struct family_test *x = px, *y = py;
	int order = ORDER(x->x, y->x);

	order = order ? order : ORDER(x->y, y->y);
	order = order ? order : ORDER(x->metric, y->metric);
	order = order ? order : ORDER(x->size, y->size);
	order = order ? order : ORDER(x->first, y->first);
	return order ? order : ORDER(x->second, y->second);
}

static int test_all(struct analysis *a, const double *values)
{
	size_t n = a->family_nr;
	int *group = array__new(n, sizeof(*group));
	double *p = array__new(2 * n, sizeof(*p));
	struct block_test t = {.values = values,
			       .group = group,
			       .tests = n,
			       .blocks = a->blocks_nr,
			       .p = p,
			       .adjusted = p + n};
	int err = -ENOMEM;

	for (size_t i = 0; group && i < n; i++)
		group[i] = a->family[i].group;
	if (group && p)
		err = block_test__paired(&t);
	for (size_t i = 0; !err && i < n; i++)
		a->family[i].p = t.adjusted[i];
	free(group);
	free(p);
	if (!err && n)
		qsort(a->family, n, sizeof(*a->family), compare_tests);
	return err;
}

int family__find(struct analysis *a)
{
	struct builder b = {.a = a, .apart = array__new(a->blocks_nr, sizeof(double))};
	int err = -ENOMEM;

	if (!b.apart)
		return err;
	a->family_nr = a->threads_nr ? build(&b) : 0;
	a->family = array__new(a->family_nr, sizeof(*a->family));
	b.values = array__new(a->family_nr * a->blocks_nr, sizeof(double));
	if (!b.failed && a->family && b.values) {
		if (a->family_nr)
			build(&b);
		err = b.failed ? -ENOMEM : test_all(a, b.values);
	}
	free(b.values);
	free(b.apart);
	return err;
}

void family__clear(struct analysis *a)
{
	free(a->family);
	a->family = NULL;
	a->family_nr = 0;
}

static double find(const struct analysis *a, const struct family_test *key)
{
	const struct family_test *found =
		a->family_nr ? bsearch(key, a->family, a->family_nr, sizeof(*key), compare_tests)
			     : NULL;

	return found ? found->p : (double)NAN;
}

double family__p(const struct analysis *a, const struct cell *x, const struct cell *y,
		 enum metric m)
{
	struct family_test key = {.x = x, .y = y, .metric = m};
	double p = find(a, &key);

	if (!isnan(p))
		return p;
	key.x = y;
	key.y = x;
	return find(a, &key);
}

double family__p_of_size(const struct analysis *a, enum mode first, enum mode second, uint64_t size,
			 enum metric m)
{
	struct family_test key = {.first = first, .second = second, .metric = m, .size = size};

	if (first < second) {
		key.first = second;
		key.second = first;
	}
	return find(a, &key);
}
