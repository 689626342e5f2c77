/* SPDX-License-Identifier: GPL-2.0-only */
/* Data sets as open files; see dataset_files.h. */
#include "dataset_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/invoker.h"
#include "base/path_walk.h"
#include "base/suffix.h"

/* One path as dataset_load.c spells it. */
struct held {
	char *path;
	int fd;
	bool directory;
};

static struct held *held;
static size_t held_nr, held_room;
static bool held_sorted;
static bool only_held;
static int held_err; /* why the path of dataset_files__hold_only() is not held */

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct held *)a)->path, ((const struct held *)b)->path);
}

static const struct held *find(const char *path)
{
	const struct held key = {.path = (char *)path};

	if (!held_nr)
		return NULL;
	if (!held_sorted)
		qsort(held, held_nr, sizeof(*held), compare_paths);
	held_sorted = true;
	return bsearch(&key, held, held_nr, sizeof(*held), compare_paths);
}

/* Takes path and fd. */
static bool add(char *path, int fd, bool directory)
{
	struct held *more;

	if (path && held_nr == held_room) {
		more = realloc(held, (held_room + 64) * sizeof(*held));
		if (more) {
			held = more;
			held_room += 64;
		}
	}
	if (!path || held_nr == held_room) {
		free(path);
		close(fd);
		return false;
	}
	held_sorted = false;
	held[held_nr++] = (struct held){path, fd, directory};
	return true;
}

static bool is_wanted(const char *name)
{
	return name[0] != '.' && (has_suffix(name, ".json") || has_suffix(name, ".csv"));
}

/* An entry of a directory; root follows no link of another user. -1: none. */
static int open_entry(int dir, const char *name, int flags, bool as_root)
{
	struct stat st;

	if (as_root &&
	    (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || (S_ISLNK(st.st_mode) && st.st_uid)))
		return -1;
	return openat(dir, name, flags | O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void hold_entries(const char *path, int dir, bool as_root)
{
	DIR *list = fdopendir(fcntl(dir, F_DUPFD_CLOEXEC, 3));
	const struct dirent *entry;
	char *name;
	int fd;

	if (!list)
		return;
	rewinddir(list);
	while ((entry = readdir(list))) {
		fd = is_wanted(entry->d_name) ? open_entry(dir, entry->d_name, 0, as_root) : -1;
		if (fd < 0)
			continue;
		if (asprintf(&name, "%s/%s", path, entry->d_name) < 0)
			name = NULL;
		if (!add(name, fd, false))
			break;
	}
	closedir(list);
}

static void hold_directory(const char *path, int dir, bool as_root)
{
	char *cells;
	int fd;

	hold_entries(path, dir, as_root);
	fd = open_entry(dir, "cells", O_DIRECTORY, as_root);
	if (fd < 0)
		return;
	if (asprintf(&cells, "%s/cells", path) < 0)
		cells = NULL;
	if (add(cells, fd, true))
		hold_entries(cells, fd, as_root);
}

/* Every file of a sweep is open at once. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* With the rights of the user that this thread's file system user is. */
static int hold_found(const char *path, const struct path_walk *w, bool as_root)
{
	char link[32];
	int fd;

	if (w->fd < 0)
		return -ENOENT;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->fd);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, 0);
	if (!add(strdup(path), fd, S_ISDIR(w->st.st_mode)))
		return -ENOMEM;
	if (S_ISDIR(w->st.st_mode))
		hold_directory(path, fd, as_root);
	return 0;
}

static int hold(const char *path)
{
	struct path_walk w;
	int err = path_walk__find_input(&w, path);

	if (err)
		return err;
	allow_many_files();
	err = path_walk__act_as_controller(&w);
	if (!err)
		err = hold_found(path, &w, path_walk__is_trusted(&w));
	path_walk__act_as_self();
	path_walk__close(&w);
	return err;
}

void dataset_files__hold(const char *path)
{
	uid_t uid;
	gid_t gid;

	if (!geteuid() && invoker__of_sudo(&uid, &gid) && !find(path))
		hold(path);
}

void dataset_files__hold_only(const char *path)
{
	if (geteuid() || find(path))
		return;
	only_held = true;
	held_err = hold(path);
}

void dataset_files__release(void)
{
	for (size_t i = 0; i < held_nr; i++) {
		free(held[i].path);
		close(held[i].fd);
	}
	free(held);
	held = NULL;
	only_held = false;
	held_nr = held_room = 0;
}

int dataset_files__is_directory(const char *path)
{
	const struct held *h = find(path);
	struct stat st;

	if (h)
		return h->directory;
	if (only_held)
		return held_err ? held_err : -ENOENT;
	if (stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode);
}

FILE *dataset_files__open(const char *path)
{
	const struct held *h = find(path);
	int fd;

	if (!h && only_held) {
		errno = EACCES;
		return NULL;
	}
	if (!h)
		return fopen(path, "re");
	fd = fcntl(h->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return NULL;
	/* It may have been read before; a pipe is read once. */
	lseek(fd, 0, SEEK_SET);
	return fdopen(fd, "r");
}

static int only_visible_json(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && has_suffix(entry->d_name, ".json");
}

/* The names of a directory that is held open are those of the files held with it. */
static DIR *open_list(const char *directory)
{
	const struct held *h = find(directory);
	int fd = h ? fcntl(h->fd, F_DUPFD_CLOEXEC, 3) : -1;
	DIR *list;

	if (!h && only_held) {
		errno = ENOENT;
		return NULL;
	}
	list = h ? fdopendir(fd) : opendir(directory);
	if (list)
		rewinddir(list);
	else if (fd >= 0)
		close(fd);
	return list;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(char ***names, int nr, const char *name)
{
	char **more = realloc(*names, ((size_t)nr + 1) * sizeof(**names));

	if (!more)
		return -ENOMEM;
	*names = more;
	more[nr] = strdup(name);
	return more[nr] ? 0 : -ENOMEM;
}

int dataset_files__list(const char *directory, char ***names)
{
	DIR *list = open_list(directory);
	const struct dirent *entry;
	int nr = 0, err = 0;

	*names = NULL;
	if (!list)
		return -errno;
	while (!err && (entry = readdir(list))) {
		if (!only_visible_json(entry))
			continue;
		err = add_name(names, nr, entry->d_name);
		nr += !err;
	}
	closedir(list);
	if (err) {
		dataset_files__free_names(*names, nr);
		*names = NULL;
		return err;
	}
	if (nr)
		qsort(*names, (size_t)nr, sizeof(**names), compare_names);
	return nr;
}

void dataset_files__free_names(char **names, int nr)
{
	while (nr-- > 0)
		free(names[nr]);
	free(names);
}
