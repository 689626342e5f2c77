/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log-linear histograms of sizes (bytes) and times (ns): the pure half, shared by the collector and
 * the load generator. Knows nothing of BPF, files or the terminal. Layout: bpf/hist_layout.h.
 */
#ifndef NETIOTRACE_HIST_H
#define NETIOTRACE_HIST_H

#include <stdbool.h>
#include <stdint.h>

/* Latencies: buckets at most 1/32 wide (3 %), values up to 2^40 ns (18 minutes). */
#define HIST_LATENCY_SUB_BITS 5
#define HIST_LATENCY_BUCKETS  1184

struct hist {
	uint32_t sub_bits;
	uint32_t n_buckets;
	uint64_t count;
	uint64_t sum;
	uint64_t min; /* UINT64_MAX while empty; a bucket bound where only buckets are known */
	uint64_t max;
	uint64_t buckets[];
};

/*
 * A new empty histogram, or NULL: memory is short, or there is no such layout (over 16 sub_bits,
 * more buckets than 64-bit values fill, none). dup(NULL) is NULL. Freed by hist__free(), which
 * takes NULL.
 */
struct hist *hist__new(uint32_t sub_bits, uint32_t n_buckets);
struct hist *hist__new_latency(void);
struct hist *hist__dup(const struct hist *h);
void hist__free(struct hist *h);

void hist__reset(struct hist *h);
void hist__record(struct hist *h, uint64_t value);

/* The same into a histogram of hist__new_latency(): a few instructions, for the path of a message.
 */
static inline void hist__record_latency(struct hist *h, uint64_t value)
{
	uint32_t i = (uint32_t)value;

	if (value >> HIST_LATENCY_SUB_BITS) {
		/* hist_bucket() of bpf/hist_layout.h, with the highest bit from one instruction. */
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

/* Adds src to dst. Both must have one layout: -EINVAL otherwise, dst then unchanged. */
int hist__add(struct hist *dst, const struct hist *src);

/*
 * Adds n events to bucket i, as read from a BPF map or a report: sum and extremes are then those of
 * the bucket's bounds (min: lower bound, max: upper bound, sum: midpoints). -EINVAL: no such
 * bucket.
 */
int hist__add_bucket(struct hist *h, uint32_t i, uint64_t n);

/*
 * The value below or at which a fraction q (0..1) of the events lies: nearest rank, then the
 * midpoint of its bucket, clamped to [min, max]. 0 when the histogram is empty: check count first.
 */
uint64_t hist__quantile(const struct hist *h, double q);
double hist__mean(const struct hist *h); /* NaN when empty */

uint64_t hist__bucket_low(const struct hist *h, uint32_t i);
/* Last value inside, inclusive. UINT64_MAX for the last bucket, which takes all that lies above. */
uint64_t hist__bucket_high(const struct hist *h, uint32_t i);

#endif
