/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The listening socket and the connections that have not said who they are. A stranger, whether he
 * sends garbage or nothing, costs one entry for a few seconds and delays nobody. Knows the hello
 * but not the session.
 */
#ifndef LOADGEN_ACCEPTOR_H
#define LOADGEN_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "settings.h"
#include "wire.h"

/*
 * A sender's hello comes with its connection or right behind it: who is pushed out by so many
 * others was silent.
 */
#define ACCEPTOR_PENDING_MAX 1024
#define ACCEPTOR_BATCH       64

struct acceptor_entry {
	int fd;
	unsigned int have;
	uint16_t next, prev; /* by age */
	uint64_t deadline;
	uint8_t buf[WIRE_HELLO_SIZE];
};

struct acceptor {
	int listen_fd; /* -1: closed */
	int epoll_fd;
	struct acceptor_entry *entries; /* one more than can wait: the last is the list's head */
	uint16_t free;                  /* first of those not used */
	unsigned int pending;
	struct epoll_event events[ACCEPTOR_BATCH];
	int events_nr, events_at;
	unsigned int accepted; /* since the last pause */
	bool paced;
	uint64_t resume; /* when a pause ends; 0: none */
	int trouble;     /* why accept() failed last */
};

int acceptor__open(struct acceptor *a, const struct settings *s);
void acceptor__close(struct acceptor *a);

/* Readable when there is something to do. -1: closed. */
int acceptor__fd(const struct acceptor *a);

/* When acceptor__next() has something to do without an event. UINT64_MAX: never. */
uint64_t acceptor__deadline(const struct acceptor *a);

/* While a session is measured: so few are accepted a second that it does not notice. */
void acceptor__pace(struct acceptor *a, bool paced);

/*
 * Accepts and reads some of what is there, without waiting. Returns a descriptor, now the caller's,
 * with its hello, or -EAGAIN. Call until then.
 */
int acceptor__next(struct acceptor *a, struct wire_hello *hello);

/* This process did not run for so long: those that wait are given as much more. */
void acceptor__excuse(struct acceptor *a, uint64_t missed_ns);

/* Why connections could not be accepted since the last call: -errno or 0. */
int acceptor__trouble(struct acceptor *a);

/* Closes the oldest that waits. False: nobody does. */
bool acceptor__evict(struct acceptor *a);

/* Says why there is no session on this connection, whose hello was read, and closes it. */
void acceptor__refuse(int fd, enum wire_refusal why);

#endif
