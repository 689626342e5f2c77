/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison with files of tests/unit/support/golden/. UPDATE_GOLDEN=1 in the environment writes
 * the files instead: review the difference before a commit.
 */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

/* Fails the running test if text differs from golden/NAME.txt. */
void golden__check(const char *name, const char *text);

/* Checks only the lines in which text and base differ. A line of base begins with "- ". */
void golden__check_changes(const char *name, const char *text, const char *base);

#endif
