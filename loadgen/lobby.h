/* SPDX-License-Identifier: GPL-2.0-only */
/* Senders without a session ("guests"). The first with all its connections gets the session. */
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
	bool claims_clock; /* hello.clock_id is this side's */
	bool clock_fits;   /* no stamp contradicts the claim */
	struct wire_hello hello;
	struct channel channel;
	uint32_t connected;
	int *fds; /* data connections by index, -1: not connected; NULL: none */
	uint64_t welcomed, moved, deadline;
	uint64_t begun; /* time of WELCOME, plus time that this process did not run */
};

struct lobby {
	struct acceptor acceptor;
	int epoll_fd;
	uint32_t connections_max; /* limit of a session, from RLIMIT_NOFILE */
	bool verify;              /* refuse senders without --verify */
	bool busy;                /* a session is under way: refuse others */
	bool yields; /* the session makes no progress: it ends if another sender asks */
	bool asked;  /* another sender asked in this call */
	struct lobby_guest guests[LOBBY_GUESTS_MAX];
};

/* A complete guest. The caller closes the connections and frees fds. */
struct lobby_session {
	struct wire_hello hello; /* of the control connection */
	struct channel channel;
	int *fds; /* hello.connections of them */
	bool same_clock;
};

/* 0 or -errno. lobby__close() also accepts a lobby whose epoll_fd is -1. */
int lobby__open(struct lobby *l, const struct settings *s, uint64_t descriptors);
void lobby__close(struct lobby *l);

/* Readable when there is work. lobby__deadline(): when there is work without an event, ns. */
int lobby__fd(const struct lobby *l);
uint64_t lobby__deadline(const struct lobby *l);

/* Extends all deadlines by missed_ns, the time that this process did not run. */
void lobby__excuse(struct lobby *l, uint64_t missed_ns);

/* busy: a session is under way; refuses all guests. False: accepts guests again. */
void lobby__set_busy(struct lobby *l, bool busy);

/* Never blocks. yields: the current session ends if another sender asks. True: one has asked. */
bool lobby__tend(struct lobby *l, bool yields);

/* Whether a guest is complete. */
bool lobby__waiting(const struct lobby *l);

/* Takes a complete guest: 0 and *s, which the caller owns; -EAGAIN: there is none. */
int lobby__take(struct lobby *l, struct lobby_session *s);

/* Whether a data hello's stamp can be of this side's clock: from `welcomed` to `now`, ns. */
bool lobby__stamp_fits(uint64_t stamp, uint64_t welcomed, uint64_t now);

#endif
