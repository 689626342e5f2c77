/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of mode comparisons, from findings made by hand, without data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/mode_comparison.h"
#include "support/test.h"

#define KIB(n) ((uint64_t)(n)*1024)

/* A finding with the members that sentences need. */
#define CLAIM(d, by)                                                                      \
	{                                                                                 \
		.change = (by), .low = NAN, .high = NAN, .sign = ((by) > 0) - ((by) < 0), \
		.difference = DIFFERENCE_##d                                              \
	}

struct outcome_case {
	struct finding c;
	enum metric metric;
	enum comparison_outcome outcome;
};

/* Less CPU time is better, less throughput is worse. */
static const struct outcome_case outcomes[] = {
	{CLAIM(HIGHER, 0.2), METRIC_GBPS, OUTCOME_AHEAD},
	{CLAIM(LOWER, -0.2), METRIC_GBPS, OUTCOME_BEHIND},
	{CLAIM(HIGHER, 0.2), METRIC_CPU_NS_PER_KIB, OUTCOME_BEHIND},
	{CLAIM(LOWER, -0.2), METRIC_CPU_NS_PER_KIB, OUTCOME_AHEAD},
	{CLAIM(NOISE, 0.2), METRIC_GBPS, OUTCOME_NOISE},
	{CLAIM(UNKNOWN, 0.2), METRIC_GBPS, OUTCOME_NONE},
	{CLAIM(FEW, 0.2), METRIC_GBPS, OUTCOME_POINT_AHEAD},
	{CLAIM(POINT, -0.2), METRIC_GBPS, OUTCOME_POINT_BEHIND},
	{CLAIM(POINT, -0.2), METRIC_CPU_NS_PER_KIB, OUTCOME_POINT_AHEAD},
	{CLAIM(POINT, 0), METRIC_CPU_NS_PER_KIB, OUTCOME_POINT_BEHIND},
	/* From 0 there is no relative change, and more is not cheaper. */
	{{.change = NAN, .sign = 1, .difference = DIFFERENCE_POINT},
	 METRIC_CPU_NS_PER_KIB,
	 OUTCOME_POINT_BEHIND},
	{{.change = NAN, .sign = 1, .difference = DIFFERENCE_POINT},
	 METRIC_GBPS,
	 OUTCOME_POINT_AHEAD},
};

TEST(each_finding_has_its_outcome)
{
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		assert_int_equal(mode_comparison__outcome(&outcomes[i].c, outcomes[i].metric),
				 outcomes[i].outcome);
}

/* clang-format off */
struct headline_case {
	struct comparison_tally speed, cost;
	const char *because, *text;
};

/* Counts of throughput: 16 cells in each case, unless stated. */
#define SPEED(...) {.terms = &comparison_by_throughput, .largest = KIB(64), __VA_ARGS__}
#define COST(...) {.terms = &comparison_by_cpu_time, .largest = KIB(64), __VA_ARGS__}

static const struct headline_case headlines[] = {
	{SPEED(.cells = 16, .ahead = 6, .behind = 4, .noise = 6, .first_size = KIB(16), .first_threads = 4,
	       .first = CLAIM(HIGHER, 0.06)),
	 COST(.cells = 16, .ahead = 9, .behind = 2, .noise = 5), ", because of X",
	 "First at 16 KiB (4 threads; +6.0 %): one-copy is faster in 6 of 16 settings (size x threads), slower in 4, "
	 "no difference in 6. By CPU time per KiB: cheaper in 9 of 16 settings, more expensive in 2, no difference in 5."},
	/* Cells with one run, among others, show no difference. */
	{SPEED(.cells = 16, .ahead = 6, .behind = 4, .noise = 4, .point = 2, .point_ahead = 1, .first_size = KIB(16),
	       .first = {.change = 0.06, .low = 0.04, .high = 0.09, .difference = DIFFERENCE_HIGHER}), COST(.cells = 0), "",
	 "First at 16 KiB (all thread counts together; +6.0 %; +4.0 % to +9.0 %): one-copy is faster in 6 of 16 settings "
	 "(size x threads), slower in 4, no difference in 6."},
	{SPEED(.cells = 5, .behind = 2, .noise = 1, .point = 2, .point_ahead = 1), COST(.cells = 0), ", because of X",
	 "At none up to 64 KiB, because of X: one-copy is faster in 0 of 5 settings (size x threads), slower in 2, "
	 "no difference in 3."},
	{SPEED(.cells = 4, .point = 4, .point_ahead = 3), COST(.cells = 4, .point = 4, .point_ahead = 2), "",
	 "One run per cell: one-copy is faster in 3 of 4 settings (size x threads). By CPU time per KiB: cheaper in 2 of 4 settings."},
};
/* clang-format on */

static void answer__free(struct answer_text *answer)
{
	for (size_t i = 0; i < answer->points_nr; i++)
		free(answer->points[i]);
	free(answer->points);
	free(answer->headline);
}

TEST(crossovers_name_both_sizes_and_the_new_leader)
{
	static const char *const said[] = {
		"Crossover with 4 threads, by CPU time per KiB: between 1 KiB and 16 KiB, one-copy "
		"takes the lead.",
		"Crossover with 4 threads, by CPU time per KiB: between 16 KiB and 64 KiB, "
		"two-copy "
		"takes the lead."};
	struct crossover crossovers[] = {{KIB(1), KIB(16), true}, {KIB(16), KIB(64), false}};
	const struct mode_comparison x = {.first = MODE_ONECOPY,
					  .second = MODE_TWOCOPY,
					  .threads = 4,
					  .crossovers = crossovers,
					  .crossovers_nr = 2};
	struct answer_text answer = {0};

	mode_comparison__say_crossovers(&answer, &x, &comparison_by_cpu_time);
	assert_int_equal(answer.points_nr, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(answer.points[i], said[i]);
	answer__free(&answer);
}

/* The change with or without its interval; without a difference, the size alone. */
TEST(sizes_are_listed_with_their_change)
{
	const struct finding sure = {.change = 0.06,
				     .low = 0.04,
				     .high = 0.09,
				     .difference = DIFFERENCE_HIGHER},
			     point = CLAIM(POINT, -0.3), noise = CLAIM(NOISE, 0.3);
	struct item_list list = {0};

	mode_comparison__list(&list, KIB(64), &sure);
	mode_comparison__list(&list, KIB(4), &point);
	mode_comparison__list(&list, KIB(1), &noise);
	assert_string_equal(item_list__words(&list),
			    "64 KiB (+6.0 %; +4.0 % to +9.0 %), 4 KiB (-30.0 %), 1 KiB");
}

TEST(each_comparison_has_its_headline)
{
	for (size_t i = 0; i < sizeof(headlines) / sizeof(headlines[0]); i++) {
		struct answer_text answer = {0};

		mode_comparison__headline(&answer, "One run per cell", &headlines[i].speed,
					  &headlines[i].cost, "one-copy", headlines[i].because);
		assert_string_equal(answer.headline, headlines[i].text);
		assert_int_equal(answer.answered,
				 headlines[i].speed.point != headlines[i].speed.cells);
		answer__free(&answer);
	}
}
