/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns finding the packet taps of a path and the processes that hold them; see tap.h. */
#include "tap.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_file.h"
#include "bpf/netiotrace.h"
#include "netns.h"
#include "model/tap_parse.h"

/* Of the thread: /proc/net shows the namespace of the thread group leader. */
#define PROC_PACKET "/proc/thread-self/net/packet"
#define PROC_PTYPE  "/proc/thread-self/net/ptype"
#define LINE_LEN    512

/* What a visit to one namespace looks for. */
struct search {
	struct taps *taps;
	const char *device;
	int ifindex;
	bool sender, receiver; /* whose packets the taps there see */
	bool elsewhere;
};

static bool same_tap(const struct tap *a, const struct tap *b)
{
	return a->inode == b->inode && a->sender == b->sender && a->receiver == b->receiver &&
	       (a->inode || (!strcmp(a->device, b->device) && !strcmp(a->function, b->function)));
}

static void add(struct taps *taps, const struct tap *found)
{
	struct tap *t = taps->list;

	while (t < taps->list + taps->nr && !same_tap(t, found))
		t++;
	if (t == taps->list + TAPS_MAX) {
		taps->more++;
		return;
	}
	if (t == taps->list + taps->nr) {
		*t = *found;
		t->at_start = !taps->searches;
		t->pid.reason = "not looked up yet";
		taps->nr++;
	}
	t->open = t->in_run = true;
}

static int for_each_line(const char *path, void (*handle)(struct search *l, const char *line),
			 struct search *l)
{
	char line[LINE_LEN];
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		handle(l, line);
	fclose(f);
	return 0;
}

static void add_socket(struct search *l, const char *line)
{
	struct tap tap = {.sender = l->sender, .receiver = l->receiver, .elsewhere = l->elsewhere};
	struct tap_socket s;

	if (tap_parse__socket(line, &s) || !tap_socket__taps(&s, l->ifindex))
		return;
	tap.inode = s.inode;
	if (s.ifindex)
		snprintf(tap.device, sizeof(tap.device), "%s", l->device);
	add(l->taps, &tap);
}

/* Adds hooks of the kernel. For sockets on a device, records the function, or "several". */
static void add_hook(struct search *l, const char *line)
{
	struct tap tap = {.sender = l->sender, .receiver = l->receiver};
	struct tap_hook h;

	if (tap_parse__hook(line, &h) || !tap_hook__taps(&h, l->device))
		return;
	if (!tap_hook__is_socket(&h)) {
		memcpy(tap.device, h.device, sizeof(tap.device));
		memcpy(tap.function, h.function, sizeof(tap.function));
		add(l->taps, &tap);
		return;
	}
	for (unsigned int i = 0; i < l->taps->nr; i++) {
		struct tap *t = &l->taps->list[i];

		if (!t->open || !t->inode || t->sender != l->sender || t->receiver != l->receiver ||
		    strcmp(t->device, h.device))
			continue;
		if (t->function[0] && strcmp(t->function, h.function))
			strcpy(t->function, "several");
		else
			memcpy(t->function, h.function, sizeof(t->function));
	}
}

static int search_here(void *arg)
{
	struct search *l = arg;
	int err;

	l->ifindex = if_nametoindex(l->device);
	if (!l->ifindex)
		return -errno;
	err = for_each_line(PROC_PACKET, add_socket, l);
	/* No such file: the kernel has no packet sockets. */
	if (err && err != -ENOENT)
		return err;
	err = for_each_line(PROC_PTYPE, add_hook, l);
	return err == -ENOENT && !access("/proc/thread-self/net", F_OK) ? 0 : err;
}

/* ---- other namespaces ---- */

struct elsewhere {
	struct search search;
	ino_t own[NIO_SIDE_NR]; /* the path's namespaces, already visited */
};

static ino_t inode_of_netns(int fd)
{
	struct stat st;

	if (fd < 0 ? stat("/proc/thread-self/ns/net", &st) : fstat(fd, &st))
		return 0;
	return st.st_ino;
}

static int search_unbound(void *arg)
{
	return for_each_line(PROC_PACKET, add_socket, arg);
}

static void search_netns(int fd, void *arg)
{
	struct elsewhere *e = arg;
	ino_t inode = inode_of_netns(fd);

	/* A namespace that cannot be visited counts as one without taps. */
	if (inode != e->own[NIO_SIDE_SENDER] && inode != e->own[NIO_SIDE_RECEIVER])
		netns__visit(fd, search_unbound, &e->search);
}

