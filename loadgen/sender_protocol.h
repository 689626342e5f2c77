/* SPDX-License-Identifier: GPL-2.0-only */
/* The frames and figures that a sender accepts from the untrusted receiver (docs/LOADGEN.md). */
#ifndef LOADGEN_SENDER_PROTOCOL_H
#define LOADGEN_SENDER_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

enum sender_state {
	SENDER_GREETING,   /* hello sent: WELCOME is next */
	SENDER_CONNECTING, /* READY is next */
	SENDER_IDLE,       /* between phases */
	SENDER_ASKING,     /* PHASE sent: PHASE_OK is next */
	SENDER_SENDING,    /* threads send messages */
	SENDER_SETTLING,   /* totals sent: CONFIRM is next */
	SENDER_DONE,
};

bool protocol__takes(enum sender_state state, enum protocol_type type);

/* For error messages, like "MOVING" and "before WELCOME"; an unknown type is "?". */
const char *protocol__type_name(enum protocol_type type);
const char *protocol__state_name(enum sender_state state);

/* The receiver's time for a phase, and bounds on the sender's clock, ns. */
struct protocol_phase {
	uint64_t elapsed_ns;   /* reported: from PHASE_OK to the last byte read */
	uint64_t bytes;        /* sent and confirmed */
	uint64_t asked_ns;     /* PHASE was sent */
	uint64_t begun_ns;     /* PHASE_OK arrived */
	uint64_t last_call_ns; /* begin of the last send call; 0: none */
	uint64_t confirmed_ns; /* CONFIRM arrived */
};

/*
 * Whether elapsed_ns fits the sender's clock. The phase begins between asked_ns and begun_ns, and
 * ends between last_call_ns and confirmed_ns. Clock rates may differ by 1 %; 1000 bytes take 1 ns
 * or more.
 */
#define PROTOCOL_BYTES_PER_NS 1000
bool protocol__possible(const struct protocol_phase *p);

#endif
