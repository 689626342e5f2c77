/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the counters of the exporter by group of sockets: bounded, and monotonic. Pure.
 *
 * Once all slots are taken, a new group gets the slot of a group that is gone and quiet, whose
 * counts "other" takes. If there is none, the sockets of the new group count for "other", at least
 * until none of them is open. A connection whose group is not known yet counts for none. So no
 * counter falls, and no byte counts twice.
 */
#ifndef EXPORT_AGGREGATES_H
#define EXPORT_AGGREGATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "group_name.h"
#include "model/socket_ledger.h"

#define AGGREGATES_MAX   1024 /* --groups */
#define AGGREGATES_OTHER 0    /* the slot of "other" */

/*
 * Parts of the sent and of the received bytes. Each side adds up to the bytes of the sockets.
 *
 * The new bytes of each refresh are divided once, as the events that were seen since the refresh
 * before; each event counts for the time that its window stands for. Events that stand for more
 * bytes than there are leave a credit, which later bytes without events use: the time of a window
 * may reach into the next refresh. Half of a credit is forgotten in CREDIT_HALF_S. All other bytes
 * are unclassified: no part has more bytes than its events stand for.
 */
#define CREDIT_HALF_S 30

enum part_of_bytes {
	PART_TX_COPY,
	PART_TX_PIN,
	PART_TX_SPLICE,
	PART_TX_UNCLASSIFIED,
	PART_TX_TLS, /* plaintext that kTLS encrypted */
	PART_RX_COPY,
	PART_RX_MAP,
	PART_RX_DISCARD,
	PART_RX_SPLICE,
	PART_RX_UNCLASSIFIED, /* read without a copy that was seen, by an unknown call */
	PART_RX_TLS,          /* plaintext that kTLS decrypted, and no call was seen to copy */
	PART_RX_PEEKED,       /* not in the sum: copied by MSG_PEEK, and copied again later */
	PART_NR,
};

/* Why bytes of zero-copy sends were copied after all. A packet tap looks like a receiver. */
enum copy_cause {
	COPY_CAUSE_LOCAL, /* both ends have the same address */
	COPY_CAUSE_NO_SG, /* nothing could be pinned */
	COPY_CAUSE_UNKNOWN,
	COPY_CAUSE_NR,
};

/*
 * What is published. Each value only grows, but for the gauges. Counts of 64 bits, which add up,
 * and flags at the end.
 */
struct published {
	uint64_t sent, received, read, retransmitted, opened;
	uint64_t parts[PART_NR]; /* exact and sampled ones together */
	/* [1]: an estimate by samples has been in the sum. rx_copy has the peeked bytes as well. */
	uint64_t by_quality[2][PART_NR];
	uint64_t deferred;
	uint64_t decrypted; /* plaintext of kTLS, also in rx_copy (TLS 1.3) or PART_RX_TLS */
	uint64_t sends[NIO_CALL_NR];
	uint64_t zerocopy_sends, not_copied;
	NIO_SOCK_COUNTS(SOCK_COUNT_MEMBER)
	uint64_t requests[NIO_REQUEST_NR]; /* of io_uring, completed */
	uint64_t copied_bytes[COPY_CAUSE_NR];
	uint64_t refused[NIO_REFUSAL_NR]; /* send calls, by error; EAGAIN: would have blocked */
	uint64_t tx_sizes[NIO_SIZES], rx_sizes[NIO_SIZES];
	uint64_t tx_sizes_sum, rx_sizes_sum; /* exact unless aggregate.unwatched */
	uint64_t connections;                /* gauge: open */
	uint64_t outstanding;                /* gauge: zero-copy sends without a notification */
	bool deferred_unknown; /* no deferred copy was seen, and some may have been made */
	bool deferred_fell;    /* copies that were published are in doubt since */
	/* Calls of io_uring are an estimate: copies of unseen requests belong to no connection. */
	bool deferred_hidden;
};

