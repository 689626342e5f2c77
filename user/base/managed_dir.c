/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the marker file of an output directory; see managed_dir.h. */
#include <argz.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* A regular file without further hard links. */
static bool is_ours_alone(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

/* Reads the text of the marker, which the caller frees. 0 or -errno; -ENOENT: no marker. */
static int read_marker(int dir, char **text)
{
	int fd = openat(dir, MANAGED_DIR_MARKER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	*text = NULL;
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MARKER_MAX) {
		*text = xcalloc(1, (size_t)st.st_size + 1);
		n = read(fd, *text, (size_t)st.st_size);
	}
	close(fd);
	return n < 0 ? -EIO : 0;
}

static void add_name(struct managed_dir *d, const char *name)
{
	if (argz_add(&d->names, &d->names_len, name))
		xalloc_die();
}

/* Takes the lines of a marker. An empty marker, left by a killed program, fits any kind. */
static void store_marker(struct managed_dir *d, char *text, const char *kind)
{
	char *end = strrchr(text, '\n'), *line;
	char first[64];

	d->len = end ? (size_t)(end + 1 - text) : 0;
	*(end ? end : text) = '\0';
	snprintf(first, sizeof(first), SCHEMA "%s", kind);
	line = strsep(&text, "\n");
	d->marked = !d->len || !strcmp(line, first);
	while (d->marked && (line = strsep(&text, "\n")))
		if (is_inside(line))
			add_name(d, line);
}

int managed_dir__read(struct managed_dir *d, const char *kind)
{
	char *text;
	int err = read_marker(d->fd, &text);

	free(d->names);
	*d = (struct managed_dir){.fd = d->fd};
	if (!err)
		store_marker(d, text, kind);
	free(text);
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
	free(d->names);
	*d = (struct managed_dir)MANAGED_DIR_INIT;
}

/*
 * Appends a line to the marker. With several hard links the marker could be any file: refused. Cuts
 * off an unfinished last line, which would become part of this one.
 */
static int append(struct managed_dir *d, const char *line, int flags)
{
	int fd = openat(d->fd, MANAGED_DIR_MARKER,
			O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);
	size_t len = strlen(line);
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (!is_ours_alone(fd)) {
		err = -EPERM;
	} else if (ftruncate(fd, (off_t)d->len)) {
		err = -errno;
	} else {
		n = write(fd, line, len);
		err = n < 0 ? -errno : (size_t)n < len ? -ENOSPC : sudo_user__give(fd);
	}
	if (close(fd) && !err)
		err = -errno;
	if (!err)
		d->len += len;
	return err;
}

int managed_dir__mark(struct managed_dir *d, const char *kind)
{
	char line[64];
	int err;

	if (d->marked && d->len)
		return 0;
	snprintf(line, sizeof(line), SCHEMA "%s\n", kind);
	err = append(d, line, d->marked ? 0 : O_CREAT | O_EXCL);
	/* A full file system has the file, but no line of it. */
	if (err && err != -EEXIST && !d->marked)
		unlinkat(d->fd, MANAGED_DIR_MARKER, 0);
	d->marked |= !err;
	return err;
}

/* The first name that begins with the len bytes of `begin` and goes on with `next`; or NULL. */
static const char *find_name(const struct managed_dir *d, const char *begin, char next)
{
	size_t len = strlen(begin);
	char *name = NULL;

	while ((name = argz_next(d->names, d->names_len, name)))
		if (!strncmp(name, begin, len) && name[len] == next)
			return name;
	return NULL;
}

bool managed_dir__names(const struct managed_dir *d, const char *name)
{
	return find_name(d, name, '\0');
}

/* The subdirectory of SUBDIRECTORY/NAME; false: there is none. The name is of the marker. */
static bool parent_of(const char *name, char parent[NAME_MAX + 1])
{
	const char *slash = strchr(name, '/');

	if (slash)
		snprintf(parent, NAME_MAX + 1, "%.*s", (int)(slash - name), name);
	return slash;
}

int managed_dir__claim(struct managed_dir *d, const char *name)
{
	char line[2 * NAME_MAX + 3], parent[NAME_MAX + 1];
	struct stat st;
	int err;

	if (managed_dir__names(d, name))
		return 0;
	if (!d->marked || !is_inside(name) || strchr(name, '\n'))
		return -EINVAL;
	if (!fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	snprintf(line, sizeof(line), "%s\n", name);
	err = append(d, line, 0);
	if (err)
		return err;
	add_name(d, name);
	return parent_of(name, parent) && mkdirat(d->fd, parent, 0777) && errno != EEXIST ? -errno
											  : 0;
}

int managed_dir__open_file(const struct managed_dir *d, const char *name, int flags)
{
	const char *base;
	int fd, parent;

	if (!is_inside(name))
		return -EINVAL;
	parent = path_walk__open_parent(d->fd, name, &base);
	if (parent < 0)
		return parent;
	fd = openat(parent, base, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd < 0)
		fd = -errno;
	close(parent);
	return fd;
}

/* Looks for a file that is not ours in a subdirectory; "": in the directory itself. */
static int foreign_below(const struct managed_dir *d, const char *below, char *found, size_t len)
{
	int fd = openat(d->fd, *below ? below : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char name[2 * NAME_MAX + 2];
	struct stat st;
	int err = dir ? 0 : -errno;

	if (!dir && fd >= 0)
		close(fd);
	while (!err && !*found && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "", entry->d_name);
		if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW))
			err = -errno;
		else if (S_ISDIR(st.st_mode) && !*below && find_name(d, name, '/'))
			err = foreign_below(d, name, found, len);
		else if (!S_ISREG(st.st_mode) ||
			 !(managed_dir__names(d, name) ||
			   (d->marked && !strcmp(name, MANAGED_DIR_MARKER))))
			snprintf(found, len, "%s", name);
	}
	if (dir)
		closedir(dir);
	return err;
}

