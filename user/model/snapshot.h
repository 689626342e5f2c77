/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel side's counts at one moment: the ledger subtracts two snapshots. */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/netiotrace.h"
#include "bpf/perf_stage.h"
#include "probes/plan.h"
#include "bpf/socket_sums.h"

/* An entry of nio_places. */
struct place_sum {
	struct nio_place place;
	struct nio_sum sum;
};

/* An entry of nio_others, with the name of the function that requested the copy. */
struct other_sum {
	struct nio_other other;
	char caller[64];
	struct nio_sum sum;
};

/* Zero-copy sends and requests, as events show them. */
struct zc_events {
	uint64_t sends, copied, notifications; /* completed */
	uint64_t unseen; /* ids taken by send calls whose return was not seen */
	/* Requests of io_uring in `sends`: perhaps copied, and wrongly reported as copied. */
	uint64_t unreported, misreported;
};

/* Everything counted so far, summed over CPUs. */
struct snapshot {
	/* Counters of 64 bits, which only grow, up to `places`: see snapshot__since(). */
	struct nio_cell cells[NIO_SIDE_NR][NIO_STAGE_NR];
	struct nio_zc zc;
	struct zc_events zc_events;
	uint64_t refused[NIO_REFUSAL_NR]; /* send calls of the senders, by error */
	uint64_t inner_eagain;            /* tries within one call of sendfile or io_uring */
	struct nio_path path;
	struct nio_uncovered uncovered[NIO_SIDE_NR][NIO_UNCOVERED_NR];
	struct nio_perf_cell perf[NIO_PERF_WINDOW_NR];
	struct nio_loss loss;         /* of the meter */
	uint64_t calls_unknown;       /* copies of unknown calls, perhaps of a watched socket */
	uint64_t missed;              /* runs the kernel refused, of all programs */
	uint64_t missed_of[PROBE_NR]; /* of the programs of each probe of the attached plan */
	/* The entries only grow in number; their sums grow. */
	struct place_sum places[NIO_PLACES_MAX];
	size_t places_nr;
	struct other_sum others[NIO_OTHERS_MAX];
	size_t others_nr;
	bool missed_unknown; /* the kernel does not count the misses of some programs */
	bool unknown_of[PROBE_NR];
	/* why the windows were not counted (cycles), or were without an event; NULL: they were */
	const char *no_perf[NIO_PERF_EVENT_NR];
	/* What the sockets of a side did since the phase began, of so many; 0: elsewhere. */
	struct nio_sums sums[NIO_SIDE_NR];
	size_t sockets_nr[NIO_SIDE_NR];
	/* measured phase so far, and its time with send and receive events attached; 0 and 0: all
	 * of it */
	uint64_t phase_ns, attached_ns;
	/* Bytes are moving: the application's counts are of another moment than these. */
	bool moving;
};

/* Sets all that is read anew at each reading to 0: not the sockets, places and others. */
void snapshot__forget(struct snapshot *s);

/* Sets since to now; base is subtracted from counters, and from places and others. */
void snapshot__since(struct snapshot *since, const struct snapshot *base,
		     const struct snapshot *now);

#endif
