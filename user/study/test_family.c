/* SPDX-License-Identifier: GPL-2.0-only */
/* Families of comparisons; see test_family.h. */
#include "test_family.h"

static bool follow(const struct analysis *a, const struct cell *x, const struct cell *y)
{
	return analysis__smaller(a, x->size) == y->size || analysis__smaller(a, y->size) == x->size;
}

enum test_family_kind test_family__kind(const struct analysis *a, const struct cell *x,
					const struct cell *y)
{
	bool same_size = x->size == y->size, same_threads = x->threads == y->threads;

	if (x->mode != y->mode)
		return same_size && same_threads ? TEST_FAMILY_MODES : TEST_FAMILY_ALONE;
	if (same_size && !same_threads &&
	    (x->threads == a->threads[0] || y->threads == a->threads[0]))
		return TEST_FAMILY_THREADS;
	return same_threads && !same_size && follow(a, x, y) ? TEST_FAMILY_SIZES
							     : TEST_FAMILY_ALONE;
}

/* With one round of either nothing is claimed. */
static bool is_test(const struct analysis *a, struct cell *x, struct cell *y, enum metric m)
{
	return x && y && y != x && analysis__estimate(a, x, m).n >= 2 &&
	       analysis__estimate(a, y, m).n >= 2;
}

/* The tests of a cell against others that come before it. */
static size_t count_cell(const struct analysis *a, struct cell *x, enum test_family_kind kind,
			 enum metric m)
{
	size_t n = 0;

	if (kind == TEST_FAMILY_THREADS)
		return is_test(a, x, analysis__cell(a, x->mode, x->size, a->threads[0]), m);
	if (kind == TEST_FAMILY_SIZES)
		return is_test(
			a, x, analysis__cell(a, x->mode, analysis__smaller(a, x->size), x->threads),
			m);
	for (enum mode mode = 0; mode < x->mode; mode++)
		n += is_test(a, x, analysis__peer(a, x, mode), m);
	return n;
}

static size_t count(const struct analysis *a, enum test_family_kind kind, enum metric m)
{
	size_t n = 0;

	for (size_t i = 0; i < a->cells_nr; i++)
		n += count_cell(a, &a->cells[i], kind, m);
	return n ? n : 1;
}

size_t test_family__tests(const struct analysis *a, enum test_family_kind kind, enum metric m)
{
	size_t *known;

	if (kind == TEST_FAMILY_ALONE)
		return 1;
	known = &a->tests[kind][m];
	if (!*known)
		*known = count(a, kind, m);
	return *known;
}

struct finding analysis__compare(const struct analysis *a, struct cell *x, struct cell *y,
				 enum metric m)
{
	size_t tests = x && y ? test_family__tests(a, test_family__kind(a, x, y), m) : 1;

	return analysis__compare_across(a, x, a, y, m, tests);
}
