/* SPDX-License-Identifier: GPL-2.0-only */
/* The books of watched connections by the cgroup of their sockets. Bounded. Pure. */
#ifndef NETIOTRACE_GROUPS_H
#define NETIOTRACE_GROUPS_H

#include "books.h"

#define GROUPS_MAX 4096

struct group {
	uint64_t id;         /* of the cgroup; 0: not known */
	char *name;          /* its path below the root, owned; NULL: not known (yet) */
	struct books closed; /* of connections that are closed */
	struct books books;  /* of all */
};

struct groups {
	struct group *list;
	size_t nr, room;
	size_t left_out; /* connections of groups that found no room */
	int err;         /* -ENOMEM: something is missing */
};

void groups__clear(struct groups *g);

/* A refresh: closed connections once, then begin, then every open one. */
void groups__close(struct groups *g, const struct nio_stream *s);
void groups__begin(struct groups *g);
void groups__add_open(struct groups *g, const struct nio_stream *s);

const struct group *groups__find(const struct groups *g, uint64_t id); /* NULL: there is none */

#endif
