/* SPDX-License-Identifier: GPL-2.0-only */
/* The network protocol: hellos and frames, big-endian; decoders check every field. */
#ifndef LOADGEN_PROTOCOL_H
#define LOADGEN_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/workload.h"

#define PROTOCOL_TOKEN_SIZE 16
#define PROTOCOL_HELLO_SIZE 64
#define PROTOCOL_FRAME_SIZE 32

#define PROTOCOL_CPUS_MAX 1024

enum protocol_kind {
	PROTOCOL_CONTROL = 1,
	PROTOCOL_DATA = 2,
};

/* First bytes of every connection, from the sender. The token identifies the session. */
struct protocol_hello {
	enum protocol_kind kind;
	uint8_t token[PROTOCOL_TOKEN_SIZE];
	uint8_t clock_id[PROTOCOL_TOKEN_SIZE]; /* see session.h */
	uint32_t index;                        /* of a data connection, below connections */
	uint32_t connections;
	uint32_t threads; /* sender threads, at most connections */
	uint32_t size;
	uint64_t stamp; /* sender's clock at the hello, ns */
	bool verify;
	bool replies;  /* each message gets a reply of its size */
	bool untagged; /* messages have no tag: neither number nor time of sending */
	enum receive receive;
	bool encrypted; /* data connections carry TLS records after the hello: see ktls.h */
	enum workload_tls tls;
};

/* clang-format off */
#define PROTOCOL_TYPES(X)                                                                         \
	X(WELCOME)  /* receiver: open the data connections; index 1: with 16 random bytes */      \
	X(READY)    /* receiver: has all data connections */                                      \
	X(PHASE)    /* sender: begins a phase; index 1: measured; messages: half asked for */     \
	X(PHASE_OK) /* receiver: counters are zero, send; index: enum protocol_promise */         \
	X(TOTAL)    /* sender: sent on connection index in this phase */                          \
	X(CONFIRM)  /* receiver: read all; sums, and verify errors in index */                    \
	X(STOP)     /* receiver: end the phase */                                                 \
	X(REFUSE)   /* receiver: no session; index: enum protocol_refusal */                      \
	X(MOVING)   /* receiver: has the totals, still reads; bytes: read so far */               \
	X(ELAPSED)  /* receiver, before CONFIRM; bytes: ns from PHASE_OK to the last byte read */ \
	X(HALF)     /* receiver, after the last CONFIRM; bytes: length of the text that follows */ \
	X(PROOF)    /* sender, before the measured PHASE, with a token; 16 bytes */
/* clang-format on */

enum protocol_type {
	PROTOCOL_TYPE_NONE,
#define X(name) PROTOCOL_##name,
	PROTOCOL_TYPES(X)
#undef X
		PROTOCOL_TYPE_END,
};

/* Why the receiver refuses. The sender detects another version by the frame's header. */
enum protocol_refusal {
	PROTOCOL_REFUSAL_BUSY = 1, /* another session is under way */
	PROTOCOL_REFUSAL_VERSION,  /* the hello has another version */
	PROTOCOL_REFUSAL_LIMIT,    /* more connections than the receiver can open */
	PROTOCOL_REFUSAL_VERIFY,   /* the receiver has --verify, the sender has not */
	PROTOCOL_REFUSAL_RECEIVE,  /* the way to receive fails there; messages: errno */
	PROTOCOL_REFUSAL_KTLS,     /* kTLS fails there; messages: errno */
};

/* What PHASE_OK says of the half that PHASE asked for. */
enum protocol_promise {
	PROTOCOL_NO_HALF,
	PROTOCOL_HALF_COMES,
	PROTOCOL_HALF_REFUSED, /* for want of the right PROOF; the receiver ends the session */
};

struct protocol_frame {
	enum protocol_type type;
	uint32_t index;
	uint32_t phase; /* from 1 */
	uint64_t messages;
	uint64_t bytes;
};

void protocol__encode_hello(uint8_t buf[PROTOCOL_HELLO_SIZE], const struct protocol_hello *h);
void protocol__encode_frame(uint8_t buf[PROTOCOL_FRAME_SIZE], const struct protocol_frame *f);

/* 16 bytes in the fields messages and bytes. */
void protocol__put_bytes(struct protocol_frame *f, const uint8_t bytes[PROTOCOL_TOKEN_SIZE]);
void protocol__get_bytes(uint8_t bytes[PROTOCOL_TOKEN_SIZE], const struct protocol_frame *f);

/* 0; -EPROTO: magic; -EPROTONOSUPPORT: version; -ERANGE: a field. Output unchanged on error. */
int protocol__decode_hello(const uint8_t buf[PROTOCOL_HELLO_SIZE], struct protocol_hello *h);
int protocol__decode_frame(const uint8_t buf[PROTOCOL_FRAME_SIZE], struct protocol_frame *f);

/*
 * Bytes that restart a time limit: of a message, but no more than a slow path carries in a second.
 * A peer that moves a byte a second makes no progress.
 */
static inline uint64_t protocol__least_progress(uint32_t size)
{
	return size < 4096 ? size : 4096;
}

/* Limit for the bytes in flight when the totals are known, whatever the progress, ns. */
#define PROTOCOL_DRAIN_NS 300000000000ULL

/*
 * The states of a session, of either side (docs/design/loadgen.md). A frame that the state does not
 * take ends the session.
 */
enum protocol_state {
	SENDER_GREETING,    /* hello sent: WELCOME is next */
	SENDER_CONNECTING,  /* READY is next */
	SENDER_READY,       /* connected: the driver's `start` is next */
	SENDER_QUIESCED,    /* nothing in flight: the driver's `measure` is next */
	SENDER_ASKING,      /* PHASE sent: PHASE_OK is next */
	SENDER_SENDING,     /* threads send messages */
	SENDER_SETTLING,    /* totals sent: CONFIRM is next */
	SENDER_DONE,        /* of the sender, the last one */
	RECEIVER_LISTENING, /* no session */
	RECEIVER_WAITING,   /* between phases */
	RECEIVER_HELD,      /* PHASE came; the driver takes its base before PHASE_OK */
	RECEIVER_READING,   /* a phase is under way */
	RECEIVER_SETTLING,  /* all totals are known, some bytes are unread */
	RECEIVER_DONE,
};

bool protocol__accepts(enum protocol_state state, enum protocol_type type);

/* How long a state may last without progress, ns, for time_limit__ns(); 0: no limit of its own. */
uint64_t protocol__limit_ns(enum protocol_state state);

/* For error messages, like "MOVING" and "before WELCOME"; an unknown type is "?". */
const char *protocol__type_name(enum protocol_type type);
const char *protocol__state_name(enum protocol_state state);

/* Whether a TOTAL can be: whole messages, and no more above the bytes read than can be in flight.
 */
bool protocol__plausible(const struct protocol_frame *total, uint32_t size, uint64_t read_bytes);

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
