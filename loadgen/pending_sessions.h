/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes before a session: the listening socket, unidentified connections (without a complete
 * hello, each kept at most 5 s) and clients (senders whose control connection has said hello). The
 * first client with all its data connections gets the session.
 */
#ifndef LOADGEN_PENDING_SESSIONS_H
#define LOADGEN_PENDING_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "control_conn.h"
#include "protocol.h"
#include "lg_options.h"

struct unidentified_conn {
	bool here;
	int fd;
	unsigned int have;
	uint64_t deadline; /* the oldest unidentified connection has the earliest one */
	uint8_t buf[PROTOCOL_HELLO_SIZE];
};

struct pending_client {
	bool here;
	bool claims_clock; /* hello.clock_id is this side's */
	bool clock_fits;   /* no stamp contradicts the claim */
	struct protocol_hello hello;
	uint8_t nonce[PROTOCOL_TOKEN_SIZE]; /* of WELCOME; with --half */
	struct control_conn conn;
	uint32_t connected;
	int *fds; /* data connections by index, -1: not connected; NULL: none */
	uint64_t welcomed, moved, deadline;
	uint64_t begun; /* time of WELCOME, plus time that this process did not run */
};

struct pending_sessions {
	int listen_fd; /* -1: closed */
	int epoll_fd;
	struct unidentified_conn *unidentified; /* PENDING_UNIDENTIFIED_MAX of them */
	unsigned int unidentified_nr;           /* of them, that are here */
	unsigned int accepted;                  /* connections since the last pause */
	uint64_t resume;                        /* end of the pause of accept(), ns; 0: no pause */
	int trouble;              /* error of accept() in the last pending_sessions__poll() */
	uint32_t connections_max; /* limit of a session, from RLIMIT_NOFILE */
	bool verify;              /* refuse senders without --verify */
	bool half;                /* WELCOME has a nonce */
	bool busy;   /* a session is under way: refuse others, limit the rate of accept() */
	bool yields; /* the session makes no progress: it ends if another sender asks */
	bool asked;  /* another sender asked in this call */
	struct pending_client clients[PENDING_CLIENTS_MAX];
};

/* A complete client. The caller closes the connections and frees fds. */
struct complete_session {
	struct protocol_hello hello; /* of the control connection */
	uint8_t nonce[PROTOCOL_TOKEN_SIZE];
	struct control_conn conn;
	int *fds; /* hello.connections of them */
	bool same_clock;
};

/* 0 or -errno. pending_sessions__close() also takes one whose listen_fd is -1. */
int pending_sessions__open(struct pending_sessions *l, const struct lg_options *s,
			   uint64_t descriptors);
void pending_sessions__close(struct pending_sessions *l);

/* When pending_sessions__poll() has work though epoll_fd is not readable, ns; UINT64_MAX: never. */
uint64_t pending_sessions__deadline(const struct pending_sessions *l);

/* Extends all deadlines by missed_ns, the time that this process did not run. */
void pending_sessions__extend_deadlines(struct pending_sessions *l, uint64_t missed_ns);

/* busy: a session is under way; refuses all clients. False: accepts clients again. */
void pending_sessions__set_busy(struct pending_sessions *l, bool busy);

/* Never blocks. yields: the current session ends if another sender asks. True: one has asked. */
bool pending_sessions__poll(struct pending_sessions *l, bool yields);

/* Whether a client is complete. */
bool pending_sessions__waiting(const struct pending_sessions *l);

/* Takes a complete client: 0 and *s, which the caller owns; -EAGAIN: there is none. */
int pending_sessions__pop(struct pending_sessions *l, struct complete_session *s);

/* Whether a data hello's stamp can be of this side's clock: from `welcomed` to `now`, ns. */
bool pending_sessions__stamp_fits(uint64_t stamp, uint64_t welcomed, uint64_t now);

#endif
