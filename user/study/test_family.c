/* SPDX-License-Identifier: GPL-2.0-only */
/* Families of comparisons; see test_family.h. */
#include <stdlib.h>

#include "common/xalloc.h"
#include "test_family.h"

struct test_family {
	size_t tests[TEST_FAMILY_KINDS][METRIC_NR]; /* 0: not counted yet */
};

struct test_family *test_family__new(void)
{
	return xcalloc(1, sizeof(struct test_family));
}

/* The next smaller size there is; 0: it is the smallest. */
static uint64_t smaller(const struct analysis *a, uint64_t size)
{
	for (size_t i = 1; i < a->sizes_nr; i++)
		if (a->sizes[i] == size)
			return a->sizes[i - 1];
	return 0;
}

enum test_family_kind test_family__kind(const struct analysis *a, const struct cell *x,
					const struct cell *y)
{
	if (x->size == y->size && x->threads == y->threads && x->mode != y->mode)
		return TEST_FAMILY_MODES;
	if (x->mode != y->mode)
		return TEST_FAMILY_ALONE;
	if (x->size == y->size && x->threads != y->threads &&
	    (x->threads == a->threads[0] || y->threads == a->threads[0]))
		return TEST_FAMILY_THREADS;
	if (x->threads == y->threads && x->size != y->size &&
	    (smaller(a, x->size) == y->size || smaller(a, y->size) == x->size))
		return TEST_FAMILY_SIZES;
	return TEST_FAMILY_ALONE;
}

/* With one round of either there is a point difference, and nothing is claimed. */
static bool is_test(const struct analysis *a, struct cell *x, enum mode mode, uint64_t size,
		    unsigned int threads, enum metric m)
{
	struct cell *y = analysis__cell(a, mode, size, threads);

	return y && y != x && analysis__estimate(a, x, m).n >= 2 &&
	       analysis__estimate(a, y, m).n >= 2;
}

static size_t count_cell(const struct analysis *a, struct cell *x, enum test_family_kind kind,
			 enum metric m)
{
	size_t n = 0;

	if (kind == TEST_FAMILY_THREADS)
		return is_test(a, x, x->mode, x->size, a->threads[0], m);
	if (kind == TEST_FAMILY_SIZES)
		return is_test(a, x, x->mode, smaller(a, x->size), x->threads, m);
	for (int mode = 0; mode < (int)x->mode; mode++)
		n += is_test(a, x, (enum mode)mode, x->size, x->threads, m);
	return n;
}

/* Have the two a thread count in common? */
static bool count_size(const struct analysis *a, enum mode first, enum mode second, uint64_t size,
		       enum metric m)
{
	for (size_t t = 0; t < a->threads_nr; t++) {
		struct cell *x = analysis__cell(a, first, size, a->threads[t]);

		if (x && is_test(a, x, second, size, a->threads[t], m))
			return true;
	}
	return false;
}

static size_t count(const struct analysis *a, enum test_family_kind kind, enum metric m)
{
	size_t n = 0;

	for (size_t i = 0; kind != TEST_FAMILY_MODES_OF_SIZE && i < a->cells_nr; i++)
		n += count_cell(a, &a->cells[i], kind, m);
	for (size_t i = 0; kind == TEST_FAMILY_MODES_OF_SIZE && i < a->sizes_nr; i++)
		for (int first = 1; first < MODE_NR; first++)
			for (int second = 0; second < first; second++)
				n += count_size(a, (enum mode)first, (enum mode)second, a->sizes[i],
						m);
	return n ? n : 1;
}

size_t test_family__tests(const struct analysis *a, enum test_family_kind kind, enum metric m)
{
	size_t *known;

	if (kind == TEST_FAMILY_ALONE)
		return 1;
	known = &a->family->tests[kind][m];
	if (!*known)
		*known = count(a, kind, m);
	return *known;
}
