/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One sending connection, and the table of ways to send a message on it. A flow belongs to one
 * thread; only its stop flag is shared.
 */
#ifndef LOADGEN_FLOW_H
#define LOADGEN_FLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "message.h"
#include "settings.h"
#include "stream.h"
#include "tally.h"

struct zc_sender;

#define INBOX_SIZE (256 << 10)

/* What a connection waits for: it moves while any of these changes. */
struct stall_state {
	uint64_t seq;     /* messages sent, over all phases */
	uint64_t unacked; /* bytes that the peer has not acknowledged */
	uint64_t owed;    /* bytes of the answer to come */
	uint64_t done;    /* bytes of the message that the kernel has */
};

struct stall {
	uint64_t since; /* it moved last; 0: not looked yet */
	uint64_t seen;  /* it was looked at last */
	struct stall_state state;
};

struct flow {
	int fd;
	uint32_t index;
	bool blocking; /* its thread has no other */
	const struct settings *settings;
	const atomic_bool *stop;  /* finish the message under way, begin no other */
	struct tally *tally;      /* its thread's */
	uint64_t bytes, messages; /* of this phase */
	uint64_t left;            /* messages still to be begun; UINT64_MAX: until stopped */
	uint64_t seq;             /* of the next message, over all phases */
	bool busy;                /* a message is under way */
	size_t done;              /* bytes of it the kernel has */
	uint64_t now;             /* a reading that still serves; 0: none */
	uint64_t call_begin;      /* of the system call under way, or the next one; 0: not read */
	uint64_t call_ns;         /* spent in those of this message before it */
	uint64_t slot_since;      /* since when a slot is waited for; 0: it is not */
	struct stall stall;
	const atomic_bool *closing; /* give up what is under way; NULL: never */
	/* with --request-response */
	uint64_t asked;       /* when the message under way was sent, or due */
	size_t owed;          /* bytes of its answer to come */
	struct stream answer; /* where in the answers we are */
	uint8_t *inbox;       /* its thread's: INBOX_SIZE, where answers are read to */
	struct message message;
	uint8_t *packed;      /* twocopy: the contiguous buffer */
	struct iovec *rest;   /* what a partial send left */
	struct zc_sender *zc; /* zerocopy */
	/* of the loop that serves many: pump.c */
	struct flow *next;
	bool queued;
	uint64_t begun; /* messages of this phase */
};

/*
 * A way to send. prepare() makes the next message ready, which is the application's own work and
 * outside the times of the send call; -EAGAIN: no buffer may be rewritten yet. begin() stamps it.
 * push() hands what is left of it to the kernel: 0 when all is, -EAGAIN when the socket is full.
 * wait() waits for what prepare() lacks, at most so long. reap() takes what the kernel has told.
 * finish() waits for what it still holds of our memory. All return 0 or -errno.
 */
struct send_mode {
	int (*setup)(struct flow *f);
	void (*teardown)(struct flow *f);
	int (*prepare)(struct flow *f);
	void (*begin)(struct flow *f, uint64_t stamp);
	int (*push)(struct flow *f);
	int (*wait)(struct flow *f, unsigned int ms);
	int (*reap)(struct flow *f);
	int (*finish)(struct flow *f);
};

/* One for each of MODES: send_mode_twocopy, ... */
#define X(id, name, ...) extern const struct send_mode send_mode_##name;
MODES(X)
#undef X

const struct send_mode *send_mode__get(enum mode mode);

/* Takes over fd. blocking: sends wait, and look at the stop flag every SOCK_SEND_TIMEOUT_MS. */
int flow__open(struct flow *f, int fd, uint32_t index, const struct settings *s,
	       const atomic_bool *stop, struct tally *tally, bool blocking);
void flow__close(struct flow *f); /* takes a zeroed flow whose fd is -1 */

/*
 * Goes on with the message under way, or begins one that was due at `due` (0: now). 0: it is with
 * the kernel, or answered where it is to be. -EAGAIN: the socket is full, no slot is free, or the
 * answer is not there. Other -errno: the connection is lost.
 */
int flow__step(struct flow *f, uint64_t due);

/* Sends one message, waiting. 0, -ECANCELED: stopped before it began; else the connection is lost.
 */
int flow__send_message(struct flow *f);

static inline bool flow__stopped(const struct flow *f)
{
	return atomic_load_explicit(f->stop, memory_order_relaxed);
}

/* Nothing is given up that moves: how long a connection may not move at all (time_limit__ns()). */
#define FLOW_STALL_NS (30 * 1000000000ULL)

/*
 * To be called again and again while a connection waits. -ETIMEDOUT when the peer has neither
 * acknowledged nor answered anything for FLOW_STALL_NS; -ETIME when it has, but zero-copy sends do
 * not complete; -ECANCELED when it is closing.
 */
int flow__check_stall(struct flow *f);

/*
 * The same of one look at `now`, without a socket. True: it has stood still for limit_ns. Time
 * between two looks that are more than a second apart is not counted: this process did not run.
 */
bool stall__check(struct stall *s, const struct stall_state *state, uint64_t now,
		  uint64_t limit_ns);

#endif
