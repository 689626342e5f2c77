/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns output files, kept in memory until commit; see atomic_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "sudo_user.h"
#include "atomic_file.h"
#include "exit_code.h"
#include "log.h"
#include "path_walk.h"

#define FD_PATH_LEN   32
#define TEMPORARY_LEN (FD_PATH_LEN + sizeof(ATOMIC_FILE_TEMPORARY) + 6)

struct atomic_file {
	FILE *stream;
	char *memory; /* of the stream; valid after fclose() */
	size_t size;
	int fd;                    /* written in place; -1: use a temporary file */
	int dir;                   /* of the target; open until commit */
	char target[NAME_MAX + 1]; /* name in dir */
	mode_t mode;
	bool replaces; /* a file, whose owner is uid:gid */
	bool appends;  /* fd is the file that took the target's place */
	uid_t uid;
	gid_t gid;
};

/* Writes in place to a copy of a descriptor of this process. */
static int open_copy(struct atomic_file *f, int own)
{
	f->fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
	return f->fd < 0 ? -errno : 0;
}

static bool is_read_only(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

mode_t atomic_file__mode(mode_t mode)
{
	mode_t mask = umask(0);

	umask(mask);
	return mode & ~mask;
}

int atomic_file__make_directory(const char *name)
{
	struct path_walk w;
	int fd = -1, err = path_walk__find_output(&w, name);

	if (err)
		return err;
	if (w.fd >= 0)
		err = -EEXIST;
	else if (mkdirat(w.dir, w.name, 0777))
		err = -errno;
	else if ((fd = openat(w.dir, w.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		err = -errno;
	if (fd >= 0) {
		err = sudo_user__give(fd);
		close(fd);
	}
	path_walk__close(&w);
	return err;
}

/* A path to the object that was opened, even if its name has changed. */
static const char *path_of_fd(int fd, char path[FD_PATH_LEN])
{
	snprintf(path, FD_PATH_LEN, "/proc/self/fd/%d", fd);
	return path;
}

/* Creates a file beside the target and stores a path to it. A descriptor or -errno. */
static int open_temporary(const struct atomic_file *f, char path[TEMPORARY_LEN])
{
	char dir[FD_PATH_LEN];
	int fd;

	snprintf(path, TEMPORARY_LEN, "%s/" ATOMIC_FILE_TEMPORARY "XXXXXX",
		 path_of_fd(f->dir, dir));
	fd = mkostemp(path, O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Checks, before anything is measured, that a file can be created. */
static int try_directory(const struct atomic_file *f)
{
	char path[TEMPORARY_LEN];
	int fd = open_temporary(f, path);

	if (fd < 0)
		return fd;
	unlink(path);
	close(fd);
	return 0;
}

/* Another user's file in a sticky, world-writable directory; compare fs.protected_regular. */
static bool is_foreign_in_shared(const struct path_walk *w)
{
	uid_t uid;
	gid_t gid;
	struct stat dir;

	if (fstat(w->dir, &dir))
		return true;
	if (!(dir.st_mode & S_ISVTX) || !(dir.st_mode & S_IWOTH))
		return false;
	if (!w->st.st_uid || w->st.st_uid == geteuid() || w->st.st_uid == dir.st_uid)
		return false;
	return sudo_user__of_sudo(&uid, &gid) || w->st.st_uid != uid;
}

static void copy_rights(struct atomic_file *f, const struct stat *st)
{
	f->mode = st->st_mode & 0777;
	f->replaces = true;
	f->uid = st->st_uid;
	f->gid = st->st_gid;
}

/* Replaces an existing, writable file; keeps its mode and owner. */
static int open_existing(struct atomic_file *f, const struct path_walk *w)
{
	char path[FD_PATH_LEN];

	if (access(path_of_fd(w->fd, path), W_OK))
		return -errno;
	if (is_foreign_in_shared(w))
		return -EACCES;
	copy_rights(f, &w->st);
	return 0;
}

/* The writable descriptor of this process behind /dev/stdout or /dev/fd/N; -1: none. */
static int own_descriptor(const struct path_walk *w)
{
	char *end;
	long fd = w->is_open_file ? strtol(w->name, &end, 10) : -1;
	struct stat st;

	if (fd < 0 || fd > INT_MAX || *end || fstat((int)fd, &st) ||
	    !path_walk__same_object(&st, &w->st))
		return -1;
	return is_read_only((int)fd) ? -1 : (int)fd;
}

/* As root, refuses a device or pipe of another user, which could block or lead elsewhere. */
static int open_in_place(struct atomic_file *f, const struct path_walk *w)
{
	char path[FD_PATH_LEN];
	int own = own_descriptor(w);

	if (own >= 0)
		return open_copy(f, own);
	if (!geteuid() && !w->is_open_file && !path_walk__is_trusted(w))
		return -EACCES;
	f->fd = open(path_of_fd(w->fd, path), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	return f->fd < 0 ? -errno : 0;
}

static int open_found(struct atomic_file *f, const struct path_walk *w)
{
	if (w->fd >= 0 ? S_ISDIR(w->st.st_mode) : w->slash)
		return -EISDIR;
	if (w->fd >= 0 && (w->is_open_file || !S_ISREG(w->st.st_mode)))
		return open_in_place(f, w);
	f->dir = fcntl(w->dir, F_DUPFD_CLOEXEC, 3);
	if (f->dir < 0)
		return -errno;
	strcpy(f->target, w->name);
	return w->fd >= 0 ? open_existing(f, w) : 0;
}

static int open_target(struct atomic_file *f, const char *name)
{
	struct path_walk w;
	int err;

	/* Detects an unwritable stdout before anything is measured. */
	if (!strcmp(name, "-"))
		return is_read_only(STDOUT_FILENO) ? -EBADF : open_copy(f, STDOUT_FILENO);
	err = path_walk__find_output(&w, name);
	if (err)
		return err;
	err = open_found(f, &w);
	path_walk__close(&w);
	return err;
}

static int open_below(struct atomic_file *f, int dir, const char *name)
{
	const char *base;
	struct stat st;

	f->dir = path_walk__open_parent(dir, name, &base);
	if (f->dir < 0)
		return f->dir;
	if (!*base || strchr(base, '/') || strlen(base) > NAME_MAX)
		return -EINVAL;
	strcpy(f->target, base);
	if (!fstatat(f->dir, base, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		copy_rights(f, &st);
	return 0;
}

/* Would a commit to one replace the other? */
static bool same_target(const struct path_walk *a, const struct path_walk *b)
{
	struct stat first, second;

	if (a->fd >= 0 && !S_ISREG(a->st.st_mode))
		return false;
	if (a->is_open_file || b->is_open_file)
		return a->fd >= 0 && b->fd >= 0 && path_walk__same_object(&a->st, &b->st);
	return !fstat(a->dir, &first) && !fstat(b->dir, &second) &&
	       path_walk__same_object(&first, &second) && !strcmp(a->name, b->name);
}

bool atomic_file__same(const char *a, const char *b)
{
	struct path_walk first, second;
	bool same;

	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return !strcmp(a, b);
	if (path_walk__find_output(&first, a))
		return false;
	if (path_walk__find_output(&second, b)) {
		path_walk__close(&first);
		return false;
	}
	same = same_target(&first, &second);
	path_walk__close(&first);
	path_walk__close(&second);
	return same;
}

/* name is below dir, or the path of an output if dir is -1. */
static int open_output(struct atomic_file **out, int dir, const char *name)
{
	struct atomic_file *f = xcalloc(1, sizeof(*f));
	int err;

	f->fd = f->dir = -1;
	f->stream = xopen_memstream(&f->memory, &f->size);
	f->mode = atomic_file__mode(0666);
	err = dir < 0 ? open_target(f, name) : open_below(f, dir, name);
	if (!err && f->dir >= 0)
		err = try_directory(f);
	if (err)
		atomic_file__abort(f);
	else
		*out = f;
	return err;
}

int atomic_file__open(struct atomic_file **out, const char *name)
{
	return open_output(out, -1, name);
}

int atomic_file__open_below(struct atomic_file **out, int dir, const char *name)
{
	return open_output(out, dir, name);
}

FILE *atomic_file__stream(struct atomic_file *f)
{
	return f->stream;
}

int atomic_file__write_all(int fd, const char *data, size_t size)
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

/* The same, in pieces that a pipe that can be written takes without blocking. */
static int write_in_time(int fd, const char *data, size_t size)
{
	while (size) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		size_t piece = size < PIPE_BUF ? size : PIPE_BUF;
		int n = poll(&ready, 1, ATOMIC_FILE_STALL_MS), err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ETIMEDOUT;
		err = atomic_file__write_all(fd, data, piece);
		if (err)
			return err;
		data += piece;
		size -= piece;
	}
	return 0;
}

/* -errno of the first failed flush; closing stdout would not report the error again. */
static int stdout_err;

int atomic_file__flush_stdout(void)
{
	if (fflush(stdout) && !stdout_err)
		stdout_err = -errno;
	return stdout_err;
}

int atomic_file__close_stdout(void)
{
	/* The errno of an earlier failed write is lost, and the next write fails alike. */
	int err = ferror(stdout) ? (write(STDOUT_FILENO, "\n", 1) < 0 ? -errno : -EIO) : 0;

	if (fclose(stdout))
		err = -errno;
	return stdout_err ? stdout_err : err;
}

/* It takes CAP_CHOWN to give a file away: others get EPERM and own the new file. */
static int give_temporary(const struct atomic_file *f, int fd)
{
	int err = f->replaces ? fchown(fd, f->uid, f->gid) ? -errno : 0 : sudo_user__give(fd);

	return err == -EPERM ? 0 : err;
}

static int set_rights(const struct atomic_file *f, int fd)
{
	int err = give_temporary(f, fd);

	return !err && fchmod(fd, f->mode) ? -errno : err;
}

static int fill_temporary(const struct atomic_file *f, int fd)
{
	int err = set_rights(f, fd);

	if (!err)
		err = atomic_file__write_all(fd, f->memory, f->size);
	if (!err && fsync(fd))
		err = -errno;
	return err;
}

static int replace_target(const struct atomic_file *f)
{
	char path[TEMPORARY_LEN];
	int fd = open_temporary(f, path);
	int err;

	if (fd < 0)
		return fd;
	err = fill_temporary(f, fd);
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(AT_FDCWD, path, f->dir, f->target))
		err = -errno;
	if (err)
		unlink(path);
	return err;
}

/* Puts an empty file in the target's place and keeps it open. */
static int begin_appending(struct atomic_file *f)
{
	char path[TEMPORARY_LEN];
	int fd = open_temporary(f, path), err;

	if (fd < 0)
		return fd;
	err = set_rights(f, fd);
	if (!err && renameat(AT_FDCWD, path, f->dir, f->target))
		err = -errno;
	if (err) {
		unlink(path);
		close(fd);
		return err;
	}
	f->fd = fd;
	f->appends = true;
	return 0;
}

int atomic_file__append(struct atomic_file *f, const char *text, size_t size)
{
	int err = f->fd < 0 ? begin_appending(f) : 0;
	off_t end;

	if (err)
		return err;
	if (!f->appends)
		return write_in_time(f->fd, text, size);
	end = lseek(f->fd, 0, SEEK_END);
	if (end < 0)
		return -errno;
	err = atomic_file__write_all(f->fd, text, size);
	/* No part of a text, when the file system is full. */
	if (err && (ftruncate(f->fd, end) || lseek(f->fd, end, SEEK_SET) < 0))
		return -errno;
	return err;
}

int atomic_file__commit(struct atomic_file *f)
{
	int err;

	xclose_memstream(f->stream);
	f->stream = NULL;
	err = f->fd >= 0 ? atomic_file__write_all(f->fd, f->memory, f->size) : replace_target(f);
	atomic_file__abort(f);
	return err;
}

void atomic_file__abort(struct atomic_file *f)
{
	if (!f)
		return;
	if (f->stream)
		fclose(f->stream);
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f->memory);
	free(f);
}

static int report(int err, const char *name)
{
	if (!err)
		return EXIT_DONE;
	log_error("cannot write %s: %s.", name, strerror(-err));
	return EXIT_RUN_FAILED;
}

int atomic_file__ask(struct atomic_file **f, const char *name)
{
	return report(name ? atomic_file__open(f, name) : 0, name);
}

int atomic_file__finish(struct atomic_file **f, int err, const char *name)
{
	if (err)
		atomic_file__abort(*f);
	else
		err = atomic_file__commit(*f);
	*f = NULL;
	return report(err, name);
}
