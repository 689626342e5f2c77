/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). The same
 * numbers on every machine, unlike rand(3).
 */
#ifndef COMMON_SPLITMIX_H
#define COMMON_SPLITMIX_H

#include <stdint.h>

/* Mixes x; a bijection on 64 bits. */
static inline uint64_t splitmix__mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline uint64_t splitmix__next(uint64_t *state)
{
	return splitmix__mix(*state += 0x9e3779b97f4a7c15ULL);
}

#endif
