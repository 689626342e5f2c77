/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Performance counters inside a stage: data, and the rules that keep or discard a sample. No maps,
 * no helpers (unit-tested). A sample is kept only if no other task ran in its window: it is
 * discarded if the task migrated, slept or was preempted, or if a counter lost its register.
 * Interrupts are included.
 */
#ifndef BPF_PERF_STAGE_H
#define BPF_PERF_STAGE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* The windows: enum suffix, JSON key. Windows may nest; each includes those inside it. */
/* clang-format off */
#define NIO_PERF_WINDOWS(X)                 \
	X(SEND_CALL,     "send_call")       \
	X(PIN,           "tx_pin")          \
	X(DEFERRED_COPY, "deferred_copy")   \
	X(RX_COPY,       "rx_copy")

enum nio_perf_window {
#define X(id, key) NIO_PERF_##id,
	NIO_PERF_WINDOWS(X)
#undef X
	NIO_PERF_WINDOW_NR,
};
/* clang-format on */

enum nio_perf_event {
	NIO_PERF_CYCLES,
	NIO_PERF_LLC_MISSES,
	NIO_PERF_EVENT_NR,
};

/* struct bpf_perf_event_value: counter, and ns enabled and ns on a register. */
struct nio_perf_reading {
	__u64 counter;
	__u64 enabled;
	__u64 running;
};

/* A window in progress, kept with the caller's state of the call. */
struct nio_perf_open {
	struct nio_perf_reading at[NIO_PERF_EVENT_NR];
	__u64 switches; /* nvcsw + nivcsw of the task */
	__u32 cpu;
	__u32 sampled; /* 0: this window is not measured */
};

/* nio_perf_cells: per CPU, index enum nio_perf_window. Atomic: a softirq may also end a window. */
struct nio_perf_cell {
	__u64 windows; /* windows begun, sampled or not */
	__u64 samples; /* samples kept */
	__u64 bytes;   /* bytes moved in the samples kept */
	__u64 counts[NIO_PERF_EVENT_NR];
	__u64 moved;       /* discarded: the task migrated or was switched out */
	__u64 multiplexed; /* discarded: a counter lost its register */
	__u64 unread;      /* discarded: a counter could not be read */
};

/* Is window number `seen` of this CPU sampled? One window in `every` is; 0: none. */
static inline int nio_perf_due(__u64 seen, __u32 every)
{
	return every && seen % every == 0;
}

enum nio_perf_fate {
	NIO_PERF_KEPT,
	NIO_PERF_MOVED,
	NIO_PERF_MULTIPLEXED,
};

static inline enum nio_perf_fate nio_perf_accept(const struct nio_perf_open *open, __u32 cpu,
						 __u64 switches, const struct nio_perf_reading *end)
{
	__u32 i;

	if (cpu != open->cpu || switches != open->switches)
		return NIO_PERF_MOVED;
	for (i = 0; i < NIO_PERF_EVENT_NR; i++) {
		const struct nio_perf_reading *first = &open->at[i];

		if (end[i].running - first->running != end[i].enabled - first->enabled ||
		    end[i].counter < first->counter)
			return NIO_PERF_MULTIPLEXED;
	}
	return NIO_PERF_KEPT;
}

static inline void nio_perf_book(struct nio_perf_cell *cell, const struct nio_perf_open *open,
				 __u32 cpu, __u64 switches, const struct nio_perf_reading *end,
				 __u64 bytes)
{
	__u32 i;

	switch (nio_perf_accept(open, cpu, switches, end)) {
	case NIO_PERF_MOVED:
		__sync_fetch_and_add(&cell->moved, 1);
		return;
	case NIO_PERF_MULTIPLEXED:
		__sync_fetch_and_add(&cell->multiplexed, 1);
		return;
	case NIO_PERF_KEPT:
		break;
	}
	__sync_fetch_and_add(&cell->samples, 1);
	__sync_fetch_and_add(&cell->bytes, bytes);
	for (i = 0; i < NIO_PERF_EVENT_NR; i++)
		__sync_fetch_and_add(&cell->counts[i], end[i].counter - open->at[i].counter);
}

_Static_assert(sizeof(struct nio_perf_reading) == 24, "nio_perf_reading layout");
_Static_assert(sizeof(struct nio_perf_open) == 64, "nio_perf_open layout");
_Static_assert(sizeof(struct nio_perf_cell) == 64, "nio_perf_cell layout");

#endif
