/* SPDX-License-Identifier: GPL-2.0-only */
/* The skeleton of attach and its state: for the files of attach_probes.h only. */
#ifndef KERNEL_ATTACH_PROBES_INTERNAL_H
#define KERNEL_ATTACH_PROBES_INTERNAL_H

#include <bpf/libbpf.h>

#include "loader.h"
#include "attach_probes.h"
#include "percpu.h"

/* Needs the types of bpf/sock_state.h. */
#include "attach.skel.h"

struct attach_sampling {
	bool windowed;       /* the programs may be detached: all of them are on tracepoints */
	bool needs_seconds;  /* a program may be interrupted by events of its own kind */
	bool seconds_failed; /* the second programs could perhaps not be attached */
	struct event_windows windows;
	struct nio_event_counts
		counts;              /* at the last addition to the sums, or when a window began */
	uint64_t counted_ns;         /* when counts were read */
	uint64_t grouped_ns;         /* when reading the groups began */
	struct attach_events events; /* the sums */
	uint64_t check_ns;           /* when to look next whether sockets move bytes */
	/* The rows of the groups when they were read last; the groups' sums, and a copy of these.
	 */
	struct nio_group_counts *group_counts;
	struct seen_groups groups, copied;
};

struct attach_probes {
	struct loader loader;
	struct attach_bpf *skel; /* the loader's */
	struct plan plan;
	struct percpu_rows counts, seen; /* nio_event_counts; declared: nio_seen */
	struct percpu_rows groups;       /* nio_group_counts; not mapped: they are not counted */
	struct plan base_plan;           /* plan without events, for between windows */
	struct plan_row rows[PLAN_ROWS_MAX];
	size_t rows_nr;
	struct ring_buffer *ends;
	struct reading *reading; /* consumer of the records */
	struct attach_sampling sampling;
	uint64_t births_ns; /* until when the kernel is known to have refused no event of a birth */
	uint64_t unsure_ended, unsure_open; /* connections that may have begun unseen */
	uint64_t unsure_most;               /* of both, at the iterations so far */
	uint64_t search_ns;                 /* when to search for owners next (CLOCK_MONOTONIC) */
	bool stopped;
	struct num missed; /* when it stopped: later skips are not counted as missed */
};

/* Sets what is known before the programs are loaded. 0 or -errno. */
int attach_probes__configure(struct attach_probes *probes, const struct attach_filter *filter);

/* nio_window grows, and is odd while the programs of events are attached. */
void attach_probes__change_window(struct attach_probes *probes, uint32_t by);

/* Programs note whether sockets have moved bytes since the last reading (nio_moved_ns). */
void attach_probes__note_moved(struct attach_probes *probes);

/*
 * Sets births_ns: to now as long as the kernel has refused no event of a socket to the first
 * program, or to the second one where both are attached from the start.
 */
void attach_probes__note_births(struct attach_probes *probes);

/* Runs of a program that the kernel refused on top of itself; 0: none, or it is not loaded. */
uint64_t attach_probes__refused(const struct bpf_program *prog);

void attach_probes__free_groups(struct attach_probes *probes);

/* The programs of events are attached: from now on their rate decides. 0 or -errno. */
int attach_probes__begin_events(struct attach_probes *probes, const struct attach_filter *filter);

#endif
