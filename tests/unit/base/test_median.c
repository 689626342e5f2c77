/* SPDX-License-Identifier: GPL-2.0-only */
/* The lower median against sorted arrays: all short ones, and long ones of few and of many values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/stats.h"
#include "common/splitmix.h"

/* On a copy as long as it is, so that a sanitizer sees a look behind its ends. */
static void check(const double *values, size_t n)
{
	double *sorted = malloc(n * sizeof(*sorted)), *used = malloc(n * sizeof(*used)), found;

	assert_true(sorted && used);
	memcpy(sorted, values, n * sizeof(*sorted));
	memcpy(used, values, n * sizeof(*used));
	qsort(sorted, n, sizeof(*sorted), stats__compare);
	found = median__lower(used, n);
	if (found != sorted[(n - 1) / 2])
		fail_msg("of %zu values: %g, not %g", n, found, sorted[(n - 1) / 2]);
	/* In another order they are the same. */
	qsort(used, n, sizeof(*used), stats__compare);
	assert_memory_equal(used, sorted, n * sizeof(*used));
	free(sorted);
	free(used);
}

static void every_short_array(void **state)
{
	double values[6];

	(void)state;
	for (size_t n = 1; n <= 6; n++)
		for (unsigned int code = 0; code < 1u << (2 * n); code++) {
			for (size_t i = 0; i < n; i++)
				values[i] = code >> (2 * i) & 3;
			check(values, n);
		}
}

static void long_arrays(void **state)
{
	static double values[500];
	uint64_t seed = 3;

	(void)state;
	for (int set = 0; set < 300; set++) {
		size_t n = 1 + splitmix__next(&seed) % 500;
		uint64_t kinds = set % 3 ? 1 + splitmix__next(&seed) % 20 : UINT64_MAX;

		for (size_t i = 0; i < n; i++)
			values[i] = (double)(splitmix__next(&seed) % kinds) - 7;
		check(values, n);
	}
	for (size_t i = 0; i < 500; i++)
		values[i] = (double)i;
	check(values, 500);
	check(values, 499);
	for (size_t i = 0; i < 500; i++)
		values[i] = -(double)i;
	check(values, 500);
}

static void of_none_it_is_0(void **state)
{
	(void)state;
	assert_true(median__lower(NULL, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_short_array),
		cmocka_unit_test(long_arrays),
		cmocka_unit_test(of_none_it_is_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
