/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failing allocations: one allocation of the code under test, of the test, or of jansson fails.
 * Unit tests are linked with --wrap for the allocation functions; libraries other than jansson
 * never fail.
 */
#ifndef SUPPORT_SHORT_MEMORY_H
#define SUPPORT_SHORT_MEMORY_H

#include <stdbool.h>

/* From now on only the nth allocation fails (1: the next). */
void short_memory__begin(unsigned long nth);
/* From now on none fails. Returns whether one did. */
bool short_memory__end(void);

/*
 * Calls make once for each of its allocations, which then fails, and once without a failure. make
 * returns 0 with everything made and checked, after short_memory__end(), or -ENOMEM; it frees what
 * it made. Fails the test on any other result, if no call returns -ENOMEM, or if the call without a
 * failure does.
 */
void short_memory__walk(int (*make)(void *arg), void *arg);
/* The same for every step-th allocation, for code that makes thousands of similar ones. */
void short_memory__walk_by(unsigned long step, int (*make)(void *arg), void *arg);

#endif
