/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which frame of the receiver a sender takes in which state, and which of its figures are possible.
 * The receiver may be anybody's program: no frame is taken out of its place, and no figure is
 * believed that the sender's own clock and counts rule out. Pure: knows nothing of sockets.
 */
#ifndef LOADGEN_PROTOCOL_H
#define LOADGEN_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

enum sender_state {
	SENDER_GREETING,   /* the hello is sent: WELCOME is next */
	SENDER_CONNECTING, /* READY is next */
	SENDER_IDLE,       /* between phases */
	SENDER_ASKING,     /* PHASE is sent: PHASE_OK is next */
	SENDER_SENDING,    /* messages are on their way */
	SENDER_SETTLING,   /* the totals are sent: CONFIRM is next */
	SENDER_DONE,
};

/* Whether the receiver may send a frame of this type now. */
bool protocol__takes(enum sender_state state, enum wire_type type);

/* For messages: "MOVING" or "?"; "before WELCOME". */
const char *protocol__type_name(enum wire_type type);
const char *protocol__state_name(enum sender_state state);

/* What the receiver says of a phase, and what the sender knows of the same phase (its clock, ns).
 */
struct protocol_phase {
	uint64_t elapsed_ns;   /* said: from PHASE_OK to the last byte read */
	uint64_t bytes;        /* of the phase, which both agree on */
	uint64_t asked_ns;     /* PHASE was sent */
	uint64_t begun_ns;     /* PHASE_OK had arrived */
	uint64_t last_call_ns; /* the last send call began; 0: none */
	uint64_t confirmed_ns; /* CONFIRM arrived */
};

/*
 * Whether the receiver can have taken so long. It began after PHASE was sent and before PHASE_OK
 * arrived; it read the last byte after the last send call began and before CONFIRM arrived. The
 * rates of two clocks may differ by 1 %. No machine reads more than PROTOCOL_BYTES_PER_NS.
 */
#define PROTOCOL_BYTES_PER_NS 1000
bool protocol__possible(const struct protocol_phase *p);

#endif
