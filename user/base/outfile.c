/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files written whole or not at all. What is written is kept in memory; commit puts it into
 * a temporary file beside the target and renames that over it, so that being killed at any moment
 * before leaves nothing. A target that is no regular file (stdout, a pipe, /dev/null) is written at
 * commit. Knows nothing of what is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "invoker.h"
#include "outfile.h"

struct outfile {
	FILE *stream;
	char *memory; /* of the stream; valid once it is closed */
	size_t size;
	int fd;          /* where it is written; -1: to target, by way of a temporary file */
	char *target;    /* what the temporary is renamed to */
	char *directory; /* of the target */
	mode_t mode;
	bool replaces; /* a file, whose owner these are */
	uid_t uid;
	gid_t gid;
};

static void outfile__free(struct outfile *f)
{
	if (f->stream)
		fclose(f->stream);
	if (f->fd >= 0)
		close(f->fd);
	free(f->target);
	free(f->directory);
	free(f->memory);
	free(f);
}

static int open_special(struct outfile *f, int fd)
{
	f->fd = fd;
	return fd < 0 ? -errno : 0;
}

/* Found before anything is measured, where it is not open for writing. */
static int open_stdout(struct outfile *f)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	return open_special(f, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
}

/* The mode a file made by open(2) would have. Called before any thread exists. */
static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

int outfile__make_directory(const char *name)
{
	int fd, err;

	if (mkdir(name, 0777))
		return -errno;
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = invoker__give(fd);
	close(fd);
	return err;
}

/* A temporary file beside the target: its descriptor, its name in *name (freed by the caller). */
static int open_temporary(const struct outfile *f, char **name)
{
	int fd, err;

	if (asprintf(name, "%s/" OUTFILE_TEMPORARY "XXXXXX", f->directory) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(*name);
		*name = NULL;
		return err;
	}
	return fd;
}

/* Can a file be made there? Asked before anything is measured. */
static int try_directory(const struct outfile *f)
{
	char *name;
	int fd = open_temporary(f, &name);

	if (fd < 0)
		return fd;
	unlink(name);
	free(name);
	close(fd);
	return 0;
}

/* Replaces a file that exists: links are followed, mode and owner kept, and it must be writable. */
static int open_existing(struct outfile *f, const char *name, const struct stat *st)
{
	char path[PATH_MAX];

	if (access(name, W_OK))
		return -errno;
	if (!realpath(name, path))
		return -errno;
	f->mode = st->st_mode & 0777;
	f->replaces = true;
	f->uid = st->st_uid;
	f->gid = st->st_gid;
	f->target = strdup(path);
	*strrchr(path, '/') = '\0';
	f->directory = strdup(path);
	return f->target && f->directory ? try_directory(f) : -ENOMEM;
}

#define LINKS_MAX 40 /* as many as the kernel follows */

/*
 * What links lead to that end in no file yet: it is what is to be made, as open(2) would, and no
 * link is to be replaced. The kernel has been asked by stat(2) whether they may be followed.
 */
static int follow_links(const char *name, char path[PATH_MAX])
{
	char link[PATH_MAX], *last;
	ssize_t len;

	if (strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(path, name);
	for (int i = 0; i < LINKS_MAX; i++) {
		len = readlink(path, link, sizeof(link) - 1);
		if (len < 0)
			return 0;
		link[len] = '\0';
		last = strrchr(path, '/');
		last = *link == '/' || !last ? path : last + 1;
		if ((size_t)(last - path) + (size_t)len >= PATH_MAX)
			return -ENAMETOOLONG;
		strcpy(last, link);
	}
	return -ELOOP;
}

static int open_new(struct outfile *f, const char *link)
{
	char name[PATH_MAX];
	const char *slash;
	int err = follow_links(link, name);

	if (err)
		return err;
	slash = strrchr(name, '/');
	if (slash && !slash[1])
		return -EISDIR;
	f->mode = default_mode();
	f->target = strdup(name);
	f->directory = slash ? strndup(name, (size_t)(slash - name)) : strdup(".");
	return f->target && f->directory ? try_directory(f) : -ENOMEM;
}

static int open_target(struct outfile *f, const char *name)
{
	struct stat st;

	if (!*name)
		return -ENOENT;
	if (!strcmp(name, "-"))
		return open_stdout(f);
	if (stat(name, &st))
		return errno == ENOENT ? open_new(f, name) : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return open_special(f, open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY));
	return open_existing(f, name, &st);
}

