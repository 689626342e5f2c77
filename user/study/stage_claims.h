/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From which stage a difference in CPU time comes: each class of sampled CPU time of each mode
 * against that of two-copy, as claims. Pure.
 *
 * Few rounds of a cell are sampled, in a sweep one of three. So a pair here is one sampled round of
 * one cell, of the mode and of two-copy, and what is claimed is of all cells together. The interval
 * of the median difference is between order statistics (base/estimate.h), which is exact for
 * independent pairs. All T classes of all modes are compared together: there is a difference only
 * if the interval of coverage 1 - 5 % / T is wholly above or below 0.
 */
#ifndef NETIOTRACE_STAGE_CLAIMS_H
#define NETIOTRACE_STAGE_CLAIMS_H

#include "analysis.h"

struct stage_claim {
	enum mode mode;
	enum cpu_class class;
	struct estimate paired; /* of the difference to two-copy in a pair, ns per KiB */
	enum difference difference;
};

struct stage_claims {
	bool both; /* of sender and receiver together; else of the sender, whose receiver is away */
	size_t pairs;                                    /* rounds of two-copy that were sampled */
	struct stage_claim list[MODE_NR * CPU_CLASS_NR]; /* classes that occur; largest first */
	size_t nr;
};

/* 0 or -ENOMEM. */
int stage_claims__make(struct stage_claims *s, const struct analysis *a);

/* The metric of a class, as the claims have it. */
enum metric stage_claims__metric(const struct stage_claims *s, enum cpu_class c);

#endif