/* Before 6.15 a tap on every device makes all namespaces copy (ptype_all; docs/KERNELS.md). */
static void search_elsewhere(struct taps *taps, const struct netpath *path)
{
	struct elsewhere e = {
		.search = {.taps = taps,
			   .device = "",
			   .ifindex = INT_MAX, /* no device: only sockets on every device */
			   .sender = true,
			   .receiver = netpath__side_device(path, NIO_SIDE_RECEIVER) != NULL,
			   .elsewhere = true},
	};

	if (!taps->per_netns.known || taps->per_netns.value)
		return;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		e.own[side] = inode_of_netns(path->netns[side]);
	netns__each(search_netns, &e);
}

/* Looks at a device in a namespace. Taps on another machine (device NULL) are not visible. */
static int search_in(struct taps *taps, int netns, const char *device, bool sender, bool receiver)
{
	struct search l = {.taps = taps, .device = device, .sender = sender, .receiver = receiver};

	return device ? netns__visit(netns, search_here, &l) : 0;
}

static int search_path(struct taps *taps, const struct netpath *path)
{
	const char *near = netpath__side_device(path, NIO_SIDE_SENDER);
	const char *far = netpath__side_device(path, NIO_SIDE_RECEIVER);
	const int *netns = path->netns;
	int err;

	if (netns[NIO_SIDE_SENDER] == netns[NIO_SIDE_RECEIVER])
		return search_in(taps, netns[NIO_SIDE_SENDER], near, true, far);
	err = search_in(taps, netns[NIO_SIDE_SENDER], near, true, false);
	return err ? err : search_in(taps, netns[NIO_SIDE_RECEIVER], far, false, true);
}

/* ---- processes that hold them ---- */

static void add_descriptor(struct taps *taps, const char *pid, int dir, const char *name)
{
	char link[64];
	ssize_t len = readlinkat(dir, name, link, sizeof(link) - 1);
	uint64_t inode;

	if (len < 0)
		return;
	link[len] = '\0';
	if (sscanf(link, "socket:[%" SCNu64 "]", &inode) != 1)
		return;
	for (unsigned int i = 0; i < taps->nr; i++) {
		struct tap *t = &taps->list[i];

		if (t->inode != inode || t->pid.known)
			continue;
		t->pid = num__known(strtoull(pid, NULL, 10));
		snprintf(link, sizeof(link), "/proc/%.20s/comm", pid);
		read_file__line(link, t->process, sizeof(t->process));
	}
}

/* false: the process's descriptors are not readable. */
static bool search_process(struct taps *taps, const char *pid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT;
	while ((entry = readdir(dir)))
		add_descriptor(taps, pid, dirfd(dir), entry->d_name);
	closedir(dir);
	return true;
}

static bool any_unnamed(const struct taps *taps)
{
	for (unsigned int i = 0; i < taps->nr; i++)
		if (taps->list[i].open && taps->list[i].inode && !taps->list[i].pid.known)
			return true;
	return false;
}

/* Names the first process that holds a socket; others may share the socket. */
static void find_holders(struct taps *taps)
{
	bool all_seen = true;
	struct dirent *entry;
	DIR *proc;

	if (!any_unnamed(taps))
		return;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			all_seen &= search_process(taps, entry->d_name);
	if (proc)
		closedir(proc);
	for (unsigned int i = 0; i < taps->nr; i++)
		if (!taps->list[i].pid.known)
			taps->list[i].pid.reason =
				all_seen ? "no process in sight holds it"
					 : "only root can see which process holds it";
}

static const char *why_not(int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		return "the path's network namespace may not be looked into (run as root)";
	case ENOENT:
		return "/proc/net/ptype cannot be read";
	case ENODEV:
		return "the path's device is gone";
	default:
		return "/proc/net/packet could not be read";
	}
}

void tap__begin(struct taps *taps, const struct netpath *path, struct flag per_netns)
{
	*taps = (struct taps){.per_netns = per_netns};
	tap__search(taps, path);
}

void tap__search(struct taps *taps, const struct netpath *path)
{
	int err;

	for (unsigned int i = 0; i < taps->nr; i++) {
		taps->list[i].in_run = taps->list[i].open;
		taps->list[i].open = false;
	}
	taps->more = 0;
	err = path ? search_path(taps, path) : 0;
	if (path)
		search_elsewhere(taps, path);
	find_holders(taps);
	taps->known = path && !err;
	taps->reason = !path ? "no path was made" : err ? why_not(err) : NULL;
	taps->searches++;
}