/* What commit would rename to: the file, or its name in its directory. False: no such target. */
static bool find_target(const char *link, char target[PATH_MAX])
{
	char name[PATH_MAX], directory[PATH_MAX];
	const char *slash, *last;
	struct stat st;

	if (!stat(link, &st))
		return S_ISREG(st.st_mode) && realpath(link, target);
	if (errno != ENOENT || follow_links(link, name))
		return false;
	slash = strrchr(name, '/');
	last = slash ? slash + 1 : name;
	/* With its slash: "/x" is in the root directory. */
	if (slash)
		snprintf(directory, sizeof(directory), "%.*s", (int)(slash - name + 1), name);
	else
		strcpy(directory, ".");
	return realpath(directory, target) && strlen(target) + 1 + strlen(last) < PATH_MAX &&
	       strcat(strcat(target, "/"), last);
}

bool outfile__same(const char *a, const char *b)
{
	char first[PATH_MAX], second[PATH_MAX];

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return !strcmp(a, b);
	return find_target(a, first) && find_target(b, second) && !strcmp(first, second);
}

int outfile__open(struct outfile **out, const char *name)
{
	struct outfile *f;
	int err;

	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->fd = -1;
	err = open_target(f, name);
	if (!err) {
		f->stream = open_memstream(&f->memory, &f->size);
		err = f->stream ? 0 : -errno;
	}
	if (err)
		outfile__free(f);
	else
		*out = f;
	return err;
}

FILE *outfile__stream(struct outfile *f)
{
	return f->stream;
}

static int write_all(int fd, const char *data, size_t size)
{
	ssize_t n;

	while (size) {
		n = write(fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* A write that failed earlier, its errno long gone, is an I/O error. */
static int close_file(FILE *file)
{
	int err = ferror(file) ? -EIO : 0;

	if (fclose(file))
		err = -errno;
	return err;
}

static int close_stream(struct outfile *f)
{
	int err = close_file(f->stream);

	f->stream = NULL;
	return err;
}

/* Of the first flush that failed: closing finds nothing to write any more. */
static int stdout_err;

int outfile__flush_stdout(void)
{
	if (fflush(stdout) && !stdout_err)
		stdout_err = -errno;
	return stdout_err;
}

int outfile__close_stdout(void)
{
	int err = close_file(stdout);

	return stdout_err ? stdout_err : err;
}

/* Who may write a file of another's without being root has to make it their own. */
static int give_temporary(const struct outfile *f, int fd)
{
	if (!f->replaces)
		return invoker__give(fd);
	return fchown(fd, f->uid, f->gid) && errno != EPERM ? -errno : 0;
}

static int fill_temporary(const struct outfile *f, int fd)
{
	int err = give_temporary(f, fd);

	if (!err && fchmod(fd, f->mode))
		err = -errno;
	if (!err)
		err = write_all(fd, f->memory, f->size);
	if (!err && fsync(fd))
		err = -errno;
	return err;
}

static int replace_target(const struct outfile *f)
{
	char *name;
	int fd = open_temporary(f, &name);
	int err;

	if (fd < 0)
		return fd;
	err = fill_temporary(f, fd);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(name, f->target))
		err = -errno;
	if (err)
		unlink(name);
	free(name);
	return err;
}

int outfile__commit(struct outfile *f)
{
	int err = close_stream(f);

	if (!err)
		err = f->fd >= 0 ? write_all(f->fd, f->memory, f->size) : replace_target(f);
	outfile__free(f);
	return err;
}

void outfile__abort(struct outfile *f)
{
	if (f)
		outfile__free(f);
}
