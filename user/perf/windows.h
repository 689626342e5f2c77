/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the CPUs for the BPF programs (bpf/perf_stage.h): opens them and puts them into the
 * programs' maps; and the pure half, from what the programs counted to what a window costs.
 */
#ifndef NETIOTRACE_PERF_STAGE_USER_H
#define NETIOTRACE_PERF_STAGE_USER_H

#include "bpf/perf_stage.h"
#include "perf_plan.h"
#include "model/result.h"

/* 1 window in so many, unless told otherwise: a prime. */
#define PERF_STAGE_EVERY 61

struct perf_stage;

/*
 * Opens the events on each CPU that is online, pinned, so that they count all the time or not at
 * all, and puts them into the maps (PERF_EVENT_ARRAY, by their descriptors). events: NULL for
 * cycles and last-level misses. 0; -errno with nothing left behind: -ENOENT or -EOPNOTSUPP without
 * a PMU, -EACCES, ...: perf_plan__reason() has the words.
 */
int perf_stage__open(struct perf_stage **out, const struct perf_spec events[NIO_PERF_EVENT_NR],
		     const int map_fds[NIO_PERF_EVENT_NR]);
void perf_stage__close(struct perf_stage *s); /* takes NULL */

/* Fills a run's windows from the cells of its slot, summed over CPUs, now minus base. Pure. */
void perf_stage__book(struct run_result *r, const struct nio_perf_cell base[NIO_PERF_WINDOW_NR],
		      const struct nio_perf_cell now[NIO_PERF_WINDOW_NR]);

/* All windows of a run are unavailable, for this (static) reason. */
void perf_stage__none(struct run_result *r, const char *reason);

/* Adds the windows of src to those of dst. */
void perf_stage__add(struct run_result *dst, const struct run_result *src);

#endif
