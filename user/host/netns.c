/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns moving the calling task between network namespaces, and finding them; see netns.h. */
#include "netns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xalloc.h"

static int netns__self(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int netns__enter(int fd)
{
	return setns(fd, CLONE_NEWNET) ? -errno : 0;
}

/* A failed return outranks err: the task is stranded. */
static int netns__return(int home, int err)
{
	int back = netns__enter(home);

	close(home);
	return back ? back : err;
}

int netns__create(int (*visit)(void *arg), void *arg)
{
	int home, fd, err;

	home = netns__self();
	if (home < 0)
		return home;
	if (unshare(CLONE_NEWNET)) {
		err = -errno;
		close(home);
		return err;
	}
	fd = netns__self();
	err = fd < 0 ? fd : visit(arg);
	err = netns__return(home, err);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

int netns__visit(int fd, int (*visit)(void *arg), void *arg)
{
	struct stat from, to;
	int home, err;

	if (fd < 0)
		return visit(arg);
	home = netns__self();
	if (home < 0)
		return home;
	/* To enter any namespace, also the own one, takes CAP_SYS_ADMIN. */
	if (!fstat(fd, &to) && !fstat(home, &from) && to.st_ino == from.st_ino) {
		close(home);
		return visit(arg);
	}
	err = netns__enter(fd);
	if (err) {
		close(home);
		return err;
	}
	return netns__return(home, visit(arg));
}

struct seen {
	ino_t *inodes;
	size_t nr;
};

/* Is it new? */
static bool seen__add(struct seen *seen, ino_t inode)
{
	for (size_t i = 0; i < seen->nr; i++)
		if (seen->inodes[i] == inode)
			return false;
	seen->inodes = xgrow(seen->inodes, seen->nr, sizeof(*seen->inodes));
	seen->inodes[seen->nr++] = inode;
	return true;
}

struct search {
	struct seen seen;
	void (*visit)(int fd, void *arg);
	void *arg;
};

static void visit_file(struct search *s, const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !seen__add(&s->seen, st.st_ino))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	s->visit(fd, s->arg);
	close(fd);
}

static void visit_processes(struct search *s)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char path[64];

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/ns/net", entry->d_name);
		visit_file(s, path);
	}
	if (proc)
		closedir(proc);
}

/* `ip netns` mounts them there, with or without a process. */
static void visit_named(struct search *s)
{
	DIR *named = opendir("/run/netns");
	struct dirent *entry;
	char path[300];

	while (named && (entry = readdir(named))) {
		snprintf(path, sizeof(path), "/run/netns/%s", entry->d_name);
		if (entry->d_name[0] != '.')
			visit_file(s, path);
	}
	if (named)
		closedir(named);
}

void netns__each(void (*visit)(int fd, void *arg), void *arg)
{
	struct search s = {.visit = visit, .arg = arg};

	visit_processes(&s);
	visit_named(&s);
	free(s.seen.inodes);
}
