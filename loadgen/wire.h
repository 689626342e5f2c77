/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What crosses the network besides messages: the hello that opens each connection, and the frames
 * of the control connection. Fixed sizes, big-endian, versioned; a decoder believes no field it has
 * not checked. Pure: knows nothing of sockets.
 */
#ifndef LOADGEN_WIRE_H
#define LOADGEN_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/limits.h"

#define WIRE_TOKEN_SIZE 16
#define WIRE_HELLO_SIZE 64
#define WIRE_FRAME_SIZE 32

#define WIRE_SIZE_MIN        LIMIT_SIZE_MIN
#define WIRE_SIZE_MAX        LIMIT_SIZE_MAX
#define WIRE_FIELDS_MAX      LIMIT_FIELDS_MAX
#define WIRE_THREADS_MAX     LIMIT_THREADS_MAX
#define WIRE_CONNECTIONS_MAX LIMIT_CONNECTIONS_MAX
#define WIRE_CPUS_MAX        1024

enum wire_kind {
	WIRE_CONTROL = 1,
	WIRE_DATA = 2,
};

/* First bytes of every connection, from the sender. The token names the session. */
struct wire_hello {
	enum wire_kind kind;
	uint8_t token[WIRE_TOKEN_SIZE];
	uint8_t clock_id[WIRE_TOKEN_SIZE]; /* of the sender's clock: session_id.h */
	uint32_t index;                    /* of a data connection, below connections */
	uint32_t connections;
	uint32_t threads; /* that send; at most one a connection */
	uint32_t size;
	uint64_t stamp; /* the sender's clock when it said this, ns */
	bool verify;
	bool replies; /* the receiver answers each message with one of its size */
};

enum wire_type {
	WIRE_WELCOME = 1, /* receiver: the session is yours */
	WIRE_READY,       /* receiver: all data connections are there */
	WIRE_PHASE,       /* sender: a phase begins; index 1 when it is measured */
	WIRE_PHASE_OK,    /* receiver: counters are at zero, send */
	WIRE_TOTAL,       /* sender: what connection index sent in this phase */
	WIRE_CONFIRM, /* receiver: all of it was read; sums over the connections, index: errors */
	WIRE_STOP,    /* receiver: end the phase, somebody asked me to */
	WIRE_REFUSE,  /* receiver: no session for you; index: enum wire_refusal */
	WIRE_MOVING,  /* receiver: totals are known, not all is read, but bytes arrive */
	WIRE_ELAPSED, /* receiver, before CONFIRM: bytes: ns from PHASE_OK to the last byte read */
	WIRE_TYPE_END,
};

/* Why there is no session. The sender learns of another version from the frame's own. */
enum wire_refusal {
	WIRE_REFUSAL_BUSY = 1, /* another session is under way */
	WIRE_REFUSAL_VERSION,  /* the hello is of another version */
	WIRE_REFUSAL_LIMIT,    /* more connections than the receiver may open */
	WIRE_REFUSAL_VERIFY,   /* it checks every byte, and the sender writes no pattern */
};

struct wire_frame {
	enum wire_type type;
	uint32_t index;
	uint32_t phase; /* counts from 1 */
	uint64_t messages;
	uint64_t bytes;
};

void wire__encode_hello(uint8_t buf[WIRE_HELLO_SIZE], const struct wire_hello *h);
void wire__encode_frame(uint8_t buf[WIRE_FRAME_SIZE], const struct wire_frame *f);

/*
 * 0; -EPROTO for what is not ours, -EPROTONOSUPPORT for another version, -ERANGE for a field out of
 * its range. The output is untouched on error.
 */
int wire__decode_hello(const uint8_t buf[WIRE_HELLO_SIZE], struct wire_hello *h);
int wire__decode_frame(const uint8_t buf[WIRE_FRAME_SIZE], struct wire_frame *f);

#endif
