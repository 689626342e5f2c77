/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the groups of cgroups by id, found by walking the mount: that needs no privilege. The names
 * of a pod are looked up when its first socket is met. The kubelet links a container's log after
 * the container has started (startContainer() in kuberuntime_container.go), so a container
 * without a name is looked up again for a while. Names that were found stay.
 */
#ifndef EXPORT_CGROUP_NAMES_H
#define EXPORT_CGROUP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "group_name.h"

struct cgroup_names {
	char *mount;      /* of cgroup v2; NULL: none */
	const char *root; /* of pod_names__find() */
	void *tree;       /* tsearch(3) */
	size_t nr;
	size_t most; /* above it, names of removed cgroups that no socket has are forgotten */
	uint64_t walked_ns; /* CLOCK_MONOTONIC: begin of the last walk */
	uint64_t wait_ns;   /* for the name of a container, from its first socket on */
	uint64_t walks;     /* so far */
	uint64_t refreshes; /* so far */
};

struct cgroup_group {
	char name[GROUP_NAME_MAX]; /* group_name.h */
	struct pod_names *pod;     /* NULL: not known */
	bool waits;                /* the name of its container may still come, and change this */
};

/*
 * mount: owned from now on, from malloc(); NULL: no cgroup is found. root: of pod_names__find(),
 * must outlive c.
 */
void cgroup_names__init(struct cgroup_names *c, char *mount, const char *root);
void cgroup_names__clear(struct cgroup_names *c);

/* A refresh begins: the groups of all open sockets are about to be found. */
void cgroup_names__refresh(struct cgroup_names *c);

/*
 * The group of a cgroup; valid until the next call of this function. An unknown id is looked for
 * again if its socket is younger than the last walk (first_ns, CLOCK_MONOTONIC), for
 * closed sockets at most every 50 ms: an open one must not change its group at the next refresh.
 * NULL: the id is 0, or its cgroup was removed before a walk. A name outlives its cgroup as long
 * as each refresh finds it.
 */
const struct cgroup_group *cgroup_names__find(struct cgroup_names *c, uint64_t id,
					      uint64_t first_ns, bool open);

/*
 * Walks, and gives the name of each existing cgroup's group to handle(). Names may come several
 * times. 0 or -errno: names are missing.
 */
int cgroup_names__each(struct cgroup_names *c, void (*handle)(void *arg, const char *group),
		       void *arg);

#endif
