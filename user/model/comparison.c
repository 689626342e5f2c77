/* SPDX-License-Identifier: GPL-2.0-only */
/* Two modes of a session; see comparison.h. Knows no words. */
#include <stdlib.h>

#include "common/xalloc.h"
#include "comparison.h"

static size_t rounds_of(const struct result *r, enum mode mode, double *gbps)
{
	size_t n = 0;

	for (size_t i = 0; i < r->runs_nr; i++) {
		struct real v = run_result__gbps(&r->runs[i]);

		if (r->runs[i].mode == mode && v.known)
			gbps[n++] = v.value;
	}
	return n;
}

void comparison__of(struct rank_test *t, const struct result *r, enum mode first, enum mode second)
{
	double *a = xcalloc(r->runs_nr, sizeof(*a)), *b = xcalloc(r->runs_nr, sizeof(*b));

	*t = rank_test__of(a, rounds_of(r, first, a), b, rounds_of(r, second, b), 1);
	/* Nothing was sent in half of the rounds and more: that has no quotient. */
	if (!(t->b > 0))
		t->difference = DIFFERENCE_UNKNOWN;
	free(a);
	free(b);
}
