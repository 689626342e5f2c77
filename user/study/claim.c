/* SPDX-License-Identifier: GPL-2.0-only */
/* When something may be claimed; see claim.h. Knows no words. */
#include <math.h>

#include "base/block_test.h"
#include "claim.h"

double claim__apart(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	return a == b ? 0 : 2 * (a - b) / (fabs(a) + fabs(b));
}

double claim__as_change(double apart)
{
	return apart < 2 ? (2 + apart) / (2 - apart) - 1 : (double)NAN;
}

static struct estimate as_changes(const struct estimate *apart)
{
	struct estimate e = *apart;

	e.median = claim__as_change(apart->median);
	e.low = claim__as_change(apart->low);
	e.high = claim__as_change(apart->high);
	return e;
}

static enum difference of_sign(double x)
{
	if (x == 0 || isnan(x))
		return DIFFERENCE_NOISE;
	return x > 0 ? DIFFERENCE_HIGHER : DIFFERENCE_LOWER;
}

static int sign_of(double x)
{
	return (x > 0) - (x < 0);
}

static enum difference judge(const struct claim *c, const struct estimate *apart)
{
	if (!c->a.n || !c->b.n)
		return DIFFERENCE_UNKNOWN;
	if (apart->n < 2)
		return DIFFERENCE_POINT;
	if (apart->n < claim__rounds_needed())
		return DIFFERENCE_FEW;
	if (c->rule != CLAIM_INTERVAL)
		return c->p <= CLAIM_LEVEL ? of_sign(apart->median) : DIFFERENCE_NOISE;
	if (apart->low > 0 || apart->high < 0)
		return of_sign(apart->median);
	return DIFFERENCE_NOISE;
}

struct claim claim__make(const struct estimate *a, const struct estimate *b, double *apart,
			 size_t n, double p)
{
	struct estimate e = estimate__of(apart, n);
	struct claim c = {
		.a = *a,
		.b = *b,
		.paired = as_changes(&e),
		.p = p,
		.rule = isnan(p) ? CLAIM_INTERVAL : CLAIM_FAMILY,
	};

	c.change = b->median == 0 ? (double)NAN : c.paired.median;
	c.sign = sign_of(e.n ? e.median : claim__apart(a->median, b->median));
	/* No round in common: what can be said is the change of the medians, as a point. */
	if (!e.n && a->n && b->n && b->median != 0)
		c.change = a->median / b->median - 1;
	c.difference = judge(&c, &e);
	return c;
}

struct claim claim__of_stage(const struct estimate *a, const struct estimate *b, double *difference,
			     size_t n, double p)
{
	struct claim c = {
		.a = *a,
		.b = *b,
		.paired = estimate__of(difference, n),
		.change = (double)NAN,
		.p = p,
		.rule = CLAIM_STAGES,
	};

	c.sign = sign_of(c.paired.median);
	c.difference = judge(&c, &c.paired);
	return c;
}

static double turn(double change)
{
	return change > -1 ? 1 / (1 + change) - 1 : (double)NAN;
}

struct claim claim__turned(const struct claim *c)
{
	struct claim t = *c;

	t.a = c->b;
	t.b = c->a;
	t.paired.median = turn(c->paired.median);
	t.paired.low = turn(c->paired.high);
	t.paired.high = turn(c->paired.low);
	t.change = turn(c->change);
	t.sign = -c->sign;
	if (claim__holds(c))
		t.difference =
			c->difference == DIFFERENCE_HIGHER ? DIFFERENCE_LOWER : DIFFERENCE_HIGHER;
	return t;
}

bool claim__holds(const struct claim *c)
{
	return c->difference == DIFFERENCE_HIGHER || c->difference == DIFFERENCE_LOWER;
}

const char *claim__of_how_little(const struct claim *c)
{
	if (c->a.n <= 1 && c->b.n <= 1)
		return "one run each";
	return c->paired.n ? "one round in common" : "no round in common";
}

unsigned int claim__rounds_needed(void)
{
	unsigned int n = 2;

	while (block_test__paired_floor(n) > CLAIM_LEVEL)
		n++;
	return n;
}
