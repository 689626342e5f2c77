/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison of numbers within a tolerance: cmocka's assert_float_equal() accepts NaN. Known and
 * unknown numbers (base/num.h).
 */
#ifndef SUPPORT_NEAR_H
#define SUPPORT_NEAR_H

#include <math.h>

#include "support/test.h"

#define NEAR(value, expected, within)                                                       \
	do {                                                                                \
		double value_ = (value);                                                    \
		if (!(fabs(value_ - (expected)) <= (within)))                               \
			fail_msg("%s is %.6g, not %g", #value, value_, (double)(expected)); \
	} while (0)

/* A known struct num or struct real. */
#define assert_num(n, expected)                        \
	do {                                           \
		assert_true((n).known);                \
		assert_int_equal((n).value, expected); \
	} while (0)
#define assert_real(n, expected)                      \
	do {                                          \
		assert_true((n).known);               \
		assert_true((n).value == (expected)); \
	} while (0)

#define assert_near(n, expected)                 \
	do {                                     \
		assert_true((n).known);          \
		NEAR((n).value, expected, 1e-6); \
	} while (0)

/* Unknown, with this reason; or with any. */
#define assert_unknown(n, why)                        \
	do {                                          \
		assert_false((n).known);              \
		assert_string_equal((n).reason, why); \
	} while (0)
#define assert_no_number(n)                  \
	do {                                 \
		assert_false((n).known);     \
		assert_non_null((n).reason); \
	} while (0)

#endif
