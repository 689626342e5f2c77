/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permutation tests of many differences at once, on rounds as blocks: how often chance alone makes
 * any of them as large. Pure and deterministic.
 *
 * A family is a set of tests that are claimed together. Its adjusted p is the chance that any test
 * of the family looks like this although nothing differs: Holm's step-down, with the joint
 * permutation distribution of the largest statistic instead of a sum of single chances (Westfall
 * and Young, Resampling-Based Multiple Testing, 1993, 2.8). Holm over the p of single tests could
 * claim nothing of 7 rounds: their smallest p is 1/64, and 16 tests want one below 1/320.
 *
 * The statistic is |mean| over its standard error. Few rounds tell little of a test's own variance,
 * so half of the weight and more is the median variance of the tests of its group (numbers of one
 * kind). Values beyond BLOCK_TEST_CLIP times the group's median distance count as that far: one
 * wild round does not hide the others. Both are computed anew in each permutation, so that the p is
 * exact whatever the distribution.
 */
#ifndef NETIOTRACE_BLOCK_TEST_H
#define NETIOTRACE_BLOCK_TEST_H

#include <stdbool.h>
#include <stddef.h>

#define BLOCK_TEST_CLIP 6.0

/* All permutations where these are not more, else as many, drawn from a fixed seed. */
#define BLOCK_TEST_PERMUTATIONS 4096

struct block_test {
	const double *values; /* tests x blocks, test by test; NaN: not measured */
	const int *group;     /* of each test, from 0 */
	size_t tests, blocks;
	double *p;        /* of each test; NaN: it has no value */
	double *adjusted; /* in its family, which is all of them */
};

/*
 * Values are differences of two things measured in the same block (of opposite sign when the two
 * change places). Under the null hypothesis a block's differences may all change their sign
 * together: shocks of a block that hit all its tests, and drift from block to block, do no harm. n
 * blocks have 2^(n-1) permutations, two-sided: no p is below 2^(1-n). 0 or -ENOMEM.
 */
int block_test__paired(struct block_test *t);

/*
 * The first `before` blocks are of one group, the rest of another; under the null hypothesis whole
 * blocks may change places. one_sided: only being higher in the second group counts. p is that of
 * the statistic among all tests of its group of numbers in all permutations, which is what a false
 * discovery rate needs of few blocks (Storey and Tibshirani 2003); one-sided tests are made for
 * their family and have none. 0 or -ENOMEM.
 */
int block_test__two_samples(struct block_test *t, size_t before, bool one_sided);

/* The smallest p that this many blocks can give: what no such test can go below. */
double block_test__paired_floor(size_t blocks);
double block_test__two_samples_floor(size_t before, size_t after, bool one_sided);

/*
 * Benjamini and Hochberg 1995: the largest p that may be called a discovery so that of those called
 * ones at most this share is expected to be false; -1: none may, NaN: out of memory. NaN are no
 * tests.
 */
double block_test__discovery_limit(const double *p, size_t n, double share);

#endif
