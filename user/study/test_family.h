/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many comparisons of a data set are made together, and so share the level of
 * base/rank_test.h: all of one kind, by one number. Pure.
 */
#ifndef STUDY_TEST_FAMILY_H
#define STUDY_TEST_FAMILY_H

#include "analysis.h"

/* The kind of a comparison, independent of its direction. */
enum test_family_kind test_family__kind(const struct analysis *a, const struct cell *x,
					const struct cell *y);

/* The number of comparisons of this kind with two or more rounds on both sides; at least 1. */
size_t test_family__tests(const struct analysis *a, enum test_family_kind kind, enum metric m);

#endif
