/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns numbers that may be unknown. An unknown number has a reason and is never printed as 0. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline uint64_t u64__least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t u64__most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The difference; 0 if it is below. */
static inline uint64_t u64__minus(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static inline uint64_t u64__sum(const uint64_t *values, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* An unsigned number. reason: a static string, set if the number is unknown. */
struct num {
	uint64_t value;
	bool known;
	const char *reason;
};

struct real {
	double value;
	bool known;
	const char *reason;
};

static inline struct num num__known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static inline struct num num__unknown(const char *reason)
{
	return (struct num){.reason = reason};
}

/* Unknown, with the reason if there is one; else the number. */
static inline struct num num__unless(const char *reason, uint64_t value)
{
	return reason ? num__unknown(reason) : num__known(value);
}

static inline struct real real__known(double value)
{
	return (struct real){.value = value, .known = true};
}

static inline struct real real__unknown(const char *reason)
{
	return (struct real){.reason = reason};
}

/* To the nearest whole number; below 2^52. */
static inline struct num num__rounded(struct real r)
{
	return (struct num){(uint64_t)(r.value + 0.5), r.known, r.reason};
}

/* The sum of two numbers; unknown, with the reason of the first that is. A sum keeps a reason. */
static inline struct num num__sum(struct num a, struct num b)
{
	if (!a.known)
		return a;
	if (!b.known)
		return b;
	return (struct num){a.value + b.value, true, a.reason ? a.reason : b.reason};
}

/* Adds src to dst: objects of size bytes that consist of 64-bit counts alone. */
static inline void num__add_counts(void *dst, const void *src, size_t size)
{
	const uint64_t *from = src;
	uint64_t *to = dst;

	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] += from[i];
}

struct flag {
	bool value;
	bool known;
	const char *reason;
};

/* Median and extremes over rounds. */
struct spread {
	double median, low, high;
	unsigned int n; /* 0: unknown */
};

#endif
