/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report says first: was zero-copy zero-copy, which mode is fastest, which cheapest. Pure.
 */
#ifndef NETIOTRACE_FIRST_SCREEN_H
#define NETIOTRACE_FIRST_SCREEN_H

#include "analysis.h"

/* "No. The kernel copied all 1 204 113 sends after all: ..."; owned by the caller; NULL: memory. */
char *first_screen__zerocopy(const struct analysis *a);

/*
 * By size, over all thread counts: "two-copy at 1 KiB and 4 KiB; no difference at 16 KiB". m:
 * METRIC_GBPS or a CPU time. Owned by the caller; NULL: out of memory.
 */
char *first_screen__best(const struct analysis *a, enum metric m);

#endif
