/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the group names of cgroups by id; see cgroup_names.h. */
#include "cgroup_names.h"

#include <errno.h>
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
	uint64_t id, walk;          /* the last walk that met the cgroup */
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

static int note(void *arg, int dir, uint64_t id, const char *path)
{
	struct cgroup_names *c = arg;
	struct name key = {.id = id}, *n, **found = tfind(&key, &c->tree, compare);

	(void)dir;
	if (found) {
		(*found)->walk = c->walks;
		return 0;
	}
	n = xmalloc(sizeof(*n));
	*n = (struct name){.id = id, .walk = c->walks};
	group_name__of_cgroup(n->group, path);
	if (!tsearch(n, &c->tree, compare))
		xalloc_die();
	c->nr++;
	return 0;
}

static int walk(struct cgroup_names *c)
{
	if (!c->mount)
		return -ENOENT;
	if (c->nr > NAMES_MAX)
		forget(c);
	c->walked_ns = loop__now_ns();
	c->walks++;
	return target__each_cgroup(c->mount, note, c);
}

const char *cgroup_names__find(struct cgroup_names *c, uint64_t id, uint64_t first_ns, bool open)
{
	struct name key = {.id = id}, **found = tfind(&key, &c->tree, compare);
	bool soon = !open && loop__now_ns() - c->walked_ns <= WALK_PERIOD_NS;

	if (!found && id && c->walked_ns <= first_ns && !soon) {
		walk(c);
		found = tfind(&key, &c->tree, compare);
	}
	return found ? (*found)->group : NULL;
}

struct giving {
	const struct cgroup_names *c;
	void (*take)(void *arg, const char *group);
	void *arg;
};

static void give(const void *node, VISIT visit, void *arg)
{
	const struct name *n = *(struct name *const *)node;
	const struct giving *g = arg;

	if ((visit == postorder || visit == leaf) && n->walk == g->c->walks)
		g->take(g->arg, n->group);
}

int cgroup_names__each(struct cgroup_names *c, void (*take)(void *arg, const char *group),
		       void *arg)
{
	struct giving g = {c, take, arg};
	int err = walk(c);

	if (!err)
		twalk_r(c->tree, give, &g);
	return err;
}
