/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a receiver, between its sessions (receiver.c) and their phases (receiver_phase.c).
 */
#ifndef LOADGEN_RECEIVER_H
#define LOADGEN_RECEIVER_H

#include "lobby.h"
#include "plane.h"
#include "readers.h"
#include "session.h"

enum receiver_state {
	RECEIVER_LISTENING, /* no session yet */
	RECEIVER_WAITING,   /* between phases */
	RECEIVER_READING,   /* a phase is under way */
	RECEIVER_SETTLING,  /* its totals are known, not all is read */
	RECEIVER_DONE,
};

struct receiver {
	const struct settings *settings;
	struct herald *report;
	struct session_mode mode;
	enum receiver_state state;
	struct plane plane;
	struct lobby lobby;
	struct readers readers;
	struct wire_hello hello; /* of the control connection */
	bool same_clock, measuring, stopping;
	uint64_t stop_ns; /* a signal came: the session ends then; UINT64_MAX: none came */
	uint32_t phase;
	uint32_t totals;                    /* how many connections' totals are known */
	bool told[WIRE_CONNECTIONS_MAX];    /* which */
	uint64_t sent_bytes, sent_messages; /* their sums */
	uint64_t moved_ns, moved_bytes;     /* when something last moved, and bytes read by then */
	uint64_t look_ns;                   /* when it is looked at next */
	uint64_t done_ns;
	uint64_t begin_ns, cpu_begin;
	bool wrong;
	bool ended; /* no further session is possible */
	struct tcp_counts tcp_begin[WIRE_CONNECTIONS_MAX], tcp_end[WIRE_CONNECTIONS_MAX];
};

/* Takes the sender's frames, and does what follows: a phase begins, its totals are known. */
int receiver__frames(struct receiver *r);

/* Looks whether everything expected was read, and confirms it. */
int receiver__check_reading(struct receiver *r);

/* Looks whether bytes arrive; a sender that has said its totals is told that they do. */
int receiver__look(struct receiver *r);

/* Reports the counts. */
int receiver__stats(struct receiver *r, bool done);

/* Sends a frame. 0 or -errno, reported. */
int receiver__tell(struct receiver *r, const struct wire_frame *f);

/* Reports what was read so far of a phase that is not waited for any longer; returns -EINTR. */
int receiver__cut_short(struct receiver *r);

/* Reports why the session is over; returns err. */
int receiver__lost(struct receiver *r, int err);

/* Something has moved: the session is alive. */
void receiver__moved(struct receiver *r);

#endif
