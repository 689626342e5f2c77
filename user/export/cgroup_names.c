/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the paths of cgroups by id; see cgroup_names.h. */
#include "cgroup_names.h"

#include <fts.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/loop.h"
#include "common/xalloc.h"

/* More cgroups than this are forgotten together: ids are never used again. */
#define NAMES_MAX 16384

#define WALK_PERIOD_NS 50000000ULL

struct name {
	uint64_t id;
	char *path;
};

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct name *)a)->id, y = ((const struct name *)b)->id;

	return (x > y) - (x < y);
}

static void free_name(void *arg)
{
	struct name *n = arg;

	free(n->path);
	free(n);
}

static void forget(struct cgroup_names *c)
{
	tdestroy(c->tree, free_name);
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

	*n = (struct name){.id = id, .path = xstrdup(*path ? path : "/")};
	found = tsearch(n, &c->tree, compare);
	if (!found)
		xalloc_die();
	if (*found != n)
		free_name(n);
	else
		c->nr++;
}

/* The id of a cgroup is the inode number of its directory (cgroup_id(), 64-bit kernels). */
static void walk(struct cgroup_names *c)
{
	char *paths[] = {c->mount, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	size_t below = strlen(c->mount);
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_D)
			add(c, e->fts_statp->st_ino, e->fts_path + below);
	if (fts)
		fts_close(fts);
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
		walk(c);
		found = tfind(&key, &c->tree, compare);
	}
	return found ? (*found)->path : NULL;
}
