/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU counters for the BPF programs (bpf/perf_stage.h), which read them from maps. */
#ifndef PERF_STAGE_H
#define PERF_STAGE_H

#include "bpf/perf_stage.h"
#include "perf_plan.h"
#include "model/result.h"

/* Default: 1 pass in 61 is counted. A prime. */
#define PERF_STAGE_EVERY 61

struct perf_stage;

/*
 * Opens pinned events on each online CPU and stores them in the maps. Map -1: skips the event,
 * whose counts stay 0. events NULL: cycles and last-level cache misses. 0; -errno, for
 * perf_plan__reason(): then no event is left open.
 */
int perf_stage__open(struct perf_stage **out, const struct perf_spec events[NIO_PERF_EVENT_NR],
		     const int map_fds[NIO_PERF_EVENT_NR]);
void perf_stage__close(struct perf_stage *s); /* takes NULL; while the maps are open */

#endif
