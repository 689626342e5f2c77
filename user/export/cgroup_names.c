/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the group names of cgroups by id; see cgroup_names.h. */
#include "cgroup_names.h"

#include <search.h>
#include <stdlib.h>

#include "base/loop.h"
#include "common/xalloc.h"
#include "group_name.h"
#include "kernel/target.h"

/* More cgroups than this are forgotten together: ids are never used again. */
#define NAMES_MAX 16384

#define WALK_PERIOD_NS 50000000ULL

struct name {
	uint64_t id;
	char group[GROUP_NAME_MAX]; /* a path of any length is not kept */
};

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct name *)a)->id, y = ((const struct name *)b)->id;

	return (x > y) - (x < y);
}

static void forget(struct cgroup_names *c)
{
	tdestroy(c->tree, free);
	c->tree = NULL;
	c->nr = 0;
}

void cgroup_names__init(struct cgroup_names *c, char *mount)
{
	*c = (struct cgroup_names){.mount = mount};
}

void cgroup_names__clear(struct cgroup_names *c)
{
	forget(c);
	free(c->mount);
	*c = (struct cgroup_names){0};
}

static void add(struct cgroup_names *c, uint64_t id, const char *path)
{
	struct name *n = xmalloc(sizeof(*n)), **found;

	*n = (struct name){.id = id};
	group_name__of_cgroup(n->group, path);
	found = tsearch(n, &c->tree, compare);
	if (!found)
		xalloc_die();
	if (*found != n)
		free(n);
	else
		c->nr++;
}

static int note(void *arg, int dir, uint64_t id, const char *path)
{
	(void)dir;
	add(arg, id, path);
	return 0;
}

const char *cgroup_names__find(struct cgroup_names *c, uint64_t id, uint64_t first_ns)
{
	struct name key = {.id = id}, **found = tfind(&key, &c->tree, compare);
	uint64_t now = loop__now_ns();

	if (!found && id && c->mount && c->walked_ns <= first_ns &&
	    now - c->walked_ns > WALK_PERIOD_NS) {
		if (c->nr > NAMES_MAX)
			forget(c);
		c->walked_ns = now;
		target__each_cgroup(c->mount, note, c);
		found = tfind(&key, &c->tree, compare);
	}
	return found ? (*found)->group : NULL;
}