/* Sums over connections. */
struct sums {
	struct socket_ledger ledger;
	uint64_t opened;                /* those that began while the exporter ran */
	uint64_t copied[COPY_CAUSE_NR]; /* bytes of zero-copy sends copied after all */
};

struct aggregate {
	char name[GROUP_NAME_MAX];
	struct pod_names pod; /* labels besides the name */
	double created;       /* seconds since 1970: its counts are younger */
	bool gone;            /* no socket can join it: aggregates_find_gone */
	/* Has it open sockets: at this refresh or, between two, at the last; at the last finished?
	 */
	bool busy, was_busy;
	struct sums closed; /* connections that have ended */
	struct sums all;
	bool sampled;   /* an estimate by samples has been published: for good */
	bool unwatched; /* some calls of its connections were not watched: for good */
	uint64_t open;  /* connections, at this refresh */
	/* Bytes that the events seen so far stand for, and those of them that no byte has used. */
	uint64_t weighted[PART_NR], credit[PART_NR];
	uint64_t peeked; /* at the last refresh */
	struct published out;
};

struct aggregates;

/*
 * Sets `gone` of the groups that are. Called when a slot is needed, at most once in a refresh and
 * the time before it.
 */
typedef void aggregates_find_gone(void *arg, struct aggregates *a);

/* Open sockets: in this refresh or, between two, in the last one; in the last finished one. */
struct refused_use {
	bool now, before;
};

#define REFUSED_NAMES_MAX 4096

struct refused_name;

/*
 * The names of groups without a slot: each counts once while it is remembered, and a name with open
 * sockets in "other" stays there, so that no byte counts for two groups. Zeroed: empty.
 */
struct refused_names {
	struct refused_name *list; /* sorted by name */
	size_t nr;
	uint64_t total;          /* names so far */
	struct refused_use rest; /* sockets of names that could not be remembered */
};

void refused_names__clear(struct refused_names *r);

/* Must the name's sockets count for "other", since some that do may be open? */
bool refused_names__must_stay(const struct refused_names *r, const char *name);

/* A socket of this name counts for "other"; it has got a slot. */
void refused_names__note(struct refused_names *r, const char *name, bool open);
void refused_names__forget(struct refused_names *r, const char *name);

/* A refresh: between these each open socket is noted. */
void refused_names__begin(struct refused_names *r);
void refused_names__end(struct refused_names *r);

struct aggregates {
	struct aggregate *list; /* [0]: other */
	size_t nr, max;
	bool refreshing;
	double begun, since; /* seconds since 1970: the last refresh; the last finished one */
	double keep;         /* the part of each credit that is left at this refresh */
	uint64_t folded_sockets;
	uint64_t held; /* open connections in no group, at this refresh */
	struct refused_names refused;
	aggregates_find_gone *find_gone; /* NULL: every group keeps its slot */
	void *arg;
	bool searched; /* find_gone() was called since the last refresh began */
};

/* max: slots beside "other", at most AGGREGATES_MAX. now: seconds since 1970. */
void aggregates__init(struct aggregates *a, size_t max, double now);
void aggregates__clear(struct aggregates *a);

/*
 * The slot of a socket by the name of its group: its own, a new one, or AGGREGATES_OTHER. Valid
 * until the next call: give it the socket before. open: the socket is. pod: the labels of a new
 * group, which keeps them; NULL: none.
 */
size_t aggregates__slot(struct aggregates *a, const char *name, const struct pod_names *pod,
			bool open);

/*
 * final: the group of the connection is known for good. true: it is not, and the connection is
 * open. The connection is in no group until then; one that ends before counts as given to
 * aggregates__close().
 */
bool aggregates__hold(struct aggregates *a, const struct sock_state *s, bool final);

/* A connection that has ended, once. */
void aggregates__close(struct aggregates *a, size_t slot, const struct sock_state *s);

/* A refresh: begin, each open connection, end. The end publishes. */
void aggregates__begin(struct aggregates *a, double now);
void aggregates__add_open(struct aggregates *a, size_t slot, const struct sock_state *s);
void aggregates__end(struct aggregates *a);

#endif
