/* SPDX-License-Identifier: GPL-2.0-only */
/* The arithmetic of counters inside the stages: from what programs counted to what a window costs.
 */
#ifndef NETIOTRACE_LEDGER_PERF_H
#define NETIOTRACE_LEDGER_PERF_H

#include "bpf/perf_stage.h"
#include "result.h"

/*
 * Fills a run's windows from the cells of its slot, summed over CPUs, now minus base. no_llc: why
 * last-level misses were not counted, a static string; NULL: they were.
 */
void ledger_perf__book(struct run_result *r, const struct nio_perf_cell base[NIO_PERF_WINDOW_NR],
		       const struct nio_perf_cell now[NIO_PERF_WINDOW_NR], const char *no_llc);

/* All windows of a run are unavailable, for this (static) reason. */
void ledger_perf__none(struct run_result *r, const char *reason);

/* Adds the windows of src to those of dst. */
void ledger_perf__add(struct run_result *dst, const struct run_result *src);

#endif
