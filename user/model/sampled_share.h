/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of bytes, from events seen in windows at random moments, with 95 % intervals. Pure.
 *
 * Time in which all events were seen (whole) is exact. Of the rest, the windows are a sample. Four
 * things make the interval of a kind:
 *
 * - Student's t times the standard error by the differences between windows.
 * - n windows that agree leave open what happened outside of them: up to 1 - 0.05^(1/n) of the
 * bytes that they stand for may be of any kind.
 * - The sockets counted E bytes in the rest, and the windows stand for W bytes. Where the two
 * differ, a burst of bytes lies between windows (W < E) or counts many times (W > E): |E - W| bytes
 * may be of any one kind.
 * - Bytes that were seen are of their kind.
 *
 * The weakness: a burst that was missed and one that counts many times may cancel each other in E -
 * W.
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
	double seen[SAMPLED_PARTS]; /* in windows, each byte once */
	/* The time between windows, by the time that the windows stand for; 0: the same. */
	double scale;
	double sum[SAMPLED_PARTS], cross[SAMPLED_PARTS][SAMPLED_PARTS]; /* of windows, weighted */
};

/* Intervals wider than this are no answer. */
#define SAMPLED_USEFUL 0.2
/* From this width of its interval on, an estimate of bytes is no figure: its lower end is shown. */
#define SAMPLED_WIDE 0.4

struct sampled_share {
	bool known; /* else no byte was seen, and the interval is all */
	double share, low, high;
};

/*
 * Adds the bytes of each part in a window that stands for `weight` times the time that was seen;
 * whole: in time in which all events were seen. all: mask of the parts that add up to the bytes of
 * all.
 */
void sampled_sums__add(struct sampled_sums *s, const double bytes[SAMPLED_PARTS], uint32_t all,
		       bool whole, double weight);

/* The share of the parts in mask `of` in those of mask `all`. total: their bytes, seen or not. */
struct sampled_share sampled_share__of(const struct sampled_sums *s, uint32_t of, uint32_t all,
				       double total);

#endif
