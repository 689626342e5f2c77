/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds on what simulations find; see simulated.h. */
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "simulated.h"
#include "support/test.h"

#define ALL_SETS 1000

unsigned int simulated__sets(void)
{
	const char *sets = getenv("NETIOTRACE_CLAIM_SETS");

	return sets ? (unsigned int)strtoul(sets, NULL, 10) : ALL_SETS;
}

static double chance(unsigned int n, double share)
{
	return simulated__sets() < ALL_SETS ? 3 * sqrt(n * share * (1 - share)) : 0;
}

void simulated__check_at_most(unsigned int found, unsigned int n, double share)
{
	assert_true(found <= n * share + chance(n, share));
}

void simulated__check_at_least(unsigned int found, unsigned int n, double share)
{
	assert_true(found >= n * share - chance(n, share));
}
