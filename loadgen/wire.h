/* SPDX-License-Identifier: GPL-2.0-only */
/* The network protocol: hellos and frames, big-endian; decoders check every field. */
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

/* First bytes of every connection, from the sender. The token identifies the session. */
struct wire_hello {
	enum wire_kind kind;
	uint8_t token[WIRE_TOKEN_SIZE];
	uint8_t clock_id[WIRE_TOKEN_SIZE]; /* see session_id.h */
	uint32_t index;                    /* of a data connection, below connections */
	uint32_t connections;
	uint32_t threads; /* sender threads, at most connections */
	uint32_t size;
	uint64_t stamp; /* sender's clock at the hello, ns */
	bool verify;
	bool replies; /* each message gets a reply of its size */
};

enum wire_type {
	WIRE_WELCOME = 1, /* receiver: open the data connections */
	WIRE_READY,       /* receiver: has all data connections */
	WIRE_PHASE,       /* sender: begins a phase; index 1: measured */
	WIRE_PHASE_OK,    /* receiver: counters are zero, send */
	WIRE_TOTAL,       /* sender: sent on connection index in this phase */
	WIRE_CONFIRM,     /* receiver: read all; sums, and verify errors in index */
	WIRE_STOP,        /* receiver: end the phase */
	WIRE_REFUSE,      /* receiver: no session; index: enum wire_refusal */
	WIRE_MOVING,      /* receiver: has the totals, still reads; bytes: read so far */
	WIRE_ELAPSED, /* receiver, before CONFIRM; bytes: ns from PHASE_OK to the last byte read */
	WIRE_TYPE_END,
};

/* Why the receiver refuses. The sender detects another version by the frame's header. */
enum wire_refusal {
	WIRE_REFUSAL_BUSY = 1, /* another session is under way */
	WIRE_REFUSAL_VERSION,  /* the hello has another version */
	WIRE_REFUSAL_LIMIT,    /* more connections than the receiver can open */
	WIRE_REFUSAL_VERIFY,   /* the receiver has --verify, the sender has not */
};

struct wire_frame {
	enum wire_type type;
	uint32_t index;
	uint32_t phase; /* from 1 */
	uint64_t messages;
	uint64_t bytes;
};

void wire__encode_hello(uint8_t buf[WIRE_HELLO_SIZE], const struct wire_hello *h);
void wire__encode_frame(uint8_t buf[WIRE_FRAME_SIZE], const struct wire_frame *f);

/* 0; -EPROTO: magic; -EPROTONOSUPPORT: version; -ERANGE: a field. Output unchanged on error. */
int wire__decode_hello(const uint8_t buf[WIRE_HELLO_SIZE], struct wire_hello *h);
int wire__decode_frame(const uint8_t buf[WIRE_FRAME_SIZE], struct wire_frame *f);

#endif
