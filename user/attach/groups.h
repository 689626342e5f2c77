/* SPDX-License-Identifier: GPL-2.0-only */
/* The books of watched connections by what they have in common: port, cgroup. Bounded. Pure. */
#ifndef NETIOTRACE_GROUPS_H
#define NETIOTRACE_GROUPS_H

#include "books.h"

#define GROUPS_MAX 4096

enum group_kind {
	GROUP_PORT, /* of the service */
	GROUP_CGROUP,
	GROUP_KINDS,
};

struct group {
	uint64_t id;         /* group__id() */
	char *name;          /* of a cgroup: its path, owned; NULL: not known (yet) */
	struct books closed; /* of connections that are closed */
	struct books books;  /* of all */
};

struct groups {
	struct group *list;
	size_t nr, room;
	/* Connections of groups that found no room: closed ones, and open ones of this refresh. */
	size_t closed_left_out, open_left_out;
	int err; /* -ENOMEM: something is missing */
};

/*
 * What a connection is listed under: the port of its service, which is the remote one if connect()
 * chose the local one, else the local one; or the id of its socket's cgroup. 0: not known.
 */
uint64_t group__id(enum group_kind kind, const struct sock_state *s);

void groups__clear(struct groups *g);

/* A refresh: closed connections once, then begin, then every open one, each with its id. */
void groups__close(struct groups *g, uint64_t id, const struct sock_state *s);
void groups__begin(struct groups *g);
void groups__add_open(struct groups *g, uint64_t id, const struct sock_state *s);

size_t groups__left_out(const struct groups *g); /* connections */

const struct group *groups__find(const struct groups *g, uint64_t id); /* NULL: there is none */

#endif
