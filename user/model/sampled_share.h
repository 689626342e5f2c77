/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of bytes, from events seen in windows at random moments, with intervals that hold. Pure.
 *
 * Time in which all events were seen (whole) is exact. Of the rest, the windows are a sample. The
 * half width is Student's t times the standard error by the differences between windows. Besides, n
 * windows that agree leave open what happened outside of them: up to 1 - 0.05^(1/n) of the bytes
 * may be of any kind.
 */
#ifndef MODEL_SAMPLED_SHARE_H
#define MODEL_SAMPLED_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLED_PARTS 10

/* Sums over windows, of the bytes of some parts. Zeroed: none. */
struct sampled_sums {
	size_t windows; /* with bytes */
	double whole[SAMPLED_PARTS];
	double sum[SAMPLED_PARTS], cross[SAMPLED_PARTS][SAMPLED_PARTS]; /* of windows, weighted */
};

/* Intervals wider than this are no answer. */
#define SAMPLED_USEFUL 0.2

struct sampled_share {
	bool known; /* else no byte was seen, and the interval is all */
	double share, low, high;
};

/*
 * Adds the bytes of each part in a window that stands for `weight` times its length; whole: in time
 * in which all events were seen. all: mask of the parts that add up to the bytes of all.
 */
void sampled_sums__add(struct sampled_sums *s, const double bytes[SAMPLED_PARTS], uint32_t all,
		       bool whole, double weight);

/* The share of the parts in mask `of` in those of mask `all`. total: their bytes, seen or not. */
struct sampled_share sampled_share__of(const struct sampled_sums *s, uint32_t of, uint32_t all,
				       double total);

#endif