int managed_dir__find_foreign(const struct managed_dir *d, char *name, size_t len)
{
	*name = '\0';
	return foreign_below(d, "", name, len);
}

bool managed_dir__is_empty(const struct managed_dir *d)
{
	char foreign[2 * NAME_MAX + 2];

	return !d->marked && !managed_dir__find_foreign(d, foreign, sizeof(foreign)) && !*foreign;
}

static int give_one(const struct managed_dir *d, const char *name)
{
	const char *base;
	int err, fd, parent = path_walk__open_parent(d->fd, name, &base);

	if (parent < 0)
		return parent;
	fd = openat(parent, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : is_ours_alone(fd) ? sudo_user__give(fd) : -EPERM;
	if (!err && base != name)
		err = sudo_user__give(parent);
	if (fd >= 0)
		close(fd);
	close(parent);
	return err == -ENOENT ? 0 : err; /* claimed but not yet written */
}

int managed_dir__give(const struct managed_dir *d)
{
	int err = sudo_user__give(d->fd);
	char *name = NULL;

	while (!err && (name = argz_next(d->names, d->names_len, name)))
		err = give_one(d, name);
	return err;
}

int managed_dir__remove_file(const struct managed_dir *d, const char *name)
{
	const char *base;
	int err = 0, parent = path_walk__open_parent(d->fd, name, &base);

	if (parent < 0)
		return parent == -ENOENT ? 0 : parent;
	if (unlinkat(parent, base, 0) && errno != ENOENT)
		err = -errno;
	close(parent);
	return err;
}

static int remove_files(struct managed_dir *d)
{
	char *name = NULL, parent[NAME_MAX + 1];
	int err = 0;

	while (!err && (name = argz_next(d->names, d->names_len, name)))
		err = managed_dir__remove_file(d, name);
	while (!err && (name = argz_next(d->names, d->names_len, name)))
		if (parent_of(name, parent) && unlinkat(d->fd, parent, AT_REMOVEDIR) &&
		    errno != ENOENT && errno != ENOTEMPTY)
			err = -errno;
	if (!err && d->marked && unlinkat(d->fd, MANAGED_DIR_MARKER, 0) && errno != ENOENT)
		err = -errno;
	return err;
}

static bool is_at(const struct managed_dir *d, int parent, const char *name)
{
	struct stat a, b;

	return !fstat(d->fd, &a) && !fstatat(parent, name, &b, AT_SYMLINK_NOFOLLOW) &&
	       path_walk__same_object(&a, &b);
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
