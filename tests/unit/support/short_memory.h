/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that runs short: one allocation of the code under test, of the test, or of jansson fails.
 * Unit tests are linked with --wrap for what allocates, so that this has its say; libraries other
 * than jansson have memory all the time.
 */
#ifndef SUPPORT_SHORT_MEMORY_H
#define SUPPORT_SHORT_MEMORY_H

#include <stdbool.h>

/* From now on the nth allocation fails (1: the next), those before and after it do not. */
void short_memory__begin(unsigned long nth);
/* From now on none fails. Did it? */
bool short_memory__end(void);

/*
 * Calls make once for each of its allocations, which fails then, and once where none does. make
 * returns 0 with all it is to make, which it checks itself after short_memory__end(), or -ENOMEM;
 * it frees what it made. Fails the test of anything else, of a make that never gets -ENOMEM, and
 * of one that does with all memory there is.
 */
void short_memory__walk(int (*make)(void *arg), void *arg);
/* The same of every step-th allocation from the first: of what makes thousands, mostly alike. */
void short_memory__walk_by(unsigned long step, int (*make)(void *arg), void *arg);

#endif
