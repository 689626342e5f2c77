/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Maps values to log-linear histogram buckets: 2^sub_bits equal buckets for each power of two.
 * Values below 2^sub_bits have their own bucket.
 *
 *   sub_bits 3: buckets 12.5 % wide (in BPF maps)
 *   sub_bits 5: buckets 3.1 % wide (latencies; midpoint within 1.6 %)
 */
#ifndef BPF_HIST_LAYOUT_H
#define BPF_HIST_LAYOUT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Position of the highest set bit; v must not be 0. No clz: BPF before v4 has none. */
static inline __u32 hist_log2(__u64 v)
{
	__u32 r = 0;

	if (v >= 1ULL << 32) {
		v >>= 32;
		r += 32;
	}
	if (v >= 1U << 16) {
		v >>= 16;
		r += 16;
	}
	if (v >= 1U << 8) {
		v >>= 8;
		r += 8;
	}
	if (v >= 1U << 4) {
		v >>= 4;
		r += 4;
	}
	if (v >= 1U << 2) {
		v >>= 2;
		r += 2;
	}
	return r + (v >= 2);
}

/* Bucket of value v; values beyond the last bucket fall into it. */
static inline __u32 hist_bucket(__u64 v, __u32 sub_bits, __u32 n_buckets)
{
	__u32 log2, i;

	if (v < 1ULL << sub_bits)
		return v;
	log2 = hist_log2(v);
	i = ((log2 - sub_bits + 1) << sub_bits) +
	    ((v >> (log2 - sub_bits)) & ((1U << sub_bits) - 1));
	return i < n_buckets ? i : n_buckets - 1;
}

static inline __u64 hist_bucket_low(__u32 i, __u32 sub_bits)
{
	__u32 octave = i >> sub_bits;

	if (!octave)
		return i;
	return ((1ULL << sub_bits) + (i & ((1U << sub_bits) - 1))) << (octave - 1);
}

#endif
