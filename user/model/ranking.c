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

/* Tests one pair: a mode that another is ahead of is no tie. */
static void compare(struct ranking *r, const struct ranked_mode *a, const struct ranked_mode *b,
		    bool higher_is_better, size_t tests)
{
	struct rank_test t = rank_test__of(a->values, a->n, b->values, b->n, tests);

	r->early |= t.difference == DIFFERENCE_POINT || t.difference == DIFFERENCE_FEW;
	if (!difference__holds(t.difference))
		return;
	r->ties[(t.sign > 0) == higher_is_better ? b->mode : a->mode] = false;
	r->all_tie = false;
}

struct ranking ranking__of(const struct ranked_mode *modes, size_t n, bool higher_is_better,
			   size_t tests)
{
	struct ranking r = {.needed = rank_test__rounds_needed(tests)};
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
	r.early = !tests;
	if (r.early)
		return r;
	r.all_tie = true;
	for (size_t i = 0; i < n; i++)
		r.ties[modes[i].mode] = modes[i].n && &modes[i] != best;
	for (size_t i = 0; i < n; i++)
		for (size_t other = 0; other < i; other++)
			compare(&r, &modes[i], &modes[other], higher_is_better, tests);
	return r;
}
