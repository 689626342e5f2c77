/* SPDX-License-Identifier: GPL-2.0-only */
/* Two modes of a session, compared; see comparison.h. Knows no words. */
#include <math.h>

#include "comparison.h"

/* 2 / C(n + m, n), of one round at least each: 1 where there are no more, it is certain then. */
static double separation_p(unsigned int n, unsigned int m)
{
	double p = 2;

	for (unsigned int i = 1; i <= n; i++)
		p *= (double)i / (m + i);
	return p;
}

static enum comparison_outcome judge(const struct comparison *c, const struct spread *a,
				     const struct spread *b)
{
	if (a->low <= b->high && b->low <= a->high)
		return COMPARISON_NOISE;
	if (c->p > COMPARISON_LEVEL)
		return COMPARISON_FEW;
	return a->median > b->median ? COMPARISON_HIGHER : COMPARISON_LOWER;
}

struct comparison comparison__of(const struct mode_summary *first,
				 const struct mode_summary *second)
{
	const struct spread *a = &first->throughput_gbps, *b = &second->throughput_gbps;
	struct comparison c = {.change = (double)NAN, .p = (double)NAN};

	if (!a->n || !b->n || !(b->median > 0) || first->size != second->size ||
	    first->threads != second->threads)
		return c;
	c.change = a->median / b->median - 1;
	c.rounds = (unsigned int)a->n;
	c.other_rounds = (unsigned int)b->n;
	c.p = separation_p(c.rounds, c.other_rounds);
	c.outcome = judge(&c, a, b);
	return c;
}
