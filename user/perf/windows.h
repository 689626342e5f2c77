/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the CPUs for the BPF programs (bpf/perf_stage.h): opens them and puts them into the
 * programs' maps. What they counted is read by model/ledger_perf.h.
 */
#ifndef NETIOTRACE_WINDOWS_H
#define NETIOTRACE_WINDOWS_H

#include "bpf/perf_stage.h"
#include "perf_plan.h"
#include "model/result.h"

/* 1 window in so many, unless set otherwise: a prime. */
#define PERF_STAGE_EVERY 61

struct perf_stage;

/*
 * Opens the events on each CPU that is online, pinned, so that they count all the time or not at
 * all, and puts them into the maps (PERF_EVENT_ARRAY, by their descriptors; -1: without this event,
 * whose counts stay 0). events: NULL for cycles and last-level misses. 0; -errno with nothing left
 * behind: -ENOENT or -EOPNOTSUPP without a PMU, -EACCES, ...: perf_plan__reason() has the words.
 */
int perf_stage__open(struct perf_stage **out, const struct perf_spec events[NIO_PERF_EVENT_NR],
		     const int map_fds[NIO_PERF_EVENT_NR]);
void perf_stage__close(struct perf_stage *s); /* takes NULL */

#endif
