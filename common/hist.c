/* SPDX-License-Identifier: GPL-2.0-only */
/* Log-linear histograms: recording, merging, quantiles. No I/O. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "xalloc.h"
#include "bpf/hist_layout.h"

/* Above any layout in use; keeps every shift below 64 bits. */
#define HIST_SUB_BITS_MAX 16

static size_t hist_bytes(uint32_t n_buckets)
{
	return sizeof(struct hist) + n_buckets * sizeof(uint64_t);
}

/* Sums saturate: a wrapped sum would give a plausible but wrong mean. */
static void add_to_sum(struct hist *h, uint64_t value, uint64_t n)
{
	uint64_t product;

	if (__builtin_mul_overflow(value, n, &product) ||
	    __builtin_add_overflow(h->sum, product, &h->sum))
		h->sum = UINT64_MAX;
}

static void widen(struct hist *h, uint64_t min, uint64_t max)
{
	if (min < h->min)
		h->min = min;
	if (max > h->max)
		h->max = max;
}

struct hist *hist__new(uint32_t sub_bits, uint32_t n_buckets)
{
	struct hist *h;

	if (!(sub_bits <= HIST_SUB_BITS_MAX && n_buckets > 0 &&
	      n_buckets <= (64 - sub_bits + 1) << sub_bits))
		return NULL;
	h = xmalloc(hist_bytes(n_buckets));
	h->sub_bits = sub_bits;
	h->n_buckets = n_buckets;
	hist__reset(h);
	return h;
}

struct hist *hist__new_latency(void)
{
	return hist__new(HIST_LATENCY_SUB_BITS, HIST_LATENCY_BUCKETS);
}

struct hist *hist__dup(const struct hist *h)
{
	return h ? memcpy(xmalloc(hist_bytes(h->n_buckets)), h, hist_bytes(h->n_buckets)) : NULL;
}

void hist__free(struct hist *h)
{
	free(h);
}

void hist__reset(struct hist *h)
{
	h->count = 0;
	h->sum = 0;
	h->min = UINT64_MAX;
	h->max = 0;
	memset(h->buckets, 0, h->n_buckets * sizeof(h->buckets[0]));
}

void hist__record(struct hist *h, uint64_t value)
{
	hist__record_many(h, value, 1);
}

void hist__record_many(struct hist *h, uint64_t value, uint64_t n)
{
	h->buckets[hist_bucket(value, h->sub_bits, h->n_buckets)] += n;
	h->count += n;
	add_to_sum(h, value, n);
	widen(h, value, value);
}

int hist__add(struct hist *dst, const struct hist *src)
{
	if (dst->sub_bits != src->sub_bits || dst->n_buckets != src->n_buckets)
		return -EINVAL;
	for (uint32_t i = 0; i < dst->n_buckets; i++)
		dst->buckets[i] += src->buckets[i];
	dst->count += src->count;
	add_to_sum(dst, src->sum, 1);
	widen(dst, src->min, src->max);
	return 0;
}

uint64_t hist__bucket_middle(const struct hist *h, uint32_t i)
{
	uint64_t low = hist__bucket_low(h, i);

	if (i == h->n_buckets - 1)
		return low;
	return low + (hist__bucket_high(h, i) - low) / 2;
}

int hist__add_bucket(struct hist *h, uint32_t i, uint64_t n)
{
	if (i >= h->n_buckets)
		return -EINVAL;
	if (!n)
		return 0;
	h->buckets[i] += n;
	h->count += n;
	add_to_sum(h, hist__bucket_middle(h, i), n);
	widen(h, hist__bucket_low(h, i), hist__bucket_high(h, i));
	return 0;
}

/* Nearest rank in 1..count, also for q = NaN and after rounding. */
static uint64_t quantile_rank(uint64_t count, double q)
{
	double rank;

	if (!(q > 0))
		return 1;
	if (q >= 1)
		return count;
	rank = ceil(q * (double)count);
	if (rank >= (double)count)
		return count;
	return (uint64_t)rank; /* at least 1, as q * count > 0 */
}

static uint64_t clamp_to_seen(const struct hist *h, uint64_t value)
{
	if (value < h->min)
		return h->min;
	return value > h->max ? h->max : value;
}

uint64_t hist__quantile(const struct hist *h, double q)
{
	uint64_t rank, seen = 0;

	if (!h->count)
		return 0;
	rank = quantile_rank(h->count, q);
	for (uint32_t i = 0; i < h->n_buckets; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			return clamp_to_seen(h, hist__bucket_middle(h, i));
	}
	return h->max;
}

double hist__mean(const struct hist *h)
{
	return h->count ? (double)h->sum / (double)h->count : (double)NAN;
}

uint32_t hist__bucket(const struct hist *h, uint64_t value)
{
	return hist_bucket(value, h->sub_bits, h->n_buckets);
}

uint64_t hist__bucket_low(const struct hist *h, uint32_t i)
{
	return hist_bucket_low(i, h->sub_bits);
}

uint64_t hist__bucket_high(const struct hist *h, uint32_t i)
{
	return i >= h->n_buckets - 1 ? UINT64_MAX : hist_bucket_low(i + 1, h->sub_bits) - 1;
}
