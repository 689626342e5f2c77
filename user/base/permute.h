/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permutations of the marks of n blocks, one after another, for permutation tests: signs (1, -1)
 * and arrangements of two groups (0, 1). Pure; what is drawn comes from a splitmix state.
 */
#ifndef NETIOTRACE_PERMUTE_H
#define NETIOTRACE_PERMUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many: 2^(n-1), exact up to the limit and else anything beyond it. The first block keeps its
 * sign: a two-sided statistic does not tell all signs from their opposites. */
size_t permute__sign_count(size_t n, size_t limit);

/* The signs number 0 (all 1) to 2^(n-1) - 1, into marks whose first is 1. */
void permute__signs(signed char *mark, size_t n, size_t number);

/* Signs by chance, into marks whose first is 1. */
void permute__draw_signs(signed char *mark, size_t n, uint64_t *state);

/* n over k: arrangements of k ones among n. */
double permute__choose(size_t n, size_t k);

/* The next one in order, zeros before ones being the first; false after the last. n > 0 */
bool permute__next(signed char *mark, size_t n);

/* An arrangement by chance (Fisher and Yates). n > 0 */
void permute__shuffle(signed char *mark, size_t n, uint64_t *state);

#endif
