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
#include "tally.h"

struct zc_sender;

struct flow {
	int fd;
	uint32_t index;
	const struct settings *settings;
	const atomic_bool *stop; /* finish the message under way, begin no other */
	uint64_t stop_seen;      /* when a blocked send first saw it; 0: not yet */
	uint64_t seq;            /* of the next message, over all phases */
	struct tally tally;
	struct message message;
	uint8_t *packed;      /* twocopy: the contiguous buffer */
	struct iovec *rest;   /* what a partial send left */
	struct zc_sender *zc; /* zerocopy */
};

/*
 * A way to send. prepare() makes the next message ready, which is the application's own work and
 * outside the times of the send call: packing, or waiting for a buffer that may be rewritten. It
 * returns -ECANCELED when the phase was stopped while it waited. send() stamps the message and
 * hands all of it to the kernel. finish() waits, bounded, for what the kernel still holds of our
 * memory. All return 0 or -errno.
 */
struct send_mode {
	int (*setup)(struct flow *f);
	void (*teardown)(struct flow *f);
	int (*prepare)(struct flow *f);
	int (*send)(struct flow *f, uint64_t stamp);
	int (*finish)(struct flow *f);
};

/* One for each of MODES: send_mode_twocopy, ... */
#define X(id, name, ...) extern const struct send_mode send_mode_##name;
MODES(X)
#undef X

const struct send_mode *send_mode__get(enum mode mode);

/* Takes over fd. flow__close() takes a zeroed flow whose fd is -1. */
int flow__open(struct flow *f, int fd, uint32_t index, const struct settings *s,
	       const atomic_bool *stop);
void flow__close(struct flow *f);

/* Sends one message. 0, -ECANCELED: stopped before it began; other -errno: the connection is lost.
 */
int flow__send_message(struct flow *f);

static inline bool flow__stopped(const struct flow *f)
{
	return atomic_load_explicit(f->stop, memory_order_relaxed);
}

/*
 * After a send call failed with e: 0 to call again (EINTR, EAGAIN: counted), or -errno. -ETIMEDOUT
 * when the phase was stopped and the peer does not take the rest of the message.
 */
int flow__retry(struct flow *f, int e);

#endif
