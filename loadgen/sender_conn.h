/* SPDX-License-Identifier: GPL-2.0-only */
/* One sending connection. One thread uses it during a phase; only the two flags are shared. */
#ifndef LOADGEN_SENDER_CONN_H
#define LOADGEN_SENDER_CONN_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "message.h"
#include "lg_options.h"
#include "rx_parser.h"
#include "counters.h"

#define INBOX_SIZE (256 << 10)

/* Progress of a waiting connection: a change of any member is progress. */
struct stall_state {
	uint64_t seq;     /* messages sent in all phases */
	uint64_t unacked; /* bytes that the peer has not acknowledged */
	uint64_t owed;    /* bytes of the reply still to read */
	uint64_t done;    /* bytes of the message that the kernel has taken */
};

struct stall {
	uint64_t since; /* time of the last progress; 0: not checked yet */
	uint64_t seen;  /* time of the last check */
	struct stall_state state;
};

struct sender_conn {
	int fd;
	uint32_t index;
	bool blocking; /* the thread has no other connection */
	const struct lg_options *options;
	const atomic_bool *stop;   /* finish the current message, begin no other */
	struct counters *counters; /* the thread's counters */
	uint64_t bytes, messages;  /* sent in this phase */
	uint64_t left;             /* messages still to begin; UINT64_MAX: until stopped */
	unsigned int depth;        /* mode__depth() */
	uint64_t seq;              /* of the next message, over all phases */
	bool busy;                 /* a group of messages is under way */
	unsigned int group;        /* number of its messages: 1 to depth */
	size_t done;               /* bytes of it that the kernel has taken */
	uint64_t now;              /* last clock reading, if still valid; 0: none */
	uint64_t call_begin;       /* of the current or the next system call; 0: not read */
	uint64_t call_ns;          /* duration of this group's earlier system calls */
	uint64_t slot_since;       /* begin of the wait for a slot; 0: not waiting */
	struct stall stall;
	const atomic_bool *closing; /* abort the current message; NULL: never */
	/* only with --request-response: */
	uint64_t asked;          /* when the current message was sent, or due */
	size_t owed;             /* bytes of the reply still to read */
	struct rx_parser answer; /* parser of the replies */
	uint8_t *inbox;          /* INBOX_SIZE bytes, owned by the thread */
	struct message message;
	struct iovec *rest; /* iovecs that remain after a partial send, of `depth` messages */
	void *own;          /* private to the mode, which allocates and frees it */
	/* only for the epoll loop of sender_pool.c: */
	struct sender_conn *next;
	bool queued;
	uint64_t begun; /* messages begun in this phase */
};

/* The caller closes fd, after sender_conn__close(). blocking: a send blocks at most
 * SOCK_SEND_TIMEOUT_MS at a time. */
int sender_conn__open(struct sender_conn *conn, int fd, uint32_t index, const struct lg_options *s,
		      const atomic_bool *stop, struct counters *counters, bool blocking);
void sender_conn__close(struct sender_conn *conn); /* also accepts a zeroed one whose fd is -1 */

/*
 * Continues a group of messages, or begins one that was due at `due` (0: now). 0: all sent, and
 * answered if a reply is due. -EAGAIN: full socket, no slot or no complete reply. Other -errno:
 * connection lost.
 */
int sender_conn__step(struct sender_conn *conn, uint64_t due);

/* Sends a group. Blocks. 0; -ECANCELED: stopped before it began; other -errno: connection lost. */
int sender_conn__send_message(struct sender_conn *conn);

static inline size_t sender_conn__message_size(const struct sender_conn *conn)
{
	return workload__message_size(&conn->options->workload);
}

static inline size_t sender_conn__group_size(const struct sender_conn *conn)
{
	return conn->group * sender_conn__message_size(conn);
}

static inline bool sender_conn__stopped(const struct sender_conn *conn)
{
	return atomic_load_explicit(conn->stop, memory_order_relaxed);
}

/* How long a connection may make no progress, before time_limit__ns(). */
#define SENDER_CONN_STALL_NS (30 * 1000000000ULL)

/*
 * Call repeatedly during a wait. -ETIMEDOUT: the peer acknowledged or answered nothing for
 * SENDER_CONN_STALL_NS. -ETIME: only zero-copy completions are missing. -ECANCELED: the connection
 * closes.
 */
int sender_conn__check_stall(struct sender_conn *conn);

/* True: no progress for limit_ns. A gap of over 1 s between checks is a pause: not counted. */
bool stall__check(struct stall *s, const struct stall_state *state, uint64_t now,
		  uint64_t limit_ns);

/* The rest is for the files of the modes. */

static inline void sender_conn__init_message(const struct sender_conn *conn, struct message *m)
{
	const struct workload *w = &conn->options->workload;

	message__init(m, w->header, w->size, w->fields);
}

/* prepare(), begin(), send() and teardown() of the modes that send conn->message as it is. */
int sender_conn__fill_message(struct sender_conn *conn);
ssize_t sender_conn__send_whole(struct sender_conn *conn);
void sender_conn__clear_message(struct sender_conn *conn);
void sender_conn__tag_message(struct sender_conn *conn, uint64_t stamp);

/* Sends the bytes of m after the first conn->done with one sendmsg(). Bytes sent or -errno. */
static inline ssize_t sender_conn__send_rest(struct sender_conn *conn, const struct message *m,
					     int flags)
{
	struct msghdr msg = {.msg_iov = m->iov, .msg_iovlen = m->iov_nr};
	ssize_t n;

	if (conn->done) {
		msg.msg_iov = conn->rest;
		msg.msg_iovlen = iov__rest(m->iov, m->iov_nr, conn->done, conn->rest);
	}
	n = sendmsg(conn->fd, &msg, flags | MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

#endif
