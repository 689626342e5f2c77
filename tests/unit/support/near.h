/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparison of numbers within a tolerance: cmocka's assert_float_equal() accepts NaN. */
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

#endif
