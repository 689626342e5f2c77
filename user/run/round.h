/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One round of one mode: starts both sides of the load generator, watches their sockets, and
 * measures. round.c has the phases, round_events.c the events during a round.
 */
#ifndef RUN_ROUND_H
#define RUN_ROUND_H

#include "common/time_limit.h"
#include "late_phase.h"
#include "runner.h"
#include "load/driver.h"
#include "model/event_windows.h"

/* State of sampling send and receive events; see event_sampling.h. */
struct event_sampling {
	bool on;          /* false: events are counted all the time */
	struct plan rest; /* what stays attached between windows */
	struct event_windows windows;
};

struct round {
	struct runner *e;
	struct event_sampling duty;
	enum mode mode;
	unsigned int slot;
	const struct plan *plan; /* whose programs are attached */
	struct driver drivers[NIO_SIDE_NR];
	bool listening, quiesced;
	bool ready[NIO_SIDE_NR], stats[NIO_SIDE_NR], done[NIO_SIDE_NR];
	uint64_t cookies[NIO_SIDE_NR][LOAD_CONNECTIONS_MAX];
	size_t cookies_nr[NIO_SIDE_NR];
	unsigned int port;
	bool measuring;
	uint64_t measure_ns; /* begin of the measured phase */
	bool asked;          /* statistics were requested, to be shown */
	uint64_t ping_ns, heard_ns[NIO_SIDE_NR];
	struct awake awake; /* of the current wait */
	struct late_phase late;
	uint64_t stop_ns; /* when waiting ends after a stop; 0: no stop */
	struct snapshot base, now;
	struct run_result *out;
};

/*
 * Makes the round and fills out (initialised by the caller). An interrupted round is no error: out
 * then holds the measurements so far, with duration_ns 0 if there are none. 0 or -errno with the
 * reason in e->reason.
 */
int round__run(struct runner *e, enum mode mode, unsigned int index, struct run_result *out);

/* For the files that make rounds. */

extern const char *const round_side_names[NIO_SIDE_NR];

/* Sets e->reason to why the round fails, unless it is set; returns err. */
__attribute__((format(printf, 3, 4))) int round__fail(struct round *r, int err, const char *format,
						      ...);

bool round__is_remote(const struct round *r); /* the receiver is on another machine */
int round__sides_here(
	const struct round *r); /* number of sides on this machine, the sender first */
/* Reads the watched sockets of both sides; still: nothing moves. */
void round__look(struct round *r, struct snapshot *out, bool still);
void round__book(struct round *r); /* r->now into r->out */

/* Sends a command. An ended process is no error: DRIVER_EOF reports it. */
int round__say(struct round *r, enum nio_side side, const char *line);

/* What a process of the load generator reports, in the order of a round. */
enum round_event {
	ROUND_LISTENING,
	ROUND_READY,
	ROUND_QUIESCED,
	ROUND_DONE,
};

bool round__has(const struct round *r, enum round_event event); /* READY, DONE: of both sides */

/*
 * Handles events until round__has() is true. -EINTR: stopped, and the grace period is over.
 * -ETIMEDOUT: a process of the load generator does not answer; e->reason names what was awaited.
 */
int round__await(struct round *r, enum round_event event);

#endif
