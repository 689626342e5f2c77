/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender's session, shared by sender.c and sender_connect.c. All for the main thread. */
#ifndef LOADGEN_SENDER_H
#define LOADGEN_SENDER_H

#include "control_loop.h"
#include "control_conn.h"
#include "sender_pool.h"
#include "session.h"

struct sender {
	const struct lg_options *options;
	struct reporter *report;
	struct control_loop loop;
	struct sender_pool pool;
	struct protocol_hello hello;
	uint32_t phase;
	enum protocol_state state;
	bool last;      /* the next or present phase is the measured one */
	bool measuring; /* the measured phase has begun */
	bool stopping;
	bool stop_received;                  /* the receiver sent STOP */
	uint32_t half_kind;                  /* the half to ask the receiver for; 0: none */
	enum protocol_promise half;          /* what the receiver says of it */
	char challenge[HALF_CHALLENGE_TEXT]; /* of WELCOME; empty: none */
	uint8_t proof[HALF_PROOF_SIZE];
	bool proved;                      /* proof is the driver's, for the challenge */
	uint64_t stop_ns;                 /* end of all waits after a signal, ns; 0: no signal */
	enum control_stdin_command order; /* pending start or measure */
	struct protocol_frame answer;     /* last unhandled frame of the receiver */
	bool answered;
	uint64_t awaited_ns;       /* begin of the wait for an answer */
	uint64_t moved_ns;         /* time of the receiver's last progress */
	uint64_t moved_bytes;      /* bytes of the phase that the receiver has read, by MOVING */
	struct protocol_frame sum; /* of the phase's totals */
	bool timed;                /* elapsed_ns is valid */
	uint64_t elapsed_ns;       /* the receiver's time for the phase, by ELAPSED */
	uint64_t asked_ns;         /* time of PHASE */
	uint64_t begin_ns, cpu_begin;
	uint64_t until_ns;     /* SENDING: when to look, or to stop the threads */
	uint64_t first_by_ns;  /* the latest time for the first message */
	uint64_t last_call_ns; /* begin of the phase's last send call; 0: none */
	int failed;            /* -errno of a thread */
	bool wrong;            /* verify errors, here or there */
	struct tcp_counts tcp_begin;
	struct protocol_frame confirmed; /* of the measured phase; type 0: none */
	uint64_t confirmed_ns;
};

/* Reports why the session failed. Returns err. */
int sender__lost(struct sender *s, int err);

/*
 * Handles events. 0; -ETIME at the deadline, even after an event; -EINTR: a signal came
 * TIME_LIMIT_STOP_NS ago; -ECANCELED: end of stdin; other -errno, reported.
 */
int sender__step(struct sender *s, uint64_t deadline);

/*
 * Open the control connection, with its hello; all data connections, which the pool then has. 0;
 * -EINTR, -ECANCELED: as sender__step(); other -errno, reported.
 */
int sender__connect_control(struct sender *s);
int sender__connect_data(struct sender *s);

#endif
