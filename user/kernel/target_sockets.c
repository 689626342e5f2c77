/* SPDX-License-Identifier: GPL-2.0-only */
/* Existing sockets of processes, by /proc/PID/fd and sock_diag; see target.h. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "host/netns.h"
#include "host/sock_diag.h"
#include "target.h"

struct owner {
	uint32_t inode;
	pid_t pid;
	uint64_t started;
};

/* Sockets of processes, by inode; the first of several owners of one. */
struct owners {
	struct owner *list;
	size_t nr;
};

static void take_fds(void *arg, pid_t pid)
{
	struct owners *o = arg;
	char path[64], link[64];
	struct owner owner = {.pid = pid};
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	owner.started = target__started(pid);
	while ((entry = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		if (len <= 0)
			continue;
		link[len] = '\0';
		if (sscanf(link, "socket:[%" SCNu32 "]", &owner.inode) != 1)
			continue;
		o->list = xgrow(o->list, o->nr, sizeof(*o->list));
		o->list[o->nr++] = owner;
	}
	closedir(dir);
}

static int by_inode(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return x->inode != y->inode ? ORDER(x->inode, y->inode) : ORDER(x->pid, y->pid);
}

/* The first of several owners; NULL: not known. */
static const struct owner *owner_of(const struct owners *o, uint32_t inode)
{
	size_t low = 0, high = o->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->list[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->nr && o->list[low].inode == inode ? &o->list[low] : NULL;
}

struct adoption {
	struct attach_probes *w;
	struct owners owners;
	bool anybody; /* also sockets without a known owner */
	const uint16_t *ports;
	size_t ports_nr;
	int err;
};

static bool port_wanted(const struct adoption *a, const struct sock_name *name)
{
	for (size_t i = 0; i < a->ports_nr; i++)
		if (a->ports[i] == name->local_port || a->ports[i] == name->remote_port)
			return true;
	return !a->ports_nr;
}

static void take_name(void *arg, const struct sock_name *name)
{
	struct adoption *a = arg;
	const struct owner *owner = owner_of(&a->owners, name->inode);
	struct nio_owner known = {0};
	int err;

	if ((!name->listens && !port_wanted(a, name)) || (!owner && !a->anybody))
		return;
	if (name->listens) {
		attach_probes__add_listener(a->w, name->local_port);
		return;
	}
	if (owner) {
		target__comm(owner->pid, known.comm);
		known.tgid = owner->pid;
		known.started = owner->started;
	}
	err = attach_probes__add_owner(a->w, name->cookie, &known);
	/* w counts sockets that did not fit. */
	if (err && err != -E2BIG)
		a->err = err;
}

static int visit(void *arg)
{
	return sock_diag__names(take_name, arg);
}

int target__adopt(const struct target *t, struct attach_probes *w, const pid_t *pids,
		  size_t pids_nr, const uint16_t *ports, size_t ports_nr)
{
	struct adoption a = {.w = w, .anybody = !pids, .ports = ports, .ports_nr = ports_nr};
	int err = 0;

	for (size_t i = 0; pids && i < pids_nr; i++)
		take_fds(&a.owners, pids[i]);
	if (!pids)
		target__each(take_fds, &a.owners);
	if (a.owners.nr)
		qsort(a.owners.list, a.owners.nr, sizeof(*a.owners.list), by_inode);
	for (size_t i = 0; i < t->netns_nr && !err; i++)
		err = netns__visit(t->netns[i].fd, visit, &a);
	free(a.owners.list);
	return err ? err : a.err;
}
