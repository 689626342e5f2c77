/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of mode comparisons, from findings made by hand: nothing is measured, analysed or
 * tested here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/mode_comparison.h"
#include "support/test.h"

#define KIB(n) ((uint64_t)(n)*1024)

/* A claim of which only what sentences are made from is there. */
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

/* Less CPU time is better, less throughput is not. */
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
	/* From nothing to something there is no change in per cent, and more is no cheaper. */
	{{.change = NAN, .sign = 1, .difference = DIFFERENCE_POINT},
	 METRIC_CPU_NS_PER_KIB,
	 OUTCOME_POINT_BEHIND},
	{{.change = NAN, .sign = 1, .difference = DIFFERENCE_POINT},
	 METRIC_GBPS,
	 OUTCOME_POINT_AHEAD},
};

TEST(outcomes_of_claims)
{
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		assert_int_equal(mode_comparison__outcome(&outcomes[i].c, outcomes[i].metric),
				 outcomes[i].outcome);
}

struct comparison_case {
	enum metric metric;
	const struct comparison_terms *terms;
	unsigned int threads;
	struct comparison_point points[4];
	size_t points_nr, few, point_only;
	struct crossover crossovers[1];
	size_t crossovers_nr;
	const char *said[3]; /* all that is said, in order */
};

/* clang-format off */
static const struct comparison_case cases[] = {
	{METRIC_GBPS, &comparison_by_throughput, 4,
	 {{KIB(1), CLAIM(LOWER, -0.1)}, {KIB(4), CLAIM(NOISE, 0.01)}, {KIB(16), CLAIM(HIGHER, 0.133)}, {KIB(64), CLAIM(HIGHER, 11)}},
	 4, 0, 0, {{KIB(1), KIB(16), true}}, 1,
	 {"With 4 threads: one-copy faster at: 16 KiB (+13.3 %), 64 KiB (x 12.0); slower at: 1 KiB (-10.0 %); "
	  "no difference at: 4 KiB.",
	  "Crossover with 4 threads: between 1 KiB and 16 KiB, one-copy takes the lead."}},
	{METRIC_CPU_NS_PER_KIB, &comparison_by_cpu_time, 1,
	 {{KIB(1), CLAIM(LOWER, -0.1)}, {KIB(4), CLAIM(HIGHER, 0.2)}}, 2, 0, 0, {{KIB(1), KIB(4), false}}, 1,
	 {"With 1 thread, by CPU time per KiB: one-copy cheaper at: 1 KiB (-10.0 %); more expensive at: "
	  "4 KiB (+20.0 %); no difference at: nowhere.",
	  "Crossover with 1 thread, by CPU time per KiB: between 1 KiB and 4 KiB, two-copy takes the lead."}},
	{METRIC_CPU_S_NS_PER_KIB, &comparison_by_sender_cpu_time, 1,
	 {{KIB(64), CLAIM(LOWER, -0.5)}}, 1, 0, 0, {{0, 0, false}}, 0,
	 {"With 1 thread, by the sender's CPU time per KiB: one-copy cheaper at: 64 KiB (-50.0 %); more "
	  "expensive at: nowhere; no difference at: nowhere."}},
	/* With the interval where there is one. */
	{METRIC_GBPS, &comparison_by_throughput, 1,
	 {{KIB(64), {.change = 0.06, .low = 0.04, .high = 0.09, .sign = 1, .difference = DIFFERENCE_HIGHER}}}, 1, 0, 0, {{0, 0, false}}, 0,
	 {"With 1 thread: one-copy faster at: 64 KiB (+6.0 %; +4.0 % to +9.0 %); slower at: nowhere; no difference at: nowhere."}},
	/* No claim, no "faster" without a label. */
	{METRIC_GBPS, &comparison_by_throughput, 2,
	 {{KIB(1), CLAIM(POINT, 0.044)}, {KIB(4), CLAIM(POINT, -0.3)}}, 2, 0, 2, {{0, 0, false}}, 0,
	 {"With 2 threads (point differences): one-copy faster at: 1 KiB (+4.4 %); not faster at: 4 KiB (-30.0 %)."}},
	{METRIC_GBPS, &comparison_by_throughput, 2,
	 {{KIB(1), CLAIM(FEW, 0.044)}, {KIB(4), CLAIM(POINT, -0.3)}}, 2, 1, 1, {{0, 0, false}}, 0,
	 {"With 2 threads (too few rounds): one-copy faster at: 1 KiB (+4.4 %); not faster at: "
	  "4 KiB (-30.0 %)."}},
	{METRIC_GBPS, &comparison_by_throughput, 2,
	 {{KIB(1), CLAIM(FEW, 0.044)}}, 1, 1, 0, {{0, 0, false}}, 0,
	 {"With 2 threads (too few rounds): one-copy faster at: 1 KiB (+4.4 %); not faster at: nowhere."}},
};

struct headline_case {
	struct comparison_tally speed, cost;
	const char *because, *text;
};

/* What is counted of throughput: 16 cells in each case, unless stated. */
#define SPEED(...) {.terms = &comparison_by_throughput, .largest = KIB(64), __VA_ARGS__}
#define COST(...) {.terms = &comparison_by_cpu_time, .largest = KIB(64), __VA_ARGS__}

static const struct headline_case headlines[] = {
	{SPEED(.cells = 16, .ahead = 6, .behind = 4, .noise = 6, .first_size = KIB(16), .first_threads = 4,
	       .first = CLAIM(HIGHER, 0.06)),
	 COST(.cells = 16, .ahead = 9, .behind = 2, .noise = 5), ", because of X",
	 "First at 16 KiB (4 threads; +6.0 %): one-copy is faster in 6 of 16 settings (size x threads), slower in 4, "
	 "no difference in 6. By CPU time per KiB: cheaper in 9 of 16 settings, more expensive in 2, no difference in 5."},
	/* Cells of one run, among others, show no difference. */
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

TEST(comparisons_in_words)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct comparison_case x = cases[i];
		struct answer_text answer = {0};
		const struct mode_comparison comparison = {
			.first = MODE_ONECOPY,
			.second = MODE_TWOCOPY,
			.threads = x.threads,
			.metric = x.metric,
			.points = x.points,
			.points_nr = x.points_nr,
			.few = x.few,
			.point_only = x.point_only,
			.crossovers = x.crossovers,
			.crossovers_nr = x.crossovers_nr,
		};
		size_t n = 0;

		mode_comparison__say(&answer, &comparison, x.terms);
		for (; n < 3 && x.said[n]; n++) {
			assert_true(n < answer.points_nr);
			assert_string_equal(answer.points[n], x.said[n]);
		}
		assert_int_equal(answer.points_nr, n);
		answer__free(&answer);
	}
}

TEST(headlines_in_words)
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
