/* SPDX-License-Identifier: GPL-2.0-only */
/* The listening socket and the connections without a complete hello, each kept at most 5 s. */
#ifndef LOADGEN_ACCEPTOR_H
#define LOADGEN_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "settings.h"
#include "protocol.h"

/* If the table is full, the oldest entry, probably not a sender, is closed. */
#define ACCEPTOR_PENDING_MAX 1024
#define ACCEPTOR_BATCH       64

struct acceptor_entry {
	int fd;
	unsigned int have;
	uint16_t next, prev; /* list in order of age */
	uint64_t deadline;
	uint8_t buf[PROTOCOL_HELLO_SIZE];
};

struct acceptor {
	int listen_fd; /* -1: closed */
	int epoll_fd;
	struct acceptor_entry *entries; /* ACCEPTOR_PENDING_MAX + 1; the last is the list head */
	uint16_t free;                  /* first unused entry */
	unsigned int pending;
	struct epoll_event events[ACCEPTOR_BATCH];
	int events_nr, events_at;
	unsigned int accepted; /* connections since the last pause */
	bool paced;
	uint64_t resume; /* end of the pause, ns; 0: no pause */
	int trouble;     /* last error of accept(), -errno */
};

int acceptor__open(struct acceptor *a, const struct settings *s);
void acceptor__close(struct acceptor *a);

/* A descriptor that is readable when acceptor__next() has work; -1: closed. */
int acceptor__fd(const struct acceptor *a);

/* When acceptor__next() has work without an event, ns (clock__now()). UINT64_MAX: never. */
uint64_t acceptor__deadline(const struct acceptor *a);

/* Limits the rate of accept(), so that new connections do not disturb a measured session. */
void acceptor__pace(struct acceptor *a, bool paced);

/* Never blocks. Returns a descriptor, owned by the caller, and its hello. Call until -EAGAIN. */
int acceptor__next(struct acceptor *a, struct protocol_hello *hello);

/* Extends the deadlines of all entries by missed_ns, the time that this process did not run. */
void acceptor__excuse(struct acceptor *a, uint64_t missed_ns);

/* The last error of accept() since the previous call: -errno or 0. */
int acceptor__trouble(struct acceptor *a);

/* Closes the oldest connection without a complete hello. False: there is none. */
bool acceptor__evict(struct acceptor *a);

/* Sends a REFUSE frame with the reason and closes fd. The peer's hello must have been read. */
void acceptor__refuse(int fd, enum protocol_refusal why);

#endif
