/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the counters of the exporter by group of sockets: bounded, and monotonic. Pure.
 *
 * A group never leaves its place. Once all places are taken, the sockets of a new group count for
 * the group "other" for as long as the process lives.
 */
#ifndef EXPORT_AGGREGATES_H
#define EXPORT_AGGREGATES_H

#include "model/socket_ledger.h"
#include "group_name.h"

#define AGGREGATES_MAX   1024 /* --groups */
#define AGGREGATES_OTHER 0    /* the place of "other" */

/* Parts of the sent and of the received bytes. Each side adds up to the bytes of the sockets. */
enum part_of_bytes {
	PART_TX_COPY,
	PART_TX_PIN,
	PART_TX_SPLICE,
	PART_TX_UNCLASSIFIED,
	PART_RX_COPY,
	PART_RX_UNCLASSIFIED, /* read without a copy that was seen */
	PART_NR,
};

/* Why bytes of zero-copy sends were copied after all. A packet tap looks like a receiver. */
enum copy_cause {
	COPY_CAUSE_LOCAL, /* both ends have the same address */
	COPY_CAUSE_NO_SG, /* nothing could be pinned */
	COPY_CAUSE_UNKNOWN,
	COPY_CAUSE_NR,
};

/* What is published. Each value only grows, but for the gauges. */
struct published {
	uint64_t sent, received, read, retransmitted, opened;
	uint64_t parts[PART_NR];         /* exact and sampled ones together */
	uint64_t by_quality[2][PART_NR]; /* [1]: an estimate by samples has been in the sum */
	uint64_t deferred;
	uint64_t sends[NIO_CALL_NR];
	uint64_t zerocopy_sends, completed, copied, not_copied;
	uint64_t copied_bytes[COPY_CAUSE_NR];
	uint64_t enobufs;
	uint64_t tx_sizes[NIO_SIZES], rx_sizes[NIO_SIZES];
	uint64_t connections; /* gauge: open */
	uint64_t outstanding; /* gauge: zero-copy sends without a notification */
};

/* Sums over connections. */
struct sums {
	struct socket_ledger books;
	uint64_t opened;                /* those that began while the exporter ran */
	uint64_t copied[COPY_CAUSE_NR]; /* bytes of zero-copy sends copied after all */
};

struct aggregate {
	char name[GROUP_NAME_MAX];
	struct sums closed; /* connections that have ended */
	struct sums all;
	bool sampled;  /* an estimate by samples has been published: for good */
	uint64_t open; /* connections, at this refresh */
	struct published out;
};

struct aggregates {
	struct aggregate *list; /* [0]: other */
	size_t nr, max;
	bool refreshing;
	uint64_t folded_groups; /* names that found no place, each once while it is remembered */
	uint64_t folded_sockets;
	char **refused; /* names that were folded, so that each counts once; bounded */
	size_t refused_nr;
};

/* max: places beside "other", at most AGGREGATES_MAX. */
void aggregates__init(struct aggregates *a, size_t max);
void aggregates__clear(struct aggregates *a);

/* The place of a name: its own, a new one, or AGGREGATES_OTHER. */
size_t aggregates__place(struct aggregates *a, const char *name);

/* A connection that has ended, once. */
void aggregates__close(struct aggregates *a, size_t place, const struct sock_state *s);

/* A refresh: begin, each open connection, end. The end publishes. */
void aggregates__begin(struct aggregates *a);
void aggregates__add_open(struct aggregates *a, size_t place, const struct sock_state *s);
void aggregates__end(struct aggregates *a);

#endif
