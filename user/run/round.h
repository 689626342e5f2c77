/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One round of one mode: both sides of the load generator are started, their sockets watched, and
 * what they move is measured. round.c has the phases, round_events.c what can come in meanwhile.
 */
#ifndef RUN_ROUND_H
#define RUN_ROUND_H

#include "common/time_limit.h"
#include "runner.h"
#include "load/driver.h"

/* Looking at the events of sending and receiving a part of the time; see event_sampling.h. */
struct event_sampling {
	bool on; /* else all of the time */
	bool attached;
	struct plan rest;   /* what stays attached between slices */
	uint64_t begin_ns;  /* of the measured phase */
	uint64_t slice_ns;  /* when the last slice began */
	uint64_t looked_ns; /* in slices before that */
	uint64_t due_ns;    /* when the next change is to be considered; UINT64_MAX: never */
	uint64_t events;    /* when the last slice began */
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
	uint64_t measure_ns; /* since when */
	bool asked;          /* for statistics that are to be shown */
	uint64_t ping_ns, heard_ns[NIO_SIDE_NR];
	struct awake awake; /* of the wait under way */
	uint64_t stop_ns;   /* when waiting ends after a stop; 0: no stop */
	struct snapshot base, now;
	struct run_result *out;
};

/*
 * Makes the round and fills out (initialised by the caller). An interrupted round is no error: out
 * then holds what was measured so far, duration_ns 0 if nothing was. 0 or -errno, e->reason then
 * says why.
 */
int round__run(struct runner *e, enum mode mode, unsigned int index, struct run_result *out);

/* The rest is shared by the two files only. */

extern const char *const round_side_names[NIO_SIDE_NR];

/* Says in e->reason why the round fails, unless that was said; returns err. */
__attribute__((format(printf, 3, 4))) int round__fail(struct round *r, int err, const char *format,
						      ...);

bool round__is_remote(const struct round *r); /* the receiver is on another machine */
int round__sides_here(const struct round *r); /* sides that are processes of ours, the first ones */
/* A look at the watched sockets of both sides; still: nothing moves. */
void round__look(struct round *r, struct snapshot *out, bool still);
int round__book(struct round *r); /* r->now into r->out; 0 or -errno */

/* A command line of the protocol; a reader that is gone is seen by the events that follow. */
int round__say(struct round *r, enum nio_side side, const char *line);

/*
 * Handles events until done() holds. -EINTR: a stop was asked for and its time is over. -ETIMEDOUT
 * when a process of the load generator does not answer any more, with what was awaited said.
 */
int round__pump(struct round *r, bool (*done)(const struct round *r), const char *awaited);

#endif
