/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files written whole or not at all. Owns the temporary file and the rename; knows nothing
 * of what is written. A target that is no regular file (stdout, a pipe, /dev/null) cannot be
 * replaced by a rename: what goes there is kept in memory and written at commit.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outfile.h"
#include "units.h"

struct outfile {
	FILE *stream;
	char *target;    /* what commit renames over; NULL: nothing is renamed */
	char *temporary; /* NULL: in memory */
	int fd;          /* where memory is written at commit; -1 with a temporary */
	char *memory;    /* of the memory stream; valid once it is closed */
	size_t size;
};

static void outfile__free(struct outfile *f)
{
	if (f->stream)
		fclose(f->stream);
	if (f->temporary)
		unlink(f->temporary);
	if (f->fd >= 0)
		close(f->fd);
	free(f->target);
	free(f->temporary);
	free(f->memory);
	free(f);
}

static int open_memory(struct outfile *f, int fd)
{
	if (fd < 0)
		return -errno;
	f->fd = fd;
	f->stream = open_memstream(&f->memory, &f->size);
	return f->stream ? 0 : -errno;
}

/* The mode a file made by open(2) would have. Called before any thread exists. */
static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Under sudo the result belongs to who asked for it. */
static int give_to_invoker(int fd)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;

	if (geteuid() || !uid_text || !gid_text)
		return 0;
	if (parse_count(uid_text, 1, UINT32_MAX - 1, &uid) ||
	    parse_count(gid_text, 0, UINT32_MAX - 1, &gid))
		return 0;
	return fchown(fd, (uid_t)uid, (gid_t)gid) ? -errno : 0;
}

static int open_temporary(struct outfile *f, const char *directory, mode_t mode)
{
	char *name;
	int fd, err;

	if (asprintf(&name, "%s/.netiotrace-XXXXXX", directory) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(name);
		return err;
	}
	f->temporary = name;
	err = give_to_invoker(fd);
	if (!err && fchmod(fd, mode))
		err = -errno;
	if (!err) {
		f->stream = fdopen(fd, "w");
		err = f->stream ? 0 : -errno;
	}
	if (err)
		close(fd);
	return err;
}

/* Replaces a file that exists: links are followed, its mode is kept, and it must be writable. */
static int open_existing(struct outfile *f, const char *name, mode_t mode)
{
	char path[PATH_MAX];

	if (access(name, W_OK))
		return -errno;
	if (!realpath(name, path))
		return -errno;
	f->target = strdup(path);
	if (!f->target)
		return -ENOMEM;
	*strrchr(path, '/') = '\0';
	return open_temporary(f, path, mode & 0777);
}

static int open_new(struct outfile *f, const char *name)
{
	const char *slash = strrchr(name, '/');
	char *directory;
	int err;

	if (slash && !slash[1])
		return -EISDIR;
	f->target = strdup(name);
	if (!f->target)
		return -ENOMEM;
	directory = slash ? strndup(name, (size_t)(slash - name)) : strdup(".");
	if (!directory)
		return -ENOMEM;
	err = open_temporary(f, directory, default_mode());
	free(directory);
	return err;
}

static int open_target(struct outfile *f, const char *name)
{
	struct stat st;

	if (!*name)
		return -ENOENT;
	if (!strcmp(name, "-"))
		return open_memory(f, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
	if (stat(name, &st))
		return errno == ENOENT ? open_new(f, name) : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return open_memory(f, open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY));
	return open_existing(f, name, st.st_mode);
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
	if (err) {
		outfile__free(f);
		return err;
	}
	*out = f;
	return 0;
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

/* Closes the stream. A write that failed earlier, its errno long gone, is an I/O error. */
static int close_stream(struct outfile *f)
{
	int err = ferror(f->stream) ? -EIO : 0;

	if (fflush(f->stream))
		err = -errno;
	if (!err && f->temporary && fsync(fileno(f->stream)))
		err = -errno;
	if (fclose(f->stream) && !err)
		err = -errno;
	f->stream = NULL;
	return err;
}

static int rename_temporary(struct outfile *f)
{
	if (rename(f->temporary, f->target))
		return -errno;
	free(f->temporary);
	f->temporary = NULL;
	return 0;
}

int outfile__commit(struct outfile *f)
{
	int err;

	err = close_stream(f);
	if (!err && f->temporary)
		err = rename_temporary(f);
	else if (!err)
		err = write_all(f->fd, f->memory, f->size);
	outfile__free(f);
	return err;
}

void outfile__abort(struct outfile *f)
{
	if (f)
		outfile__free(f);
}
