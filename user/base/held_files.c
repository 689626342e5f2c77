/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the inputs that root holds open; see held_files.h. */
#include "held_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "loop.h"
#include "path_walk.h"
#include "printable.h"
#include "resource_limits.h"
#include "sudo_user.h"

/* One path as the functions below spell it. */
struct held {
	char *path;
	int fd;
	bool directory;
};

static struct held *held;
static size_t held_nr;

static bool is_held(const char *path)
{
	for (size_t i = 0; i < held_nr; i++)
		if (!strcmp(held[i].path, path))
			return true;
	return false;
}

/* Takes path and fd. */
static void add_held(char *path, int fd, bool directory)
{
	held = xgrow(held, held_nr, sizeof(*held));
	held[held_nr++] = (struct held){path, fd, directory};
}

static bool is_wanted(const char *name)
{
	return name[0] != '.' && (has_suffix(name, ".json") || !strcmp(name, "cells.tar.xz"));
}

/* A regular file of a directory, or -1: not a link, unless root's rights were given up. */
static int open_entry(int dir, const char *name, bool as_root)
{
	int fd = openat(dir, name, (as_root ? O_NOFOLLOW : 0) | O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		fd__close(&fd);
	if (fd >= 0)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

static void hold_entries(const char *path, int dir, bool as_root)
{
	DIR *list = fdopendir(fcntl(dir, F_DUPFD_CLOEXEC, 3));
	const struct dirent *entry;

	if (!list)
		return;
	rewinddir(list);
	while ((entry = readdir(list))) {
		char *file;
		int fd;

		if (!is_wanted(entry->d_name))
			continue;
		file = xasprintf("%s/%s", path, entry->d_name);
		fd = open_entry(dir, entry->d_name, as_root);
		/* A link may lead to what another user controls. */
		if (fd < 0 && as_root && errno == ELOOP)
			fd = path_walk__open_file(file);
		if (fd >= 0)
			add_held(file, fd, false);
		else
			free(file);
	}
	closedir(list);
}

/* With the rights of the user that this thread's file system user is. */
static void hold_found(const char *path, const struct path_walk *w, bool as_root)
{
	int fd = path_walk__open(w);

	if (fd < 0)
		return;
	fcntl(fd, F_SETFL, 0);
	add_held(xstrdup(path), fd, S_ISDIR(w->st.st_mode));
	if (S_ISDIR(w->st.st_mode))
		hold_entries(path, fd, as_root);
}

/* True: it is a directory. */
static bool hold_one(const char *path)
{
	struct path_walk w;
	bool directory;

	if (path_walk__find_input(&w, path))
		return false;
	directory = w.fd >= 0 && S_ISDIR(w.st.st_mode);
	/* Every file of a sweep is open at once. */
	limits__raise();
	if (!path_walk__act_as_controller(&w))
		hold_found(path, &w, path_walk__is_trusted(&w));
	path_walk__act_as_self();
	path_walk__close(&w);
	return directory;
}

/* The cells of a sweep may be another user's than the directory around them. */
static void hold_path(const char *path)
{
	char *cells = xasprintf("%s/cells", path);

	if (hold_one(path))
		hold_one(cells);
	free(cells);
}

void held_files__hold(const char *path)
{
	uid_t uid;
	gid_t gid;

	if (!geteuid() && sudo_user__of_sudo(&uid, &gid) && !is_held(path))
		hold_path(path);
}

void held_files__hold_as_root(const char *path)
{
	if (!geteuid() && !is_held(path))
		hold_path(path);
}

void held_files__release(void)
{
	for (size_t i = 0; i < held_nr; i++) {
		free(held[i].path);
		close(held[i].fd);
	}
	free(held);
	held = NULL;
	held_nr = 0;
}

void held_files__pass_on(FILE *f)
{
	for (size_t i = 0; i < held_nr; i++) {
		fcntl(held[i].fd, F_SETFD, 0);
		fprintf(f, "%s%c%d%c%c%c", held[i].path, 0, held[i].fd, 0,
			held[i].directory ? 'd' : 'f', 0);
	}
}
