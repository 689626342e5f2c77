/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A claim: that one thing's number is higher or lower than another's, with what it rests on and the
 * rule by which it may be made, or may not. Pure: sentences are made from claims, elsewhere.
 *
 * Two cells are compared within their rounds: a round is a block in which both were measured, so
 * that a drift of the machine from round to round is in both and cancels.
 */
#ifndef NETIOTRACE_CLAIM_H
#define NETIOTRACE_CLAIM_H

#include "base/estimate.h"

/* Of all claims of a report that are made by CLAIM_FAMILY, any is false in at most this share. */
#define CLAIM_LEVEL 0.05

enum difference {
	DIFFERENCE_UNKNOWN, /* one of the two has no value */
	DIFFERENCE_POINT,   /* at most one round has both: a point difference, nothing is claimed */
	DIFFERENCE_FEW,     /* so few rounds that no test of theirs can reach CLAIM_LEVEL */
	DIFFERENCE_NOISE,   /* not to be told apart */
	DIFFERENCE_HIGHER,  /* claimed: the first is higher than the second */
	DIFFERENCE_LOWER,
};

enum claim_rule {
	/* One of the family of all claims of the report: block_test__paired(), adjusted p. */
	CLAIM_FAMILY,
	/* Beside a claim, as its description: the interval of the change in a round excludes 0. */
	CLAIM_INTERVAL,
	/* One of the family of stages, with CLAIM_LEVEL of its own: stage_claims.h, adjusted p. */
	CLAIM_STAGES,
};

struct claim {
	/* Evidence. */
	struct estimate a, b;   /* over all rounds of each */
	struct estimate paired; /* of the change within a round; n: rounds that have both */
	double change;          /* its median, a / b - 1; NaN: unknown, or b is 0 */
	/* Which way the difference points, claimed or not, also where b is 0: 1, -1, or 0. */
	int sign;
	double p; /* adjusted in the family; NaN: not in it */
	/* Judgement. */
	enum claim_rule rule;
	enum difference difference;
};

/*
 * How much the first is above the second, within a round: (a - b) / mean(a, b). Changes its sign
 * when they change places, as a paired test needs, and exists where one is 0. NaN: one is unknown.
 */
double claim__apart(double a, double b);

/* That, as a / b - 1. NaN where b is 0. */
double claim__as_change(double apart);

/*
 * Judges: apart are n values of claim__apart(), NaN for rounds that have not both. p: in the
 * family, NaN: not in it. a and b are kept as evidence; apart is put in order.
 */
struct claim claim__make(const struct estimate *a, const struct estimate *b, double *apart,
			 size_t n, double p);

/*
 * Judges absolute differences a - b, n of them, by CLAIM_STAGES: paired is of these, and there is
 * no change. NaN and order as above.
 */
struct claim claim__of_stage(const struct estimate *a, const struct estimate *b, double *difference,
			     size_t n, double p);

/* The same, said of the second against the first; not of a stage. */
struct claim claim__turned(const struct claim *c);

/* Is it claimed, either way? */
bool claim__holds(const struct claim *c);

/*
 * What a point difference is made of: "one run each", or of more runs "one round in common", "no
 * round in common".
 */
const char *claim__of_how_little(const struct claim *c);

/* The fewest rounds of which anything can be claimed. */
unsigned int claim__rounds_needed(void);

#endif
