/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison with files of tests/unit/support/golden/. With UPDATE_GOLDEN=1 in the environment the
 * files are written instead: look at the difference before committing it.
 */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

/* Fails the running test when text is not what golden/NAME.txt holds. */
void golden__check(const char *name, const char *text);

#endif
