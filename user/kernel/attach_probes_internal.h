/* SPDX-License-Identifier: GPL-2.0-only */
/* The skeleton of attach and its state: for the files of attach_probes.h only. */
#ifndef KERNEL_ATTACH_PROBES_INTERNAL_H
#define KERNEL_ATTACH_PROBES_INTERNAL_H

#include <bpf/libbpf.h>

#include "loader.h"
#include "attach_probes.h"

/* Needs the types of bpf/sock_state.h. */
#include "attach.skel.h"

/* Sums over periods in which events were seen, for the shares of kinds and their intervals. */
struct attach_sampling {
	bool windowed; /* the programs may be detached: all of them are on tracepoints */
	bool attached;
	bool sampled;
	bool in_windows;
	bool needs_seconds; /* a program may be interrupted by events of its own kind */
	double credit;      /* events that may come before the programs are detached */
	uint64_t begun_ns;  /* of all */
	uint64_t since_ns;  /* the last step */
	uint64_t next_ns;   /* of the next window */
	uint64_t seen_ns;
	struct nio_event_counts counts; /* at the last step */
	size_t periods;
	double sent, sent2;
	double kind[NIO_CALL_NR], kind2[NIO_CALL_NR], cross[NIO_CALL_NR];
};

struct attach_probes {
	struct loader loader;
	struct attach_bpf *skel; /* the loader's */
	struct plan plan;
	struct plan rest; /* plan without events, for between windows */
	struct plan_row rows[PLAN_ROWS_MAX];
	size_t rows_nr;
	struct ring_buffer *ends;
	struct taking *taking; /* consumer of the records */
	struct attach_sampling sampling;
	bool stopped;
	struct num missed; /* when it stopped: later skips are not counted as missed */
};

/* The programs of events are attached: from now on their rate decides. 0 or -errno. */
int attach_probes__begin_events(struct attach_probes *w, bool count_calls);

#endif
