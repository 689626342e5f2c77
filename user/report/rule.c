/* SPDX-License-Identifier: GPL-2.0-only */
/* The rule of base/rank_test.h in words; see rule.h. */
#include "base/rank_test.h"
#include "rule.h"
#include "study/test_family.h"

#define put(d, ...) doc__put(d, DOC_PARAGRAPH, __VA_ARGS__)

void rule__write(struct doc *d, const struct analysis *a)
{
	static const char *const rule[] = {
		"Divide each value by the pace of its round. The pace is the median, over the runs "
		"of the other modes in that round, of value / median of its cell. With fewer than "
		"4 such runs in a round, no value is divided. run and compare do not divide.",
		"Divide each of the n rounds of A by each of the m rounds of B, and sort the n x m "
		"quotients.",
		"The interval of A / B runs from the k-th smallest to the k-th largest quotient. k "
		"is the largest rank with 2 P(U < k) <= 5 % / T, where U is Mann and Whitney's U "
		"of n and m rounds.",
		"There is a difference only if the whole interval is above 1 or the whole interval "
		"is below 1.",
		"T is the number of comparisons that are made together: here all of one number "
		"between modes, between thread counts, or between sizes.",
		"If no k is possible, there are too few rounds; one round each has no interval.",
	};
	size_t tests = test_family__tests(a, TEST_FAMILY_MODES, METRIC_GBPS);
	size_t rounds = a->rounds_max;

	put(d, "run, report and compare call two numbers different by this rule:");
	for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++)
		put(d, "%zu. %s", i + 1, rule[i]);
	put(d,
	    "Here T is %zu for throughput between modes, so that %u rounds of each are needed. "
	    "Where nothing differs, any of the T comparisons is called different in at most "
	    "%.0f "
	    "%% of reports.",
	    tests, rank_test__rounds_needed(tests), 100 * RANK_LEVEL);
	if (rounds < 2)
		put(d, "One run per cell: no number has an interval, and a difference may be "
		       "chance.");
	else
		put(d,
		    "Numbers are medians over the rounds. Brackets, and the bars of the "
		    "pictures, "
		    "are the interval between two rounds that holds the true median in "
		    "%.1f %% of "
		    "cases with %zu rounds.",
		    100 * estimate__coverage(rounds), rounds);
}
