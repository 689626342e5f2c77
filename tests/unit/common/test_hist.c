/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms: buckets over the whole range, quantiles compared with a sorted array, extremes,
 * addition.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/hist_layout.h"
#include "bpf/netiotrace.h"
#include "common/hist.h"
#include "common/splitmix.h"
#include "support/test.h"

static uint32_t full_layout(uint32_t sub_bits)
{
	return (64 - sub_bits + 1) << sub_bits;
}

/* Every bucket begins where the previous one ends, and both its ends map back to it. */
static void check_contiguous(uint32_t sub_bits, uint32_t n_buckets)
{
	struct hist *h = hist__new(sub_bits, n_buckets);
	uint64_t low, high, expected = 0;
	uint32_t i;

	assert_non_null(h);
	for (i = 0; i < n_buckets; i++) {
		low = hist__bucket_low(h, i);
		high = hist__bucket_high(h, i);
		assert_true(low == expected);
		assert_true(high >= low);
		assert_int_equal(hist_bucket(low, sub_bits, n_buckets), i);
		assert_int_equal(hist_bucket(high, sub_bits, n_buckets), i);
		if (i + 1 < n_buckets)
			assert_true(high - low <= low >> sub_bits);
		expected = high + 1;
	}
	/* The last bucket has no upper bound. */
	assert_true(expected == 0);
	hist__free(h);
}

TEST(each_bucket_begins_where_the_last_one_ends)
{
	uint32_t sub_bits;

	for (sub_bits = 0; sub_bits <= 8; sub_bits++)
		check_contiguous(sub_bits, full_layout(sub_bits));
	check_contiguous(HIST_LATENCY_SUB_BITS, HIST_LATENCY_BUCKETS);
	check_contiguous(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	check_contiguous(3, 1);
}

TEST(latency_layout_reaches_36_minutes_and_size_layout_16_GiB)
{
	struct hist *h = hist__new_latency();
	uint64_t last = HIST_LATENCY_BUCKETS - 1;

	assert_true(hist__bucket_low(h, (uint32_t)last) > 1ULL << 40);
	assert_true(hist_bucket((1ULL << 34) - 1, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS) <
		    NIO_HIST_BUCKETS);
	assert_true(hist_bucket_low(NIO_HIST_BUCKETS, NIO_HIST_SUB_BITS) >= 1ULL << 34);
	hist__free(h);
}

TEST(log2_of_every_power_of_two_is_its_exponent)
{
	uint32_t bit;

	for (bit = 0; bit < 64; bit++) {
		assert_int_equal(hist_log2(1ULL << bit), bit);
		assert_int_equal(hist_log2((1ULL << bit) | ((1ULL << bit) - 1)), bit);
	}
}

TEST(an_impossible_layout_gives_NULL)
{
	assert_null(hist__new(5, 0));
	assert_null(hist__new(17, 64));
	assert_null(hist__new(64, 64));
	assert_null(hist__new(5, full_layout(5) + 1));
	assert_null(hist__new(5, UINT32_MAX));
	hist__free(NULL);
	assert_null(hist__dup(NULL));
}

TEST(an_empty_histogram_has_no_mean_and_quantile_0)
{
	struct hist *h = hist__new_latency();

	assert_true(h->count == 0 && h->min == UINT64_MAX && h->max == 0);
	assert_int_equal(hist__quantile(h, 0.5), 0);
	assert_true(isnan(hist__mean(h)));
	hist__free(h);
}

TEST(one_value_is_every_quantile)
{
	static const uint64_t values[] = {0,       1,          31,         32,        33,
					  1000003, 1ULL << 40, 1ULL << 50, UINT64_MAX};
	static const double quantiles[] = {0, 0.001, 0.5, 0.999, 1, -1, 2, NAN};
	struct hist *h = hist__new_latency();
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(values); i++) {
		hist__reset(h);
		hist__record(h, values[i]);
		for (j = 0; j < ARRAY_LEN(quantiles); j++)
			assert_true(hist__quantile(h, quantiles[j]) == values[i]);
		assert_true(hist__mean(h) == (double)values[i]);
	}
	hist__free(h);
}

