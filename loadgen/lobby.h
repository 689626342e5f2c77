/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Senders on their way to a session. Each that says hello is welcomed and its data connections are
 * gathered; who has all of them first gets the session. So nobody who stops half-way is in anyone's
 * way. Knows nothing of what a session does.
 */
#ifndef LOADGEN_LOBBY_H
#define LOADGEN_LOBBY_H

#include <stdbool.h>
#include <stdint.h>

#include "acceptor.h"
#include "channel.h"
#include "settings.h"
#include "wire.h"

#define LOBBY_GUESTS_MAX 32

struct lobby_guest {
	bool here;
	bool claims_clock; /* names our clock as its own */
	bool clock_fits;   /* and no stamp contradicts */
	struct wire_hello hello;
	struct channel channel;
	uint32_t connected;
	int *fds; /* of its data connections by index, -1: not there; NULL: none yet */
	uint64_t welcomed, moved, deadline;
	uint64_t begun; /* when it was welcomed, later by the time that this process did not run */
};

struct lobby {
	struct acceptor acceptor;
	int epoll_fd;
	uint32_t connections_max; /* as many as may be opened */
	bool verify;              /* only senders whose bytes can be checked */
	bool busy;                /* a session is under way: who comes is told so */
	bool yields;              /* but nothing moves in it: it ends when somebody comes */
	bool asked;               /* somebody has come */
	struct lobby_guest guests[LOBBY_GUESTS_MAX];
};

/* What a session begins with; its owner closes and frees what it holds. */
struct lobby_session {
	struct wire_hello hello; /* of the control connection */
	struct channel channel;
	int *fds; /* hello.connections of them */
	bool same_clock;
};

/* 0 or -errno. lobby__close() takes one whose epoll_fd is -1. */
int lobby__open(struct lobby *l, const struct settings *s, uint64_t descriptors);
void lobby__close(struct lobby *l);

/* Readable when there is something to do; and when there is without that. */
int lobby__fd(const struct lobby *l);
uint64_t lobby__deadline(const struct lobby *l);

/* This process did not run for so long: nobody who waits is to be blamed for it. */
void lobby__excuse(struct lobby *l, uint64_t missed_ns);

/* A session is under way: everybody is turned away. Or is not any more. */
void lobby__set_busy(struct lobby *l, bool busy);

/*
 * Does what there is to do, without waiting. yields: the session under way, if any, ends for
 * whoever comes. True: somebody came for whom it has to.
 */
bool lobby__tend(struct lobby *l, bool yields);

/* Somebody is ready for a session. */
bool lobby__waiting(const struct lobby *l);

/* A sender whose connections are all there: 0 and *s, now the caller's, or -EAGAIN. */
int lobby__take(struct lobby *l, struct lobby_session *s);

/* Whether a data hello's stamp could be of our clock: said after `welcomed`, before `now`. Pure. */
bool lobby__stamp_fits(uint64_t stamp, uint64_t welcomed, uint64_t now);

#endif
