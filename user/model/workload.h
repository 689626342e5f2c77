/* SPDX-License-Identifier: GPL-2.0-only */
/* The traffic settings of a run for the load generator. */
#ifndef MODEL_WORKLOAD_H
#define MODEL_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct workload {
	uint64_t size;   /* bytes of the fields of a message */
	uint64_t header; /* bytes before the fields, in a separate iovec */
	unsigned int threads, fields;
	unsigned int connections; /* 0: one a thread */
	uint64_t duration_ns;     /* of each mode, all rounds together; 0 with messages */
	uint64_t messages;        /* of each round */
	uint64_t warmup_ns;       /* of each round */
	unsigned int rounds;
	const char *sender_cpus, *receiver_cpus; /* lists as given; NULL: not pinned */
	uint64_t sndbuf, rcvbuf;                 /* 0: the kernel's */
	bool nodelay, verify;
	bool request_response;  /* each message is answered before the next is sent */
	uint64_t rate;          /* messages/s of all connections; 0: as fast as it goes */
	uint64_t spin_ns;       /* how long is asked again before a thread sleeps */
	uint64_t rcvlowat;      /* SO_RCVLOWAT; 0: not set */
	const char *congestion; /* TCP_CONGESTION of the senders; NULL: the system's */
};

/* Bytes of one message: header and fields. */
static inline uint64_t workload__message_size(const struct workload *t)
{
	return t->header + t->size;
}

static inline unsigned int workload__connections(const struct workload *t)
{
	return t->connections ? t->connections : t->threads;
}

/* Length of one round's measured phase, ns; 0 with messages. */
static inline uint64_t workload__round_ns(const struct workload *t)
{
	return t->duration_ns / t->rounds;
}

#endif
