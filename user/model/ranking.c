/* SPDX-License-Identifier: GPL-2.0-only */
/* The best mode; see ranking.h. */
#include "ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/rank_test.h"
#include "base/stats.h"
#include "common/xalloc.h"

static double median_of(const struct ranked_mode *m)
{
	double *values = xcalloc(m->n, sizeof(*values)), median;

	memcpy(values, m->values, m->n * sizeof(*values));
	median = stats__spread(values, m->n).median;
	free(values);
	return median;
}

static struct rank_test test(const struct ranked_mode *a, const struct ranked_mode *b)
{
	return rank_test__of(a->values, a->n, b->values, b->n, 1);
}

static bool is_worse(const struct ranked_mode *m, const struct ranked_mode *than,
		     bool higher_is_better)
{
	struct rank_test t = test(m, than);

	return difference__holds(t.difference) && t.sign == (higher_is_better ? -1 : 1);
}

static bool is_early(const struct ranked_mode *m, const struct ranked_mode *best)
{
	enum difference difference = test(best, m).difference;

	return m->n && m != best &&
	       (difference == DIFFERENCE_POINT || difference == DIFFERENCE_FEW);
}

struct ranking ranking__of(const struct ranked_mode *modes, size_t n, bool higher_is_better)
{
	struct ranking r = {.known = 0};
	const struct ranked_mode *best = NULL;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double value = modes[i].n ? median_of(&modes[i]) : 0;

		if (!modes[i].n)
			continue;
		r.rounds = r.known++ && r.rounds < modes[i].n ? r.rounds : modes[i].n;
		if (best && (higher_is_better ? value <= most : value >= most))
			continue;
		best = &modes[i];
		most = value;
	}
	if (!best)
		return r;
	r.best = best->mode;
	for (size_t i = 0; i < n; i++)
		r.ties[modes[i].mode] = modes[i].n && &modes[i] != best;
	for (size_t i = 0; i < n; i++)
		for (size_t other = 0; other < n; other++)
			if (is_worse(&modes[i], &modes[other], higher_is_better))
				r.ties[modes[i].mode] = false;
	for (size_t i = 0; i < n; i++)
		r.early |= is_early(&modes[i], best);
	return r;
}
