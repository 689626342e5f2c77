/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the group names of cgroups by id; see cgroup_names.h. */
#include "cgroup_names.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/loop.h"
#include "common/xalloc.h"
#include "kernel/target.h"

#define NAMES_MAX 16384

#define WALK_PERIOD_NS 50000000ULL
#define WAIT_NS        30000000000ULL

struct name {
	uint64_t id;
	uint64_t walk;    /* the last one that met the cgroup */
	uint64_t refresh; /* the last one in which a socket had it */
	/* CLOCK_MONOTONIC: the first and the last search for the names of its pod. 0: none */
	uint64_t first_look_ns, looked_ns;
	struct cgroup_group group; /* a path of any length is not kept */
	struct pod_id pod;         /* "": of no pod, or its names are final */
};

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct name *)a)->id, y = ((const struct name *)b)->id;

	return (x > y) - (x < y);
}

static void free_name(void *name)
{
	free(((struct name *)name)->group.pod);
	free(name);
}

void cgroup_names__init(struct cgroup_names *c, char *mount, const char *root)
{
	*c = (struct cgroup_names){
		.mount = mount, .root = root, .most = NAMES_MAX, .wait_ns = WAIT_NS};
}

void cgroup_names__clear(struct cgroup_names *c)
{
	tdestroy(c->tree, free_name);
	free(c->mount);
	*c = (struct cgroup_names){0};
}

void cgroup_names__refresh(struct cgroup_names *c)
{
	c->refreshes++;
}

struct unused {
	const struct cgroup_names *c;
	struct name **list;
	size_t nr;
};

static void note_unused(const void *node, VISIT visit, void *arg)
{
	struct name *n = *(struct name *const *)node;
	struct unused *u = arg;

	if ((visit == postorder || visit == leaf) && n->walk != u->c->walks &&
	    n->refresh + 1 < u->c->refreshes)
		u->list[u->nr++] = n;
}

static void forget_unused(struct cgroup_names *c)
{
	struct unused u = {.c = c, .list = xcalloc(c->nr, sizeof(*u.list))};

	twalk_r(c->tree, note_unused, &u);
	for (size_t i = 0; i < u.nr; i++) {
		tdelete(u.list[i], &c->tree, compare);
		free_name(u.list[i]);
	}
	c->nr -= u.nr;
	free(u.list);
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
	*n = (struct name){.id = id, .walk = c->walks, .refresh = c->refreshes};
	pod_id__of_cgroup(path, &n->pod);
	group_name__of_cgroup(n->group.name, path);
	if (!tsearch(n, &c->tree, compare))
		xalloc_die();
	c->nr++;
	return 0;
}

static int walk(struct cgroup_names *c)
{
	int err;

	if (!c->mount)
		return -ENOENT;
	c->walked_ns = loop__now_ns();
	c->walks++;
	err = target__each_cgroup(c->mount, note, c);
	if (!err && c->nr > c->most)
		forget_unused(c);
	return err;
}

static void find_pod(const struct cgroup_names *c, struct name *n)
{
	uint64_t now_ns = loop__now_ns();
	struct pod_names names;

	if (!n->pod.uid[0] || now_ns - n->looked_ns < WALK_PERIOD_NS)
		return;
	n->looked_ns = now_ns;
	if (!n->first_look_ns)
		n->first_look_ns = now_ns;
	if (pod_names__find(c->root, &n->pod, &names)) {
		if (!n->group.pod)
			n->group.pod = xmalloc(sizeof(names));
		*n->group.pod = names;
		group_name__of_pod(n->group.name, &n->pod, names.container);
	}
	n->group.waits = n->pod.container[0] && !names.container[0] &&
			 now_ns - n->first_look_ns < c->wait_ns;
	if (!n->group.waits)
		n->pod.uid[0] = '\0';
}

const struct cgroup_group *cgroup_names__find(struct cgroup_names *c, uint64_t id,
					      uint64_t first_ns, bool open)
{
	struct name key = {.id = id}, **found = tfind(&key, &c->tree, compare);
	bool soon = !open && loop__now_ns() - c->walked_ns <= WALK_PERIOD_NS;

	if (!found && id && c->walked_ns <= first_ns && !soon) {
		walk(c);
		found = tfind(&key, &c->tree, compare);
	}
	if (!found)
		return NULL;
	(*found)->refresh = c->refreshes;
	find_pod(c, *found);
	return &(*found)->group;
}

struct giving {
	const struct cgroup_names *c;
	void (*handle)(void *arg, const char *group);
	void *arg;
};

static void give(const void *node, VISIT visit, void *arg)
{
	const struct name *n = *(struct name *const *)node;
	const struct giving *g = arg;

	if ((visit == postorder || visit == leaf) && n->walk == g->c->walks)
		g->handle(g->arg, n->group.name);
}

int cgroup_names__each(struct cgroup_names *c, void (*handle)(void *arg, const char *group),
		       void *arg)
{
	struct giving g = {c, handle, arg};
	int err = walk(c);

	if (!err)
		twalk_r(c->tree, give, &g);
	return err;
}
