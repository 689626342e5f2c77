/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups, by path and by id; see target.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "target.h"

#define CGROUP2_MAGIC 0x63677270

/* kernfs file handles (exportfs.h): the handle is the id, 64 bits since Linux 5.5. */
#define FILEID_KERNFS 0xfe

struct cgroup_handle {
	struct file_handle head;
	uint64_t id;
};

int target__open_cgroup(const char *path)
{
	/* Without O_NONBLOCK, opening a pipe would block. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	struct statfs fs;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode) && !fstatfs(fd, &fs) &&
	    fs.f_type == CGROUP2_MAGIC)
		return fd;
	close(fd);
	return -ENOTSUP;
}

/* In a removed directory nothing can be looked up, not even its own files. */
bool target__cgroup_is_gone(int cgroup)
{
	return faccessat(cgroup, "cgroup.procs", F_OK, 0) && errno == ENOENT;
}

/*
 * A walk through directories with one descriptor at any depth: users choose the depth of a
 * delegated tree, and its path can exceed PATH_MAX. `up` is the way back.
 */
struct walk {
	DIR *dir;
	struct level {
		dev_t dev;
		ino_t ino;
		long next;  /* telldir() after the entry into which the walk descended */
		size_t len; /* of its path */
	} * up;
	size_t depth;
	char *path; /* of dir, below the begin; "" there */
	size_t len;
	target_visit *visit;
	void *arg;
};

static int remember(struct walk *w)
{
	struct stat st;

	if (fstat(dirfd(w->dir), &st))
		return -errno;
	w->up = xgrow(w->up, w->depth, sizeof(*w->up));
	w->up[w->depth++] = (struct level){st.st_dev, st.st_ino, telldir(w->dir), w->len};
	return 0;
}

/* Closes fd in any case. */
static int replace_dir(struct walk *w, int fd)
{
	DIR *dir = fdopendir(fd);

	if (!dir) {
		int err = -errno;

		close(fd);
		return err;
	}
	closedir(w->dir);
	w->dir = dir;
	return 0;
}

static int open_below(const struct walk *w, const char *name)
{
	int fd = openat(dirfd(w->dir), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void append(struct walk *w, const char *name)
{
	size_t len = strlen(name);

	w->path = xreallocarray(w->path, w->len + len + 2, 1);
	w->path[w->len] = '/';
	memcpy(w->path + w->len + 1, name, len + 1);
	w->len += len + 1;
}

static void cut(struct walk *w, size_t len)
{
	w->len = len;
	w->path[len] = '\0';
}

static int visit(struct walk *w)
{
	struct stat st;

	if (fstat(dirfd(w->dir), &st))
		return -errno;
	return w->visit(w->arg, dirfd(w->dir), st.st_ino, w->path);
}

/* The owner of a cgroup may have closed it to others, who still see its name. */
static int visit_closed(struct walk *w, const struct dirent *entry)
{
	size_t len = w->len;
	int err;

	append(w, entry->d_name);
	err = w->visit(w->arg, -EACCES, entry->d_ino, w->path);
	cut(w, len);
	return err;
}

/* 1: the walk is in the directory. 0: that one vanished, and has no processes. Or -errno. */
static int go_down(struct walk *w, const struct dirent *entry)
{
	int fd = open_below(w, entry->d_name), err;

	if (fd == -ENOENT || fd == -ENODEV)
		return 0;
	if (fd == -EACCES)
		return visit_closed(w, entry);
	if (fd < 0)
		return fd;
	err = remember(w);
	if (err) {
		close(fd);
		return err;
	}
	append(w, entry->d_name);
	err = replace_dir(w, fd);
	return err ? err : 1;
}

static int go_up(struct walk *w)
{
	const struct level *to = &w->up[--w->depth];
	int fd = open_below(w, ".."), err;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || st.st_dev != to->dev || st.st_ino != to->ino) {
		close(fd);
		return -ESTALE; /* moved meanwhile */
	}
	err = replace_dir(w, fd);
	if (!err)
		seekdir(w->dir, to->next);
	cut(w, to->len);
	return err;
}

/* The next directory in this one: 1, 0 (none is left), or -errno. */
static int go_on(struct walk *w)
{
	const struct dirent *entry;
	int down = 0;

	while (!down && (entry = readdir(w->dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			down = go_down(w, entry);
	return down;
}

static int walk_all(struct walk *w)
{
	int err = visit(w);

	while (!err) {
		int down = go_on(w);

		if (down > 0)
			visit(w);
		else if (down || !w->depth)
			return down;
		else
			err = go_up(w);
	}
	return err;
}

int target__each_cgroup(const char *path, target_visit *handle, void *arg)
{
	struct walk w = {.dir = opendir(path), .visit = handle, .arg = arg};
	int err = -errno;

	if (w.dir) {
		w.path = xstrdup("");
		err = walk_all(&w);
		closedir(w.dir);
	}
	free(w.path);
	free(w.up);
	return err;
}

struct procs {
	void (*handle)(void *arg, pid_t pid);
	void *arg;
};

static int handle_procs(void *arg, int dir, uint64_t id, const char *path)
{
	const struct procs *p = arg;
	int fd = dir < 0 ? dir : openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC), pid;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	int err = f ? 0 : dir < 0 ? dir : -errno;

	(void)id, (void)path;
	if (!f && fd >= 0)
		close(fd);
	if (!f)
		return err;
	while (fscanf(f, "%d", &pid) == 1)
		p->handle(p->arg, pid);
	fclose(f);
	return 0;
}

int target__by_cgroup(const char *path, void (*handle)(void *arg, pid_t pid), void *arg)
{
	struct procs procs = {handle, arg};

	return target__each_cgroup(path, handle_procs, &procs);
}

/* Calls what() for each mount of cgroup v2 until it returns an answer, to be freed; NULL: none. */
static char *ask_mounts(char *(*what)(const char *mount, uint64_t id), uint64_t id)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *answer = NULL;

	while (f && !answer && (entry = getmntent(f)))
		if (!strcmp(entry->mnt_type, "cgroup2"))
			answer = what(entry->mnt_dir, id);
	if (f)
		endmntent(f);
	return answer;
}

static char *mount_itself(const char *mount, uint64_t id)
{
	(void)id;
	return xstrdup(mount);
}

char *target__cgroup_mount(void)
{
	return ask_mounts(mount_itself, 0);
}

static int open_by_id(const char *mount, uint64_t id)
{
	struct cgroup_handle handle = {
		.head = {.handle_bytes = sizeof(uint64_t), .handle_type = FILEID_KERNFS}, .id = id};
	int root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = root < 0 ? -1 : open_by_handle_at(root, &handle.head, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (root >= 0)
		close(root);
	return err ? err : fd;
}

/* NULL: the cgroup is gone, or not below this mount, which may be of a part of the hierarchy. */
static char *path_below(const char *mount, uint64_t id)
{
	int fd = open_by_id(mount, id);
	char link[64], path[4096];
	ssize_t len;

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (len < 0 || (size_t)len < strlen(mount) || strncmp(path, mount, strlen(mount)) != 0)
		return NULL;
	path[len] = '\0';
	if (!path[strlen(mount)])
		return xstrdup("/");
	return xstrdup(printable__in_place(path + strlen(mount)));
}

char *target__cgroup_path(uint64_t id)
{
	return id ? ask_mounts(path_below, id) : NULL;
}
