/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the paths of cgroups by id, found by walking the mount: that needs no privilege. */
#ifndef EXPORT_CGROUP_NAMES_H
#define EXPORT_CGROUP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cgroup_names {
	char *mount; /* of cgroup v2; NULL: none */
	void *tree;  /* tsearch(3) */
	size_t nr;
	bool walked; /* since cgroup_names__refresh() */
};

/* mount: owned from now on, from malloc(); NULL: no cgroup is found. */
void cgroup_names__init(struct cgroup_names *c, char *mount);
void cgroup_names__clear(struct cgroup_names *c);

/* Allows one walk of the mount for ids that are not known yet. Call once per refresh. */
void cgroup_names__refresh(struct cgroup_names *c);

/*
 * The path below the mount, beginning with a slash; valid until the next refresh. NULL: the id is
 * 0, or its cgroup was removed before it was seen. A path outlives its cgroup.
 */
const char *cgroup_names__find(struct cgroup_names *c, uint64_t id);

#endif
