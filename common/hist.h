/* SPDX-License-Identifier: GPL-2.0-only */
/* Log-linear histograms of sizes (bytes) and times (ns). Layout: bpf/hist_layout.h. No I/O. */
#ifndef COMMON_HIST_H
#define COMMON_HIST_H

#include <stdint.h>

/* Latencies: buckets at most 1/32 wide (3 %), values below 2^41 ns (36 minutes). */
#define HIST_LATENCY_SUB_BITS 5
#define HIST_LATENCY_BUCKETS  1184

struct hist {
	uint32_t sub_bits;
	uint32_t n_buckets;
	uint64_t count;
	uint64_t sum;
	uint64_t min; /* UINT64_MAX if empty; after hist__add_bucket() a bucket bound */
	uint64_t max;
	uint64_t buckets[];
};

/*
 * A new histogram; NULL: an invalid layout (more than 16 sub_bits, no bucket, or more buckets than
 * 64-bit values fill). hist__dup(NULL) is NULL. The caller frees with hist__free(), which takes
 * NULL.
 */
struct hist *hist__new(uint32_t sub_bits, uint32_t n_buckets);
struct hist *hist__new_latency(void);
struct hist *hist__dup(const struct hist *h);
void hist__free(struct hist *h);

void hist__reset(struct hist *h);
void hist__record(struct hist *h, uint64_t value);
void hist__record_many(struct hist *h, uint64_t value, uint64_t n); /* n events of one value */

/* For histograms of hist__new_latency(): a few instructions, for the message path. */
static inline void hist__record_latency(struct hist *h, uint64_t value)
{
	uint32_t i = (uint32_t)value;

	if (value >> HIST_LATENCY_SUB_BITS) {
		/* As hist_bucket() in bpf/hist_layout.h, but with clz. */
		uint32_t shift = 63 - (uint32_t)__builtin_clzll(value) - HIST_LATENCY_SUB_BITS;

		i = (shift << HIST_LATENCY_SUB_BITS) + (uint32_t)(value >> shift);
		if (i >= HIST_LATENCY_BUCKETS)
			i = HIST_LATENCY_BUCKETS - 1;
	}
	h->buckets[i]++;
	h->count++;
	if (__builtin_add_overflow(h->sum, value, &h->sum))
		h->sum = UINT64_MAX;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

/* Adds src to dst. -EINVAL: the layouts differ, and dst is unchanged. */
int hist__add(struct hist *dst, const struct hist *src);

/*
 * Adds n events to bucket i. min, max and sum then use its lower bound, upper bound and midpoint.
 * -EINVAL: no such bucket.
 */
int hist__add_bucket(struct hist *h, uint32_t i, uint64_t n);

/* The value at quantile q (0..1): nearest rank, bucket midpoint, within [min, max]; 0 if empty. */
uint64_t hist__quantile(const struct hist *h, double q);
double hist__mean(const struct hist *h); /* NaN if empty */

uint32_t hist__bucket(const struct hist *h, uint64_t value); /* the bucket of a value */
uint64_t hist__bucket_low(const struct hist *h, uint32_t i);
/* Highest value of bucket i (inclusive). UINT64_MAX for the last bucket. */
uint64_t hist__bucket_high(const struct hist *h, uint32_t i);
/* The value that represents bucket i. The last one has no upper bound, so its lower bound. */
uint64_t hist__bucket_middle(const struct hist *h, uint32_t i);

#endif
