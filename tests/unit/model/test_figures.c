/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a result is shown: each loss by itself is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "model/figures.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static void each_loss_is_one(void **state)
{
	struct health h, none = {0};
	struct num *const each[] = {&h.missed, &h.dropped, &h.map_full, &h.unmatched, &h.anomalies};

	(void)state;
	none.missed = none.dropped = none.map_full = none.unmatched = none.anomalies = known(0);
	assert_false(figures__any_loss(&none));
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		h = none;
		*each[i] = known(1);
		assert_true(figures__any_loss(&h));
		/* What is not known is no loss. */
		each[i]->known = false;
		assert_false(figures__any_loss(&h));
	}
}

/* "Linux" is said once, whoever read the release, also where nothing follows it. */
static void kernels_are_named_once(void **state)
{
	static const char *const cases[][2] = {
		{"Linux 6.12.1", "Linux 6.12.1"}, {"6.12.1", "Linux 6.12.1"},
		{"Linux 6", "Linux 6"},           {"Linuxlike", "Linux Linuxlike"},
		{"Linux ", "kernel unknown"},     {"", "kernel unknown"}};
	struct environment env = {0};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(env.kernel, sizeof(env.kernel), "%s", cases[i][0]);
		assert_string_equal(figures__kernel(buf, sizeof(buf), &env), cases[i][1]);
	}
}

static void loads_in_words(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(figures__load(buf, sizeof(buf), 65536, 8, 1),
			    "64 KiB in 8 fields, 1 thread");
	assert_string_equal(figures__load(buf, sizeof(buf), 64, 1, 2),
			    "64 B in 1 field, 2 threads");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loss_is_one),
		cmocka_unit_test(kernels_are_named_once),
		cmocka_unit_test(loads_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
