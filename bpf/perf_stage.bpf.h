/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Reads performance counters at both ends of a window (bpf/perf_stage.h).
 *
 *   perf_begin(&state->perf, NIO_PERF_PIN);             in the fentry program
 *   perf_end(&state->perf, NIO_PERF_PIN, bytes);        in the fexit program
 *
 * For tracing, kprobe and raw_tp programs. With nio_perf_every = 0 the verifier removes this code.
 */
#ifndef BPF_PERF_STAGE_BPF_H
#define BPF_PERF_STAGE_BPF_H

#include "kernel.bpf.h"
#include "perf_stage.h"

#define PERF_CURRENT_CPU 0xffffffffULL /* BPF_F_CURRENT_CPU */
#define PERF_ENOENT      2

/* Sample 1 window in nio_perf_every; set before loading. A prime avoids beats with patterns. */
const volatile __u32 nio_perf_every;

/* One event per CPU, added by perf_stage__open(). libbpf creates an entry for each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} nio_perf_cycles SEC(".maps")
, nio_perf_llc SEC(".maps");

NIO_MAP(nio_perf_cells, ARRAY, NIO_PERF_WINDOW_NR, BPF_F_MMAPABLE, __u32, struct nio_perf_cell);

/* The fields of task_struct that are read here: a CO-RE flavour. */
struct task_struct___switches {
	unsigned long nvcsw, nivcsw;
} __attribute__((preserve_access_index));

static __always_inline __u64 perf_switches(void)
{
	const struct task_struct___switches *task = (const void *)bpf_get_current_task();

	return BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
}

static __always_inline long perf_read(struct nio_perf_reading *at)
{
	long err;

	err = bpf_perf_event_read_value(&nio_perf_cycles, PERF_CURRENT_CPU,
					(void *)&at[NIO_PERF_CYCLES], sizeof(*at));
	if (err)
		return err;
	err = bpf_perf_event_read_value(&nio_perf_llc, PERF_CURRENT_CPU,
					(void *)&at[NIO_PERF_LLC_MISSES], sizeof(*at));
	/* The PMU has no such event: user space added none, and reports that. */
	return err == -PERF_ENOENT ? 0 : err;
}

/* A window begins. The reading comes last, so that the sample excludes this code. */
static __always_inline void perf_begin(struct nio_perf_open *open, enum nio_perf_window window)
{
	__u32 i = of_this_cpu(NIO_PERF_WINDOW_NR, window);
	struct nio_perf_cell *cell;
	__u64 seen;

	open->sampled = 0;
	if (!nio_perf_every)
		return;
	cell = bpf_map_lookup_elem(&nio_perf_cells, &i);
	if (!cell)
		return;
	seen = cell->windows;
	__sync_fetch_and_add(&cell->windows, 1);
	if (!nio_perf_due(seen, nio_perf_every))
		return;
	open->cpu = bpf_get_smp_processor_id();
	open->switches = perf_switches();
	open->sampled = !perf_read(open->at);
}

/* A window ends. The reading comes first. */
static __always_inline void perf_end(struct nio_perf_open *open, enum nio_perf_window window,
				     __u64 bytes)
{
	__u32 i = of_this_cpu(NIO_PERF_WINDOW_NR, window);
	struct nio_perf_reading end[NIO_PERF_EVENT_NR] = {};
	struct nio_perf_cell *cell;
	long err;

	if (!nio_perf_every || !open->sampled)
		return;
	err = perf_read(end);
	open->sampled = 0;
	cell = bpf_map_lookup_elem(&nio_perf_cells, &i);
	if (!cell)
		return;
	if (err)
		__sync_fetch_and_add(&cell->unread, 1);
	else
		nio_perf_book(cell, open, bpf_get_smp_processor_id(), perf_switches(), end, bytes);
}

#endif
