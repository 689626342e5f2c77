/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a receiver, shared by its sessions (receiver.c) and phases (receiver_phase.c). */
#ifndef LOADGEN_RECEIVER_H
#define LOADGEN_RECEIVER_H

#include "pending_sessions.h"
#include "control_loop.h"
#include "receiver_pool.h"
#include "session.h"

enum receiver_state {
	RECEIVER_LISTENING, /* no session */
	RECEIVER_WAITING,   /* between phases */
	RECEIVER_READING,   /* a phase is under way */
	RECEIVER_SETTLING,  /* all totals are known, some bytes are unread */
	RECEIVER_DONE,
};

struct receiver {
	const struct settings *settings;
	struct reporter *report;
	struct session_mode mode;
	enum receiver_state state;
	struct control_loop loop;
	struct pending_sessions pending;
	struct receiver_pool pool;
	struct protocol_hello hello; /* of the control connection */
	bool same_clock, measuring, stopping;
	uint64_t stop_ns; /* end of the session after a signal, ns; UINT64_MAX: no signal */
	uint32_t phase;
	uint32_t totals;                     /* connections whose total is known */
	bool told[PROTOCOL_CONNECTIONS_MAX]; /* whether a connection's total is known */
	uint64_t sent_bytes, sent_messages;  /* sums of the totals */
	uint64_t moved_ns, moved_bytes;      /* time of the last progress; bytes read by then */
	uint64_t look_ns;                    /* time of the next check for progress */
	uint64_t done_ns;
	uint64_t begin_ns, cpu_begin;
	bool wrong;
	bool ended; /* no further session is possible */
	struct tcp_counts tcp_begin[PROTOCOL_CONNECTIONS_MAX], tcp_end[PROTOCOL_CONNECTIONS_MAX];
};

/* Handles frames of the sender. 0 or -errno, reported. */
int receiver__frames(struct receiver *r);

/* Confirms a phase when all expected bytes are read. 0 or -errno, reported. */
int receiver__check_reading(struct receiver *r);

/* Checks for progress; sends MOVING if the totals are known. 0 or -errno, reported. */
int receiver__look(struct receiver *r);

/* Reports the counters. done: of the complete phase. */
int receiver__stats(struct receiver *r, bool done);

/* Sends a frame. 0 or -errno, reported. */
int receiver__tell(struct receiver *r, const struct protocol_frame *f);

/* Reports the unfinished phase, if measured, and closes the control connection. Returns -EINTR. */
int receiver__cut_short(struct receiver *r);

/* Reports why the session failed. Returns err. */
int receiver__lost(struct receiver *r, int err);

/* Restarts the time limit of the session. */
void receiver__moved(struct receiver *r);

#endif
