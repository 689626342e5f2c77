/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Counters spent inside a part of the kernel's path: the contract of both sides, and the rules by
 * which a sample is taken or thrown away. Knows neither maps nor helpers, so that it is
 * unit-tested.
 *
 * A CPU's counters count whoever runs there. A sample is what they moved between the beginning and
 * the end of a window, and is worth something only if nobody else ran in between: so it is
 * discarded when the task moved to another CPU or was switched out (it slept, or was preempted),
 * and when a counter gave up its register meanwhile. Interrupts that ran inside are in it.
 */
#ifndef NETIOTRACE_PERF_STAGE_H
#define NETIOTRACE_PERF_STAGE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/*
 * The windows: enum suffix, JSON key. They may lie inside each other (a pin inside a send call, on
 * loopback also the peer's deferred copy): each has the whole of what is inside.
 */
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

/* struct bpf_perf_event_value: a counter, and the times it was on and had its register, ns. */
struct nio_perf_reading {
	__u64 counter;
	__u64 enabled;
	__u64 running;
};

/* A window that began and did not end yet: kept with the caller's other state of the call. */
struct nio_perf_open {
	struct nio_perf_reading at[NIO_PERF_EVENT_NR];
	__u64 switches; /* nvcsw + nivcsw of the task */
	__u32 cpu;
	__u32 sampled; /* 0: this one is not measured */
};

/*
 * nio_perf_cells: by CPU, index nio_perf_index(slot, window). Added to atomically: a window may
 * end in a softirq on top of the program that ends another.
 */
struct nio_perf_cell {
	__u64 windows; /* that began, sampled or not */
	__u64 samples; /* kept */
	__u64 bytes;   /* that these moved */
	__u64 counts[NIO_PERF_EVENT_NR];
	__u64 moved;       /* discarded: another CPU, or switched out */
	__u64 multiplexed; /* discarded: a counter had no register all the time */
	__u64 unread;      /* discarded: a counter could not be read */
};

static inline __u32 nio_perf_index(__u32 slot, __u32 window)
{
	return slot * NIO_PERF_WINDOW_NR + window;
}

/* Is window number `seen` of this CPU one to measure? every: 1 in so many; 0: none. */
static inline int nio_perf_due(__u64 seen, __u32 every)
{
	return every && seen % every == 0;
}

enum nio_perf_fate {
	NIO_PERF_KEPT,
	NIO_PERF_MOVED,
	NIO_PERF_MULTIPLEXED,
};

static inline enum nio_perf_fate nio_perf_judge(const struct nio_perf_open *open, __u32 cpu,
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

/* The end of a sampled window that moved so many bytes. */
static inline void nio_perf_book(struct nio_perf_cell *cell, const struct nio_perf_open *open,
				 __u32 cpu, __u64 switches, const struct nio_perf_reading *end,
				 __u64 bytes)
{
	__u32 i;

	switch (nio_perf_judge(open, cpu, switches, end)) {
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