TEST(the_largest_value_saturates_the_sum)
{
	struct hist *h = hist__new_latency();

	hist__record(h, UINT64_MAX);
	hist__record(h, UINT64_MAX);
	hist__record(h, 0);
	assert_int_equal(h->count, 3);
	assert_true(h->sum == UINT64_MAX); /* saturated, not wrapped */
	assert_int_equal(h->min, 0);
	assert_true(h->max == UINT64_MAX);
	assert_int_equal(h->buckets[0], 1);
	assert_int_equal(h->buckets[h->n_buckets - 1], 2);
	assert_int_equal(hist__quantile(h, 0.33), 0);
	hist__free(h);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_quantiles(const struct hist *h, const uint64_t *sorted, size_t n)
{
	static const double quantiles[] = {0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};
	double found, truth;
	size_t i, rank;

	for (i = 0; i < ARRAY_LEN(quantiles); i++) {
		rank = (size_t)ceil(quantiles[i] * (double)n);
		truth = (double)sorted[rank ? rank - 1 : 0];
		found = (double)hist__quantile(h, quantiles[i]);
		assert_true(fabs(found - truth) <= truth / (double)(1u << h->sub_bits));
	}
}

/* Values spread over the whole range of the layout, to cover each octave. */
TEST(quantiles_agree_with_a_sorted_array)
{
	static uint64_t values[5000];
	struct hist *h = hist__new_latency();
	uint64_t seed = 42, sum;
	size_t n, i;
	int round;

	for (round = 0; round < 100; round++) {
		n = 1 + splitmix__next(&seed) % ARRAY_LEN(values);
		hist__reset(h);
		for (i = 0, sum = 0; i < n; i++) {
			values[i] = splitmix__next(&seed) >> (24 + splitmix__next(&seed) % 40);
			hist__record(h, values[i]);
			sum += values[i];
		}
		qsort(values, n, sizeof(values[0]), compare_u64);
		assert_true(h->count == n && h->sum == sum);
		assert_true(h->min == values[0] && h->max == values[n - 1]);
		check_quantiles(h, values, n);
	}
	hist__free(h);
}

TEST(quantiles_are_nearest_rank)
{
	struct hist *h = hist__new_latency();
	uint64_t i;

	for (i = 1; i <= 10; i++)
		hist__record(h, i);
	assert_int_equal(hist__quantile(h, 0.5), 5);
	assert_int_equal(hist__quantile(h, 0.51), 6);
	assert_int_equal(hist__quantile(h, 0.9), 9);
	assert_int_equal(hist__quantile(h, 0.91), 10);
	assert_int_equal(hist__quantile(h, 0), 1);
	/* Two values of one bucket: also the smallest is its middle. */
	hist__reset(h);
	hist__record(h, 1 << 20);
	hist__record(h, (1 << 20) + 1000);
	assert_int_equal(hist__quantile(h, 0), hist__quantile(h, 0.5));
	hist__free(h);
}

TEST(sum_equals_one_histogram_of_all_values)
{
	struct hist *a = hist__new_latency(), *b = hist__new_latency(), *both = hist__new_latency();
	uint64_t seed = 7, v;
	int i;

	for (i = 0; i < 1000; i++) {
		/* Includes the first and the last bucket. */
		v = i < 9 ? 0 : i < 18 ? UINT64_MAX >> 8 : splitmix__next(&seed) >> 30;
		hist__record(i % 3 ? a : b, v);
		hist__record(both, v);
	}
	assert_int_equal(hist__add(a, b), 0);
	assert_memory_equal(a->buckets, both->buckets, a->n_buckets * sizeof(a->buckets[0]));
	assert_true(a->count == both->count && a->sum == both->sum);
	assert_true(a->min == both->min && a->max == both->max);
	/* The extremes are the smaller minimum and the larger maximum. */
	hist__reset(a);
	hist__record(a, 20);
	assert_int_equal(hist__add(a, b), 0);
	assert_true(a->min == b->min && a->max == b->max);
	hist__reset(b);
	hist__record(b, 20);
	assert_int_equal(hist__add(b, a), 0);
	assert_true(b->min == a->min && b->max == a->max);
	/* Empty plus empty is empty. */
	hist__reset(a);
	hist__reset(b);
	assert_int_equal(hist__add(a, b), 0);
	assert_true(a->min == UINT64_MAX && a->max == 0 && a->count == 0);
	hist__free(a);
	hist__free(b);
	hist__free(both);
}

TEST(adding_another_layout_is_refused)
{
	struct hist *a = hist__new(5, 100), *b = hist__new(5, 101), *c = hist__new(4, 100);

	hist__record(b, 3);
	hist__record(c, 3);
	assert_int_equal(hist__add(a, b), -EINVAL);
	assert_int_equal(hist__add(a, c), -EINVAL);
	assert_int_equal(a->count, 0);
	assert_int_equal(a->buckets[3], 0);
	hist__free(a);
	hist__free(b);
	hist__free(c);
}

TEST(add_bucket_uses_the_bounds_of_the_bucket)
{
	struct hist *h = hist__new(3, 64);
	uint32_t i = hist_bucket(100, 3, 64); /* 96..103 */

	assert_int_equal(hist__add_bucket(h, 64, 1), -EINVAL);
	assert_int_equal(hist__add_bucket(h, UINT32_MAX, 1), -EINVAL);
	assert_int_equal(hist__add_bucket(h, i, 0), 0);
	assert_true(h->count == 0 && h->min == UINT64_MAX && h->max == 0);
	assert_int_equal(hist__add_bucket(h, i, 10), 0);
	assert_int_equal(h->count, 10);
	assert_int_equal(h->min, 96);
	assert_int_equal(h->max, 103);
	assert_int_equal(h->sum, 990);
	assert_int_equal(hist__quantile(h, 0.5), 99);
	assert_int_equal(hist__add_bucket(h, 63, UINT64_MAX), 0);
	assert_true(h->sum == UINT64_MAX);
	assert_true(h->max == UINT64_MAX);
	hist__free(h);
}

TEST(a_copy_keeps_its_counts)
{
	struct hist *h = hist__new(3, 64), *copy;

	hist__record(h, 5);
	copy = hist__dup(h);
	hist__record(h, 6);
	assert_true(copy->count == 1 && copy->buckets[6] == 0 && copy->max == 5);
	hist__free(copy);
	hist__free(h);
}

/* The load generator's fast path equals the reference function. */
TEST(record_latency_equals_record)
{
	struct hist *a = hist__new_latency(), *b = hist__new_latency();
	uint64_t seed = 1, value;

	for (int shift = 0; shift < 64; shift++) {
		for (int i = 0; i < 200; i++) {
			value = splitmix__next(&seed);
			hist__record(a, value >> shift);
			hist__record_latency(b, value >> shift);
		}
		hist__record(a, 1ULL << shift);
		hist__record_latency(b, 1ULL << shift);
		hist__record(a, (1ULL << shift) - 1);
		hist__record_latency(b, (1ULL << shift) - 1);
	}
	hist__record(a, UINT64_MAX);
	hist__record_latency(b, UINT64_MAX);
	assert_memory_equal(a, b, sizeof(*a) + HIST_LATENCY_BUCKETS * sizeof(a->buckets[0]));
	hist__free(a);
	hist__free(b);
}

/* The last bucket has no upper bound, so its lower bound stands for its values. */
TEST(the_last_bucket_counts_with_its_lower_bound)
{
	struct hist *h = hist__new_latency();
	uint32_t last = h->n_buckets - 1;

	assert_int_equal(hist__add_bucket(h, last, 3), 0);
	assert_int_equal(h->sum, 3 * hist__bucket_low(h, last));
	hist__reset(h);
	assert_int_equal(hist__add_bucket(h, last - 1, 1), 0);
	assert_int_equal(h->sum,
			 hist__bucket_low(h, last - 1) / 2 + hist__bucket_high(h, last - 1) / 2);
	hist__free(h);
}
