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
	for (size_t i = 0; i < n; i++) {
		struct rank_test t;

		if (!modes[i].n || &modes[i] == best)
			continue;
		t = rank_test__of(best->values, best->n, modes[i].values, modes[i].n, 1);
		r.early |= t.difference == DIFFERENCE_POINT || t.difference == DIFFERENCE_FEW;
		r.ties[modes[i].mode] = !difference__holds(t.difference);
	}
	return r;
}
