/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the walk of a path to open descriptors; see path_walk.h. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sudo_user.h"
#include "path_walk.h"

#define LINKS_MAX    40 /* MAXSYMLINKS of the kernel */
#define NGROUPS_KEPT 1024

struct walk {
	struct path_walk *found;
	char rest[PATH_MAX]; /* not yet walked */
	int links;
	bool output;
};

bool path_walk__same_object(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int path_walk__open_parent(int dir, const char *name, const char **base)
{
	const char *slash = strchr(name, '/');
	char parent[NAME_MAX + 1] = ".";
	int fd;

	*base = slash ? slash + 1 : name;
	if (slash && slash - name > NAME_MAX)
		return -ENAMETOOLONG;
	if (slash)
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
	fd = openat(dir, parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool is_invoker(uid_t uid)
{
	uid_t invoker;
	gid_t gid;

	return !sudo_user__of_sudo(&invoker, &gid) && uid == invoker;
}

static void add_controller(uid_t *controller, uid_t uid)
{
	if (!uid)
		return;
	*controller = !*controller || *controller == uid ? uid : PATH_WALK_NOBODY;
}

/* Adds the users who can replace an entry of a directory. */
static void add_directory(struct path_walk *w, const struct stat *dir, const struct stat *entry)
{
	add_controller(&w->controller, dir->st_uid);
	if (!(dir->st_mode & S_IWOTH))
		return;
	add_controller(&w->controller, (dir->st_mode & S_ISVTX) ? entry->st_uid : PATH_WALK_NOBODY);
}

/* May an output follow this link? The first rule is fs.protected_symlinks=1. */
static bool may_follow(struct path_walk *w, const struct stat *dir, const struct stat *link)
{
	bool shared = (dir->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);

	if (shared && link->st_uid != geteuid() && link->st_uid != dir->st_uid && link->st_uid &&
	    !is_invoker(link->st_uid))
		return false;
	if (geteuid() || !link->st_uid || is_invoker(link->st_uid))
		return true;
	add_controller(&w->link_owner, link->st_uid);
	return true;
}

/* Groups of root while this process acts as another user. */
static gid_t groups[NGROUPS_KEPT];
static int groups_nr = -1;

static int put_groups_aside(void)
{
	int nr = groups_nr >= 0 ? groups_nr : getgroups(NGROUPS_KEPT, groups);

	if (nr < 0 || setgroups(0, NULL))
		return -errno;
	groups_nr = nr;
	return 0;
}

int path_walk__act_as_controller(const struct path_walk *w)
{
	if (geteuid() || path_walk__is_trusted(w))
		return 0;
	if (put_groups_aside())
		return -EPERM;
	setfsgid(w->fd >= 0 && w->st.st_uid == w->controller ? w->st.st_gid : PATH_WALK_NOBODY);
	setfsuid(w->controller);
	/* setfsuid() returns the previous value; an invalid value changes nothing. */
	return (uid_t)setfsuid((uid_t)-1) == w->controller ? 0 : -EPERM;
}

void path_walk__act_as_self(void)
{
	setfsuid(geteuid());
	setfsgid(getegid());
	if (groups_nr >= 0)
		setgroups((size_t)groups_nr, groups);
	groups_nr = -1;
}

/* Takes the next component. false: there is none, or *err is set. */
static bool next_component(struct walk *k, char name[NAME_MAX + 1], int *err)
{
	char *begin = k->rest + strspn(k->rest, "/");
	size_t len = strcspn(begin, "/");

	if (!len)
		return false;
	if (len > NAME_MAX) {
		*err = -ENAMETOOLONG;
		return false;
	}
	memcpy(name, begin, len);
	name[len] = '\0';
	memmove(k->rest, begin + len, strlen(begin + len) + 1);
	return true;
}

static void move_to(int *fd, int next)
{
	if (*fd >= 0)
		close(*fd);
	*fd = next;
}

/* Makes a directory ("/", "." or "..") the place of the walk. */
static int enter(struct path_walk *w, const char *name)
{
	int fd = openat(w->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	move_to(&w->dir, fd);
	return 0;
}

/* Puts the target of a link in front of the rest of the path. */
static int splice_link(struct walk *k, int link)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);
	size_t rest = strlen(k->rest);

	if (len <= 0)
		return len ? -errno : -ENOENT;
	if ((size_t)len + 1 + rest >= PATH_MAX)
		return -ENAMETOOLONG;
	memmove(k->rest + len + 1, k->rest, rest + 1);
	memcpy(k->rest, target, (size_t)len);
	k->rest[len] = rest ? '/' : '\0';
	return *target == '/' ? enter(k->found, "/") : 0;
}

static int follow(struct walk *k, const char *name, int link, const struct stat *dir,
		  const struct stat *st, int *object)
{
	struct statfs fs;

	if (++k->links > LINKS_MAX)
		return -ELOOP;
	if (k->output && !may_follow(k->found, dir, st))
		return -EACCES;
	add_controller(&k->found->controller, st->st_uid);
	if (!k->output && path_walk__act_as_controller(k->found))
		return -EPERM;
	if (fstatfs(link, &fs) || fs.f_type != PROC_SUPER_MAGIC)
		return splice_link(k, link);
	/* A magic link names an object; its text need not be a path (proc(5)). */
	*object = openat(k->found->dir, name, O_PATH | O_CLOEXEC);
	return *object < 0 ? -errno : 0;
}

static int end_at(struct path_walk *w, const char *name, int object)
{
	strcpy(w->name, name);
	w->fd = object;
	if (object >= 0 && fstat(object, &w->st))
		return -errno;
	if (object >= 0)
		add_controller(&w->controller, w->st.st_uid);
	return 0;
}

/* Walks one component and sets *ended at the last one. */
static int step(struct walk *k, const char *name, bool *ended)
{
	struct path_walk *w = k->found;
	struct stat dir, st;
	int object = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), link, err;
	bool last = !k->rest[strspn(k->rest, "/")], by_proc = false;

	if (object < 0 && (errno != ENOENT || !last))
		return -errno;
	if (object >= 0 && (fstat(w->dir, &dir) || fstat(object, &st))) {
		close(object);
		return -EIO;
	}
	if (object >= 0)
		add_directory(w, &dir, &st);
	if (object >= 0 && S_ISLNK(st.st_mode)) {
		link = object;
		object = -1;
		err = follow(k, name, link, &dir, &st, &object);
		close(link);
		if (err || object < 0)
			return err;
		by_proc = true;
	}
	if (last) {
		*ended = true;
		w->is_open_file = by_proc;
		return end_at(w, name, object);
	}
	move_to(&w->dir, object);
	return k->output ? 0 : path_walk__act_as_controller(w);
}

/* The path ends in ".", ".." or "/": the kernel names the directory. */
static int end_at_directory(struct path_walk *w, int object)
{
	char link[32], path[PATH_MAX];
	struct stat st;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", object);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = '\0';
	move_to(&w->dir, openat(object, "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (end_at(w, ".", object) || w->dir < 0)
		return -errno;
	len = len <= 0 ? 0 : strrchr(path, '/') + 1 - path;
	if (path[len] && strlen(path + len) <= NAME_MAX && !fstatat(w->dir, path + len, &st, 0) &&
	    path_walk__same_object(&st, &w->st))
		strcpy(w->name, path + len);
	return 0;
}

static int walk_all(struct walk *k)
{
	struct path_walk *w = k->found;
	char name[NAME_MAX + 1] = "";
	bool ended = false;
	int err = 0, object;

	while (!err && !ended && next_component(k, name, &err))
		err = !strcmp(name, ".") || !strcmp(name, "..") ? enter(w, name)
								: step(k, name, &ended);
	if (err || ended)
		return err;
	object = w->dir;
	w->dir = -1;
	return end_at_directory(w, object);
}

static int check_output(const struct path_walk *w)
{
	struct stat st;

	if (!w->link_owner)
		return 0;
	if (w->dir >= 0 && !w->is_open_file && !fstat(w->dir, &st) && st.st_uid == w->link_owner)
		return 0;
	return -EACCES;
}

static int find(struct path_walk *w, const char *path, bool output)
{
	struct walk k = {.found = w, .output = output};
	size_t len = strlen(path);
	int err;

	*w = (struct path_walk){.dir = -1, .fd = -1};
	if (!len)
		return -ENOENT;
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(k.rest, path);
	w->slash = path[len - 1] == '/';
	w->dir = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = w->dir < 0 ? -errno : walk_all(&k);
	if (!output)
		path_walk__act_as_self();
	if (!err && w->slash && w->fd >= 0 && !S_ISDIR(w->st.st_mode))
		err = -ENOTDIR;
	if (!err && output)
		err = check_output(w);
	if (err)
		path_walk__close(w);
	else if (w->is_open_file)
		move_to(&w->dir, -1);
	return err;
}

int path_walk__find_input(struct path_walk *w, const char *path)
{
	return find(w, path, false);
}

int path_walk__find_output(struct path_walk *w, const char *path)
{
	return find(w, path, true);
}

int path_walk__find_entry(struct path_walk *w, const char *path)
{
	int err = path_walk__find_output(w, path);

	if (err)
		return err;
	if (w->is_open_file)
		err = -EEXIST;
	else if (w->fd >= 0 ? S_ISDIR(w->st.st_mode) : w->slash)
		err = -EISDIR;
	if (err)
		path_walk__close(w);
	return err;
}

int path_walk__open_entry(struct path_walk *w)
{
	move_to(&w->fd, openat(w->dir, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
	return w->fd < 0 || fstat(w->fd, &w->st) ? -errno : 0;
}

int path_walk__remove(struct path_walk *w)
{
	struct stat st;

	/* The open object keeps its inode number from being used again. */
	if (w->fd < 0 || fstatat(w->dir, w->name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !path_walk__same_object(&st, &w->st))
		return -ESTALE;
	if (unlinkat(w->dir, w->name, 0))
		return -errno;
	move_to(&w->fd, -1);
	return 0;
}

void path_walk__close(struct path_walk *w)
{
	move_to(&w->dir, -1);
	move_to(&w->fd, -1);
}

bool path_walk__is_trusted(const struct path_walk *w)
{
	return !w->controller || is_invoker(w->controller);
}

int path_walk__open(const struct path_walk *w)
{
	char link[32];
	int fd;

	if (w->fd < 0)
		return -ENOENT;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->fd);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int path_walk__open_file(const char *path)
{
	struct path_walk w;
	int fd = path_walk__find_input(&w, path);

	if (fd)
		return fd;
	fd = path_walk__act_as_controller(&w);
	if (!fd)
		fd = w.fd >= 0 && !S_ISREG(w.st.st_mode) ? -EINVAL : path_walk__open(&w);
	path_walk__act_as_self();
	path_walk__close(&w);
	return fd;
}
