/* SPDX-License-Identifier: GPL-2.0-only */
/* What may be claimed of two modes of one session. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "model/comparison.h"

struct comparison_case {
	const char *what;
	struct spread first, second; /* median, low, high, rounds */
	enum comparison_outcome outcome;
	double p;
};

/* clang-format off */
static const struct comparison_case cases[] = {
	{"apart, five rounds", {20, 19, 21, 5}, {30, 28, 32, 5}, COMPARISON_LOWER, 2.0 / 252},
	{"apart, the other way", {30, 28, 32, 5}, {20, 19, 21, 5}, COMPARISON_HIGHER, 2.0 / 252},
	{"four rounds are enough", {20, 19, 21, 4}, {30, 28, 32, 4}, COMPARISON_LOWER, 2.0 / 70},
	{"three are not", {20, 19, 21, 3}, {30, 28, 32, 3}, COMPARISON_FEW, 0.1},
	{"nor are two", {20, 19, 21, 2}, {30, 28, 32, 2}, COMPARISON_FEW, 2.0 / 6},
	{"nor is one", {20, 20, 20, 1}, {30, 30, 30, 1}, COMPARISON_FEW, 1},
	{"one against five", {20, 20, 20, 1}, {30, 28, 32, 5}, COMPARISON_FEW, 2.0 / 6},
	{"rounds overlap", {20, 19, 29, 5}, {30, 28, 32, 5}, COMPARISON_NOISE, 2.0 / 252},
	{"they touch", {20, 19, 28, 5}, {30, 28, 32, 5}, COMPARISON_NOISE, 2.0 / 252},
	{"they touch from above", {30, 28, 32, 5}, {20, 19, 28, 5}, COMPARISON_NOISE, 2.0 / 252},
	{"two against six", {20, 19, 21, 2}, {30, 28, 32, 6}, COMPARISON_FEW, 2.0 / 28},
	{"three against six", {20, 19, 21, 3}, {30, 28, 32, 6}, COMPARISON_LOWER, 2.0 / 84},
	{"six against three", {30, 28, 32, 6}, {20, 19, 21, 3}, COMPARISON_HIGHER, 2.0 / 84},
	{"less than 1 Gbit/s", {0.4, 0.3, 0.5, 5}, {0.8, 0.7, 0.9, 5}, COMPARISON_LOWER, 2.0 / 252},
	{"none of the other", {30, 28, 32, 5}, {0, 0, 0, 0}, COMPARISON_NONE, (double)NAN},
	{"no rounds", {0, 0, 0, 0}, {30, 28, 32, 5}, COMPARISON_NONE, (double)NAN},
	{"nothing was sent", {20, 19, 21, 5}, {0, 0, 0, 5}, COMPARISON_NONE, (double)NAN},
};
/* clang-format on */

static void claims_by_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct comparison_case *x = &cases[i];
		const struct mode_summary a = {.size = 1024,
					       .threads = 1,
					       .throughput_gbps = x->first},
					  b = {.size = 1024,
					       .threads = 1,
					       .throughput_gbps = x->second};
		struct comparison c = comparison__of(&a, &b);

		print_message("  %s\n", x->what);
		assert_int_equal(c.outcome, x->outcome);
		assert_true(isnan(x->p) ? isnan(c.p) : fabs(c.p - x->p) < 1e-12);
	}
}

static void a_comparison_says_what_it_rests_on(void **state)
{
	const struct mode_summary a = {.throughput_gbps = {30, 28, 32, 6}},
				  b = {.throughput_gbps = {20, 19, 21, 3}},
				  none = {.throughput_gbps = {0, 0, 0, 3}};
	struct comparison c = comparison__of(&a, &b);

	(void)state;
	assert_true(fabs(c.change - 0.5) < 1e-12);
	assert_int_equal(c.rounds, 6);
	assert_int_equal(c.other_rounds, 3);
	c = comparison__of(&none, &b);
	assert_true(c.change == -1);
	assert_int_equal(c.outcome, COMPARISON_FEW);
	assert_true(isnan(comparison__of(&a, &none).change));
}

static void other_sizes_are_not_compared(void **state)
{
	const struct spread s = {20, 19, 21, 5};
	const struct mode_summary a = {.size = 1024, .threads = 1, .throughput_gbps = s},
				  b = {.size = 4096, .threads = 1, .throughput_gbps = s},
				  d = {.size = 1024, .threads = 2, .throughput_gbps = s};

	(void)state;
	assert_int_equal(comparison__of(&a, &b).outcome, COMPARISON_NONE);
	assert_int_equal(comparison__of(&a, &d).outcome, COMPARISON_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_by_rule),
		cmocka_unit_test(a_comparison_says_what_it_rests_on),
		cmocka_unit_test(other_sizes_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
