/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the marker file of an output directory; see managed_dir.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "sudo_user.h"
#include "managed_dir.h"
#include "path_walk.h"

#define SCHEMA     "netiotrace.files/1 "
#define MARKER_MAX (16 << 20) /* more names than any sweep has */

static bool is_component(const char *name, size_t len)
{
	return len && len <= NAME_MAX && !(len == 1 && name[0] == '.') &&
	       !(len == 2 && name[0] == '.' && name[1] == '.');
}

/* NAME or SUBDIRECTORY/NAME, without "." and "..". */
static bool is_inside(const char *name)
{
	const char *slash = strchr(name, '/');

	if (!slash)
		return is_component(name, strlen(name));
	return is_component(name, (size_t)(slash - name)) && !strchr(slash + 1, '/') &&
	       is_component(slash + 1, strlen(slash + 1));
}

/* Opens the directory of a name; *base is the name in it. */
static int open_parent(const struct managed_dir *d, const char *name, const char **base)
{
	const char *slash = strchr(name, '/');
	char parent[NAME_MAX + 1];
	int fd;

	*base = slash ? slash + 1 : name;
	if (!slash)
		fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 3);
	else {
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
		fd = openat(d->fd, parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

/* A regular file without further hard links. */
static bool is_ours_alone(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

/* Reads the marker up to its last newline. NULL with *err set; -ENOENT: no marker. */
static char *read_marker(int dir, int *err)
{
	int fd = openat(dir, MANAGED_DIR_MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char *text = NULL, *end;
	ssize_t n = -1;

	*err = fd < 0 ? -errno : -EIO;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MARKER_MAX) {
		text = xcalloc(1, (size_t)st.st_size + 1);
		n = read(fd, text, (size_t)st.st_size);
	}
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	*err = 0;
	text[n] = '\0';
	end = strrchr(text, '\n');
	end = end ? end + 1 : text;
	*end = '\0';
	return text;
}

/* An empty marker, left by a killed program, fits any kind and names no file. */
static bool is_of_kind(const char *marker, const char *kind)
{
	const char *rest = marker + strlen(SCHEMA);
	size_t len = strlen(kind);

	if (!*marker)
		return true;
	return !strncmp(marker, SCHEMA, strlen(SCHEMA)) && !strncmp(rest, kind, len) &&
	       rest[len] == '\n';
}

int managed_dir__read(struct managed_dir *d, const char *kind)
{
	int err;

	free(d->marker);
	d->marker = read_marker(d->fd, &err);
	d->marked = d->marker && is_of_kind(d->marker, kind);
	return err == -ENOENT || err == -ELOOP ? 0 : err;
}

int managed_dir__open_at(struct managed_dir *d, int parent, const char *name, const char *kind)
{
	*d = (struct managed_dir)MANAGED_DIR_INIT;
	d->fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return d->fd < 0 ? -errno : managed_dir__read(d, kind);
}

int managed_dir__open(struct managed_dir *d, const char *path, const char *kind)
{
	struct path_walk w;
	int err;

	*d = (struct managed_dir)MANAGED_DIR_INIT;
	err = path_walk__find_output(&w, path);
	if (err)
		return err;
	if (w.fd < 0)
		err = -ENOENT;
	else if (w.is_open_file)
		err = -ENOTDIR;
	else
		err = managed_dir__open_at(d, w.dir, w.name, kind);
	path_walk__close(&w);
	return err;
}

void managed_dir__close(struct managed_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	free(d->marker);
	*d = (struct managed_dir)MANAGED_DIR_INIT;
}

/* Opens the marker for writing. With several hard links it could be any file: refused. */
static int open_marker(const struct managed_dir *d, int flags)
{
	int fd = openat(d->fd, MANAGED_DIR_MARKER,
			O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);

	if (fd < 0)
		return -errno;
	if (is_ours_alone(fd))
		return fd;
	close(fd);
	return -EPERM;
}

static int append(struct managed_dir *d, const char *line, int flags)
{
	size_t len = strlen(line), old = d->marker ? strlen(d->marker) : 0;
	int fd = open_marker(d, O_APPEND | flags);
	ssize_t n;
	int err;

	if (fd < 0)
		return fd;
	n = write(fd, line, len);
	err = n < 0 ? -errno : (size_t)n < len ? -ENOSPC : sudo_user__give(fd);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		return err;
	d->marker = xreallocarray(d->marker, old + len + 1, 1);
	memcpy(d->marker + old, line, len + 1);
	return 0;
}

int managed_dir__mark(struct managed_dir *d, const char *kind)
{
	bool begun = d->marked && !*d->marker; /* a killed program left it empty */
	char line[64];
	int err;

	snprintf(line, sizeof(line), SCHEMA "%s\n", kind);
	err = append(d, line, begun ? 0 : O_CREAT | O_EXCL);
	d->marked |= !err;
	return err;
}

bool managed_dir__is_unused(const struct managed_dir *d)
{
	const char *end = d->marker ? strchr(d->marker, '\n') : NULL;

	return !end || !end[1];
}

bool managed_dir__names(const struct managed_dir *d, const char *name)
{
	size_t len = strlen(name);
	const char *line;

	if (!d->marked || !is_inside(name))
		return false;
	for (line = strchr(d->marker, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
		if (!strncmp(line + 1, name, len) && line[1 + len] == '\n')
			return true;
	return false;
}

static bool exists(const struct managed_dir *d, const char *name)
{
	struct stat st;

	return !fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW);
}

/* Cuts off an unfinished last line, which would become part of the next name. */
static int cut_broken_line(struct managed_dir *d)
{
	int fd = open_marker(d, 0);
	int err;

	if (fd < 0)
		return fd;
	err = ftruncate(fd, (off_t)strlen(d->marker)) ? -errno : 0;
	close(fd);
	return err;
}

static int make_parent(const struct managed_dir *d, const char *name)
{
	const char *slash = strchr(name, '/');
	char parent[NAME_MAX + 1];

	if (!slash)
		return 0;
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
	return mkdirat(d->fd, parent, 0777) && errno != EEXIST ? -errno : 0;
}

int managed_dir__claim(struct managed_dir *d, const char *name)
{
	char line[2 * NAME_MAX + 3];
	int err;

	if (managed_dir__names(d, name))
		return 0;
	if (!d->marked || !is_inside(name) || strchr(name, '\n'))
		return -EINVAL;
	if (exists(d, name))
		return -EEXIST;
	err = cut_broken_line(d);
	if (err)
		return err;
	snprintf(line, sizeof(line), "%s\n", name);
	err = append(d, line, 0);
	return err ? err : make_parent(d, name);
}

static int open_inside(const struct managed_dir *d, const char *name, int flags)
{
	const char *base;
	int fd, parent;

	if (!is_inside(name))
		return -EINVAL;
	parent = open_parent(d, name, &base);
	if (parent < 0)
		return parent;
	fd = openat(parent, base, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0)
		fd = -errno;
	close(parent);
	return fd;
}

int managed_dir__open_file(const struct managed_dir *d, const char *name)
{
	return open_inside(d, name, O_RDONLY);
}

int managed_dir__create_file(const struct managed_dir *d, const char *name)
{
	return open_inside(d, name, O_WRONLY | O_CREAT | O_EXCL);
}

/* Calls visit for each valid name of the marker until it returns nonzero. */
static int for_each_name(const struct managed_dir *d,
			 int (*visit)(const struct managed_dir *, char *))
{
	char *copy, *rest, *name;
	int err = 0;

	if (!d->marked)
		return 0;
	copy = rest = xstrdup(d->marker);
	strsep(&rest, "\n");
	while (!err && (name = strsep(&rest, "\n")))
		if (is_inside(name))
			err = visit(d, name);
	free(copy);
	return err;
}

/* Does the marker name a file in this directory? */
static bool is_parent(const struct managed_dir *d, const char *name)
{
	size_t len = strlen(name);
	const char *line;

	if (!d->marked)
		return false;
	for (line = strchr(d->marker, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
		if (!strncmp(line + 1, name, len) && line[1 + len] == '/')
			return true;
	return false;
}

static int stranger_below(const struct managed_dir *d, const char *below, char *found, size_t len);

static int look_at(const struct managed_dir *d, const char *below, const char *entry, char *found,
		   size_t len)
{
	char name[2 * NAME_MAX + 2];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "", entry);
	if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISDIR(st.st_mode) && !*below && is_parent(d, name))
		return stranger_below(d, name, found, len);
	if (S_ISREG(st.st_mode) && (managed_dir__names(d, name) ||
				    (d->marked && !*below && !strcmp(entry, MANAGED_DIR_MARKER))))
		return 0;
	snprintf(found, len, "%s", name);
	return 0;
}

static int stranger_below(const struct managed_dir *d, const char *below, char *found, size_t len)
{
	int fd = openat(d->fd, *below ? below : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && !*found && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = look_at(d, below, entry->d_name, found, len);
	closedir(dir);
	return err;
}

int managed_dir__stranger(const struct managed_dir *d, char *name, size_t len)
{
	*name = '\0';
	return stranger_below(d, "", name, len);
}

static int give_one(const struct managed_dir *d, char *name)
{
	const char *base;
	int err, fd, parent = open_parent(d, name, &base);

	if (parent < 0)
		return parent;
	fd = openat(parent, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : is_ours_alone(fd) ? sudo_user__give(fd) : -EPERM;
	if (!err && strchr(name, '/'))
		err = sudo_user__give(parent);
	if (fd >= 0)
		close(fd);
	close(parent);
	return err == -ENOENT ? 0 : err; /* claimed but not yet written */
}

int managed_dir__give(const struct managed_dir *d)
{
	int err = sudo_user__give(d->fd);

	return err ? err : for_each_name(d, give_one);
}

int managed_dir__remove_file(const struct managed_dir *d, char *name)
{
	const char *base;
	int err = 0, parent = open_parent(d, name, &base);

	if (parent < 0)
		return parent == -ENOENT ? 0 : parent;
	if (unlinkat(parent, base, 0) && errno != ENOENT)
		err = -errno;
	close(parent);
	return err;
}

static int remove_parent(const struct managed_dir *d, char *name)
{
	char *slash = strchr(name, '/');

	if (!slash)
		return 0;
	*slash = '\0';
	if (unlinkat(d->fd, name, AT_REMOVEDIR) && errno != ENOENT && errno != ENOTEMPTY)
		return -errno;
	return 0;
}

static int remove_files(struct managed_dir *d)
{
	int err = for_each_name(d, managed_dir__remove_file);

	if (!err)
		err = for_each_name(d, remove_parent);
	if (!err && d->marked && unlinkat(d->fd, MANAGED_DIR_MARKER, 0) && errno != ENOENT)
		err = -errno;
	return err;
}

static bool is_at(const struct managed_dir *d, int parent, const char *name)
{
	struct stat a, b;

	return !fstat(d->fd, &a) && !fstatat(parent, name, &b, AT_SYMLINK_NOFOLLOW) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int managed_dir__remove_at(struct managed_dir *d, int parent, const char *name)
{
	int err = remove_files(d);

	if (!err && !is_at(d, parent, name))
		err = -ENOENT;
	if (!err && unlinkat(parent, name, AT_REMOVEDIR))
		err = errno == EEXIST ? -ENOTEMPTY : -errno;
	return err;
}

int managed_dir__remove(struct managed_dir *d, const char *path)
{
	struct path_walk w;
	int err = path_walk__find_output(&w, path);

	if (err)
		return err;
	err = w.is_open_file ? -ENOTDIR : managed_dir__remove_at(d, w.dir, w.name);
	path_walk__close(&w);
	return err;
}
