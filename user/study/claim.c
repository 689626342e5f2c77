/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims; see claim.h. Knows no words. */
#include <math.h>

#include "claim.h"

struct claim claim__make(const struct estimate *a, const struct estimate *b,
			 const struct rank_test *t, size_t tests)
{
	return (struct claim){
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

struct claim claim__unknown(const struct estimate *a, const struct estimate *b)
{
	return (struct claim){
		.a = *a,
		.b = *b,
		.change = (double)NAN,
		.low = (double)NAN,
		.high = (double)NAN,
		.coverage = (double)NAN,
		.p = (double)NAN,
		.tests = 1,
		.difference = DIFFERENCE_UNKNOWN,
	};
}

bool claim__holds(const struct claim *c)
{
	return difference__holds(c->difference);
}

const char *claim__of_how_little(const struct claim *c)
{
	return c->a.n <= 1 && c->b.n <= 1 ? "one run each" : "one run of one of them";
}
