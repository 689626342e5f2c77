/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What calls and copies moved while they were watched: of all watched sockets, and of those of one
 * port, process or cgroup. Pure.
 */
#ifndef MODEL_SEEN_GROUPS_H
#define MODEL_SEEN_GROUPS_H

#include "bpf/sock_state.h"
#include "sampled_share.h"

/* Masks of the parts that add up to all bytes: sent by kind of call, sent by way, read by way. */
#define SEEN_CALLS ((1U << NIO_CALL_NR) - 1)
#define SEEN_WAYS  ((1U << NIO_MOVED_READ) - 1)
#define SEEN_READS NIO_MOVED_READS

struct seen_bytes {
	struct sampled_sums calls; /* bytes sent, by enum nio_send_call */
	struct sampled_sums ways;  /* bytes sent, by enum nio_moved */
	struct sampled_sums reads; /* bytes read, by enum nio_moved */
};

/* Adds a window, or time watched in whole: sampled_sums__add(). */
void seen_bytes__add(struct seen_bytes *s, const double sent[SAMPLED_PARTS],
		     const double moved[SAMPLED_PARTS], bool whole, double weight);

enum seen_kind {
	SEEN_PORT, /* of the service, as group__id() */
	SEEN_CGROUP,
	SEEN_PROCESS,
	SEEN_PROCESS_PORT, /* of one process; its id: seen_groups__process_port() */
};

static inline uint64_t seen_groups__process_port(uint32_t tgid, uint64_t port)
{
	return (uint64_t)tgid << 16 | port;
}

/*
 * Groups of all kinds that are kept: 0.8 MiB. The one that was not seen for the longest time gives
 * up its place, but none that the present window has shown.
 */
#define SEEN_GROUPS_MAX 256

struct seen_group {
	enum seen_kind kind;
	uint64_t id, started; /* of a process: its PID and start; else started is 0 */
	struct seen_bytes seen;
	double sent[SAMPLED_PARTS], moved[SAMPLED_PARTS]; /* since the last window */
	uint64_t last_ns;
};

struct seen_groups {
	struct seen_group *list;
	size_t nr;
};

/* Counts of sockets that have a port, a process and a cgroup, since the last window. */
void seen_groups__add(struct seen_groups *g, const struct nio_group *of, const double *sent,
		      const double *moved, uint64_t now_ns);

/* A window, or time watched in whole, has ended at now_ns. */
void seen_groups__end(struct seen_groups *g, bool whole, double weight, uint64_t now_ns);

/* NULL: no event of the group was seen. */
const struct seen_bytes *seen_groups__find(const struct seen_groups *g, enum seen_kind kind,
					   uint64_t id, uint64_t started);

#endif
