/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a sender, shared by its phases and its connection setup. */
#ifndef LOADGEN_SENDER_H
#define LOADGEN_SENDER_H

#include "sender_pool.h"
#include "control_loop.h"
#include "sender_protocol.h"
#include "session.h"

struct sender {
	const struct settings *settings;
	struct reporter *report;
	struct control_loop loop;
	struct sender_pool pool;
	struct protocol_hello hello;
	uint32_t phase;
	enum sender_state state;
	bool measuring, stopping;
	bool told_to_stop;                /* the receiver sent STOP */
	uint64_t stop_ns;                 /* end of all waits after a signal, ns; 0: no signal */
	enum control_stdin_command order; /* pending start or measure */
	struct protocol_frame answer;     /* last unhandled frame of the receiver */
	bool answered;
	uint64_t moved_ns;    /* time of the receiver's last progress */
	uint64_t moved_bytes; /* bytes of the phase that the receiver has read, by MOVING */
	uint64_t sent_bytes;  /* sum of the phase's totals */
	bool timed;           /* elapsed_ns is valid */
	uint64_t elapsed_ns;  /* the receiver's time for the phase, by ELAPSED */
	uint64_t asked_ns;    /* time of PHASE */
	uint64_t begin_ns, cpu_begin;
	struct tcp_counts tcp_begin[PROTOCOL_CONNECTIONS_MAX];
	struct protocol_frame confirmed; /* of the measured phase; type 0: none */
	uint64_t confirmed_ns;
};

/* Opens the control connection and gives all data connections to the pool. -errno: reported. */
int sender__connect(struct sender *s);

/*
 * Handles events. 0; -ETIME at the deadline, even after an event; -EINTR: a signal came
 * TIME_LIMIT_STOP_NS ago; -ECANCELED: end of stdin; other -errno, reported.
 */
int sender__step(struct sender *s, uint64_t deadline);

/* Waits limit_ns for a frame; progress restarts the time. -ETIME: not reported. Else as above. */
int sender__await_answer(struct sender *s, uint64_t limit_ns);

/* Waits up to 30 s for a frame of this type; progress restarts the time. A timeout is reported. */
int sender__await(struct sender *s, enum protocol_type type);

/* Report why the session failed and return an -errno. */
int sender__lost(struct sender *s, int err);
int sender__no_session(struct sender *s, int err);   /* before READY: silence has other causes */
int sender__refused(struct sender *s, uint32_t why); /* enum protocol_refusal */

#endif
