/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a sender, between its phases (sender.c) and its connecting (sender_connect.c). */
#ifndef LOADGEN_SENDER_H
#define LOADGEN_SENDER_H

#include "crew.h"
#include "plane.h"
#include "protocol.h"
#include "session.h"

struct sender {
	const struct settings *settings;
	struct herald *report;
	struct plane plane;
	struct crew crew;
	struct wire_hello hello;
	uint32_t phase;
	enum sender_state state;
	bool measuring, stopping;
	bool told_to_stop;          /* by the receiver, which says so once */
	uint64_t stop_ns;           /* a signal came: waits end then; 0: none came */
	enum console_command order; /* the last start or measure not yet obeyed */
	struct wire_frame answer;   /* the last frame of the receiver not yet looked at */
	bool answered;
	uint64_t moved_ns;    /* when the receiver last did what is awaited */
	uint64_t moved_bytes; /* how many bytes of the phase it has read, as it says */
	uint64_t sent_bytes;  /* of the phase, in the totals */
	bool timed;           /* elapsed_ns is known: */
	uint64_t elapsed_ns;  /* what the receiver said it took to read a phase */
	uint64_t asked_ns;    /* PHASE was sent */
	uint64_t begin_ns, cpu_begin;
	struct tcp_counts tcp_begin[WIRE_CONNECTIONS_MAX];
	struct wire_frame confirmed; /* of the measured phase; type 0: not yet */
	uint64_t confirmed_ns;
};

/* Control connection, welcome, and all data connections, given to the crew. -errno: reported. */
int sender__connect(struct sender *s);

/*
 * Waits for one thing to happen and deals with it. 0; -ETIME at the deadline, whatever happens
 * meanwhile; -EINTR: a signal came TIME_LIMIT_STOP_NS ago; other -errno, reported.
 */
int sender__step(struct sender *s, uint64_t deadline);

/*
 * Waits for the receiver's answer for limit_ns, and for as long again whenever it shows progress.
 * 0; -ETIME, not reported; else as above.
 */
int sender__await_answer(struct sender *s, uint64_t limit_ns);

/* The same for a frame of this type, of this phase. 0 or -errno, reported but for -EINTR. */
int sender__await(struct sender *s, enum wire_type type);

/* Report why the receiver is of no use; both return an errno. */
int sender__lost(struct sender *s, int err);
int sender__no_session(struct sender *s, int err);   /* before READY: a silence has other causes */
int sender__refused(struct sender *s, uint32_t why); /* enum wire_refusal */

#endif
