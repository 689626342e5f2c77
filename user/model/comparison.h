/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A claim of one session: that a mode's throughput is higher or lower than another's, with what it
 * rests on. The sentence is made from it elsewhere (screen/text_comparison.c). Pure.
 */
#ifndef NETIOTRACE_COMPARISON_H
#define NETIOTRACE_COMPARISON_H

#include "result.h"

/* Of comparisons in which nothing differs, at most this share is called a difference. */
#define COMPARISON_LEVEL 0.05

enum comparison_outcome {
	COMPARISON_NONE,   /* other sizes or threads, or a mode without throughput */
	COMPARISON_NOISE,  /* the rounds of the two overlap */
	COMPARISON_FEW,    /* they do not, but so few rounds often do not by chance */
	COMPARISON_HIGHER, /* claimed: the first is above the second */
	COMPARISON_LOWER,
};

struct comparison {
	double change;                     /* of the medians, first / second - 1 */
	unsigned int rounds, other_rounds; /* of the first, of the second */
	double p;                          /* that rounds of equals stand apart like this */
	enum comparison_outcome outcome;
};

/*
 * first against second. Rule: no round of one reaches the rounds of the other, and that happens by
 * chance in at most COMPARISON_LEVEL of all cases: 2 / C(n + m, n) of n and m rounds, the smallest
 * p of Mann and Whitney's test, whatever the noise. Three rounds each have 0.1, four 0.029.
 */
struct comparison comparison__of(const struct mode_summary *first,
				 const struct mode_summary *second);

#endif
