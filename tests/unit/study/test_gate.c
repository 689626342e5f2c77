/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of compare on made-up data: how often it fires on two equal data sets, and on one with a
 * slower cell.
 */
#include <stdio.h>
#include <string.h>

#include "compare/changes.h"
#include "support/simulated.c"
#include "support/test.h"

static void gate_metrics(bool metrics[METRIC_NR])
{
	memset(metrics, 0, METRIC_NR * sizeof(*metrics));
	metrics[METRIC_GBPS] = metrics[METRIC_CPU_NS_PER_KIB] = true;
}

TEST(gate_seldom_fires_on_equal_data)
{
	bool metrics[METRIC_NR];
	struct simulated before, after;
	struct changes c;

	gate_metrics(metrics);
	for (enum noise noise = 0; noise < NOISE_NR; noise++) {
		const struct simulated_plan p = {.noise = noise, .rounds = 7, .size = -2};
		unsigned int fired = 0, listed = 0, sets = simulated__sets() / 2;
		uint64_t seed = 3;

		for (unsigned int set = 0; set < sets; set++) {
			simulated__make(&before, &p, &seed);
			simulated__make(&after, &p, &seed);
			changes__find(&c, &before.a, &after.a, metrics, NULL);
			assert_int_equal(c.gated, 96);
			fired += changes__regressions(&c, 0) > 0;
			listed += c.of_kind[CHANGE_BETTER] + c.of_kind[CHANGE_WORSE] > 0;
			changes__clear(&c);
			simulated__clear(&before);
			simulated__clear(&after);
		}
		printf("gate on the same, %s noise: %u of %u; anything listed: %u\n",
		       noise_names[noise], fired, sets, listed);
		simulated__check_at_most(fired, sets, 0.05);
		/* Each of the two metrics may be wrong in 5 % of the comparisons. */
		simulated__check_at_most(listed, sets, 0.1);
	}
}

TEST(gate_fires_on_a_regression)
{
	const struct simulated_plan good = {.rounds = SIMULATED_ROUNDS, .size = -2};
	const struct simulated_plan bad = {.rounds = SIMULATED_ROUNDS,
					   .effect = -4 * SIMULATED_NOISE,
					   .size = 1,
					   .threads = 0};
	bool metrics[METRIC_NR];
	struct simulated before, after;
	unsigned int fired = 0, sets = 20;
	uint64_t seed = 5;
	struct changes c;

	gate_metrics(metrics);
	for (unsigned int set = 0; set < sets; set++) {
		simulated__make(&before, &good, &seed);
		simulated__make(&after, &bad, &seed);
		changes__find(&c, &before.a, &after.a, metrics, NULL);
		fired += changes__regressions(&c, 0.05) > 0;
		changes__clear(&c);
		simulated__clear(&before);
		simulated__clear(&after);
	}
	printf("gate on 20 %% less in one cell of 48: %u of %u\n", fired, sets);
	simulated__check_at_least(fired, sets, 0.9);
}
