/* SPDX-License-Identifier: GPL-2.0-only */
/* Permutations: each in its turn and once, the counts that say how many there are, and what is
 * drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/permute.h"

/* As long as it is, so that a sanitizer sees a look behind its ends. */
static signed char *marks(size_t n)
{
	signed char *mark = malloc(n);

	assert_non_null(mark);
	memset(mark, 1, n);
	return mark;
}

/* The marks as a number: which of them are 1. */
static unsigned int code_of(const signed char *mark, size_t n)
{
	unsigned int code = 0;

	for (size_t i = 0; i < n; i++)
		code = code * 2 + (mark[i] == 1);
	return code;
}

static void signs_are_counted_up_to_the_limit(void **state)
{
	(void)state;
	assert_int_equal(permute__sign_count(1, 1000), 1);
	assert_int_equal(permute__sign_count(2, 1000), 2);
	assert_int_equal(permute__sign_count(10, 1000), 512);
	assert_int_equal(permute__sign_count(10, 512), 512);
	assert_true(permute__sign_count(11, 1000) > 1000);
	assert_true(permute__sign_count(1000, 1000) > 1000);
}

static void each_number_has_its_signs(void **state)
{
	enum { N = 6 };
	signed char *mark = marks(N);
	bool seen[1 << N] = {false};

	(void)state;
	for (size_t number = 0; number < 1u << (N - 1); number++) {
		permute__signs(mark, N, number);
		for (size_t i = 0; i < N; i++)
			assert_true(mark[i] == 1 || mark[i] == -1);
		assert_int_equal(mark[0], 1);
		assert_false(seen[code_of(mark, N)]);
		seen[code_of(mark, N)] = true;
	}
	permute__signs(mark, N, 0);
	assert_int_equal(code_of(mark, N), (1 << N) - 1);
	free(mark);
}

static void drawn_signs_are_even(void **state)
{
	enum { N = 9, DRAWS = 4000 };
	signed char *mark = marks(N);
	size_t positive[N] = {0};
	uint64_t seed = 5;

	(void)state;
	for (int draw = 0; draw < DRAWS; draw++) {
		permute__draw_signs(mark, N, &seed);
		for (size_t i = 0; i < N; i++) {
			assert_true(mark[i] == 1 || mark[i] == -1);
			positive[i] += mark[i] == 1;
		}
	}
	assert_int_equal(positive[0], DRAWS);
	/* Of one seed: five standard deviations are 158. */
	for (size_t i = 1; i < N; i++)
		assert_in_range(positive[i], DRAWS / 2 - 158, DRAWS / 2 + 158);
	free(mark);
}

static void binomials(void **state)
{
	double row[31] = {1};

	(void)state;
	for (size_t n = 0; n <= 30; n++) {
		for (size_t k = 0; k <= n; k++)
			assert_true(permute__choose(n, k) == row[k]);
		/* The next row of Pascal's triangle. */
		for (size_t k = n + 1; k && n < 30; k--)
			row[k] += row[k - 1];
	}
}

/* Every arrangement of k ones among n, in the order of the numbers they are, zeros first. */
static void every_arrangement_comes_once(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 7; n++)
		for (size_t k = 0; k <= n; k++) {
			signed char *mark = marks(n);
			unsigned int last, code;
			double count = 1;

			memset(mark, 0, n - k);
			last = code_of(mark, n);
			while (permute__next(mark, n)) {
				code = code_of(mark, n);
				assert_true(code > last);
				assert_int_equal(__builtin_popcount(code), k);
				last = code;
				count++;
			}
			assert_true(count == permute__choose(n, k));
			free(mark);
		}
}

static void shuffled_are_all_alike(void **state)
{
	enum { N = 5, K = 2, KINDS = 10, DRAWS = 5000 };
	signed char *mark = marks(N);
	size_t seen[1 << N] = {0}, kinds = 0;
	uint64_t seed = 7;

	(void)state;
	memset(mark, 0, N - K);
	for (int draw = 0; draw < DRAWS; draw++) {
		permute__shuffle(mark, N, &seed);
		assert_int_equal(__builtin_popcount(code_of(mark, N)), K);
		seen[code_of(mark, N)]++;
	}
	for (size_t code = 0; code < 1u << N; code++) {
		if (!seen[code])
			continue;
		kinds++;
		/* Of one seed: five standard deviations are 106. */
		assert_in_range(seen[code], DRAWS / KINDS - 106, DRAWS / KINDS + 106);
	}
	assert_int_equal(kinds, KINDS);
	free(mark);
}

/* A shuffle begins from whatever was: from one arrangement alone each of the others is as likely.
 */
static void shuffled_from_one_start(void **state)
{
	enum { N = 4, DRAWS = 4000 };
	size_t where[N] = {0};
	uint64_t seed = 9;

	(void)state;
	for (int draw = 0; draw < DRAWS; draw++) {
		signed char mark[N] = {0, 0, 0, 1};

		permute__shuffle(mark, N, &seed);
		for (size_t i = 0; i < N; i++)
			where[i] += mark[i] == 1;
	}
	/* Of one seed: five standard deviations are 137. */
	for (size_t i = 0; i < N; i++)
		assert_in_range(where[i], DRAWS / N - 137, DRAWS / N + 137);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_are_counted_up_to_the_limit),
		cmocka_unit_test(each_number_has_its_signs),
		cmocka_unit_test(drawn_signs_are_even),
		cmocka_unit_test(binomials),
		cmocka_unit_test(every_arrangement_comes_once),
		cmocka_unit_test(shuffled_are_all_alike),
		cmocka_unit_test(shuffled_from_one_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
