/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns output files, kept in memory until commit; see atomic_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "sudo_user.h"
#include "atomic_file.h"
#include "exit_code.h"
#include "log.h"
#include "path_walk.h"

#define TEMPORARY_LEN   (sizeof(ATOMIC_FILE_TEMPORARY) + 6)
#define TEMPORARY_TRIES 100

struct atomic_file {
	FILE *stream;
	char *memory; /* of the stream; valid after fclose() */
	size_t size;
	int fd;                    /* written in place; -1: use a temporary file */
	int dir;                   /* of the target; open until commit */
	char target[NAME_MAX + 1]; /* name in dir */
	mode_t mode;
	bool replaces; /* a file, whose owner is uid:gid */
	uid_t uid;
	gid_t gid;
};

static void atomic_file__free(struct atomic_file *f)
{
	if (f->stream)
		fclose(f->stream);
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f->memory);
	free(f);
}

static int open_special(struct atomic_file *f, int fd)
{
	f->fd = fd;
	return fd < 0 ? -errno : 0;
}

/* Detects an unwritable stdout before anything is measured. */
static int open_stdout(struct atomic_file *f)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	return open_special(f, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
}

/* The mode that open(2) would give a file. Not thread-safe: changes the umask. */
static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
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

static int random_name(char name[TEMPORARY_LEN])
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	unsigned char bytes[6];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EAGAIN;
	strcpy(name, ATOMIC_FILE_TEMPORARY);
	for (size_t i = 0; i < sizeof(bytes); i++)
		name[sizeof(ATOMIC_FILE_TEMPORARY) - 1 + i] = letters[bytes[i] % 64];
	name[TEMPORARY_LEN - 1] = '\0';
	return 0;
}

static int open_temporary(const struct atomic_file *f, char name[TEMPORARY_LEN])
{
	int fd, err;

	for (int i = 0; i < TEMPORARY_TRIES; i++) {
		err = random_name(name);
		if (err)
			return err;
		fd = openat(f->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Checks, before anything is measured, that a file can be created. */
static int try_directory(const struct atomic_file *f)
{
	char name[TEMPORARY_LEN];
	int fd = open_temporary(f, name);

	if (fd < 0)
		return fd;
	unlinkat(f->dir, name, 0);
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

#define FD_PATH_LEN 32

/* A path to the object that was checked, even if its name has changed. */
static const char *path_of_fd(int fd, char path[FD_PATH_LEN])
{
	snprintf(path, FD_PATH_LEN, "/proc/self/fd/%d", fd);
	return path;
}

/* Replaces an existing, writable file; keeps its mode and owner. */
static int open_existing(struct atomic_file *f, const struct path_walk *w)
{
	char path[FD_PATH_LEN];

	if (access(path_of_fd(w->fd, path), W_OK))
		return -errno;
	if (is_foreign_in_shared(w))
		return -EACCES;
	f->mode = w->st.st_mode & 0777;
	f->replaces = true;
	f->uid = w->st.st_uid;
	f->gid = w->st.st_gid;
	return try_directory(f);
}

static bool same_object(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The writable descriptor of this process behind /dev/stdout or /dev/fd/N; -1: none. */
static int own_descriptor(const struct path_walk *w)
{
	char *end;
	long fd = w->is_open_file ? strtol(w->name, &end, 10) : -1;
	struct stat st;

	if (fd < 0 || fd > INT_MAX || *end || fstat((int)fd, &st) || !same_object(&st, &w->st))
		return -1;
	return (fcntl((int)fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? -1 : (int)fd;
}

/* As root, refuses a device or pipe of another user, which could block or lead elsewhere. */
static int open_in_place(struct atomic_file *f, const struct path_walk *w)
{
	char path[FD_PATH_LEN];
	int own = own_descriptor(w);

	if (own >= 0)
		return open_special(f, fcntl(own, F_DUPFD_CLOEXEC, 3));
	if (!geteuid() && !w->is_open_file && !path_walk__is_trusted(w))
		return -EACCES;
	return open_special(
		f, open(path_of_fd(w->fd, path), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
}

static int open_found(struct atomic_file *f, const struct path_walk *w)
{
	if (w->fd < 0 && w->slash)
		return -EISDIR;
	if (w->fd >= 0 && S_ISDIR(w->st.st_mode))
		return -EISDIR;
	if (w->fd >= 0 && (w->is_open_file || !S_ISREG(w->st.st_mode)))
		return open_in_place(f, w);
	f->dir = fcntl(w->dir, F_DUPFD_CLOEXEC, 3);
	if (f->dir < 0)
		return -errno;
	strcpy(f->target, w->name);
	if (w->fd >= 0)
		return open_existing(f, w);
	f->mode = default_mode();
	return try_directory(f);
}

static int open_target(struct atomic_file *f, const char *name)
{
	struct path_walk w;
	int err;

	if (!strcmp(name, "-"))
		return open_stdout(f);
	err = path_walk__find_output(&w, name);
	if (err)
		return err;
	err = open_found(f, &w);
	path_walk__close(&w);
	return err;
}

/* Opens the directory of NAME or SUBDIRECTORY/NAME below dir; follows no symbolic link. */
static int open_parent_below(int dir, const char *name, const char **base)
{
	const char *slash = strchr(name, '/');
	char parent[NAME_MAX + 1];
	int fd;

	*base = slash ? slash + 1 : name;
	if (!slash) {
		fd = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	} else {
		if (slash - name > NAME_MAX)
			return -ENAMETOOLONG;
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - name), name);
		fd = openat(dir, parent, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

static int open_below(struct atomic_file *f, int dir, const char *name)
{
	const char *base;
	struct stat st;

	f->dir = open_parent_below(dir, name, &base);
	if (f->dir < 0)
		return f->dir;
	if (!*base || strchr(base, '/') || strlen(base) > NAME_MAX)
		return -EINVAL;
	strcpy(f->target, base);
	f->mode = default_mode();
	if (!fstatat(f->dir, base, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode)) {
		f->mode = st.st_mode & 0777;
		f->replaces = true;
		f->uid = st.st_uid;
		f->gid = st.st_gid;
	}
	return try_directory(f);
}

/* Would a commit to one replace the other? */
static bool same_target(const struct path_walk *a, const struct path_walk *b)
{
	struct stat first, second;

	if (a->fd >= 0 && !S_ISREG(a->st.st_mode))
		return false;
	if (a->is_open_file || b->is_open_file)
		return a->fd >= 0 && b->fd >= 0 && same_object(&a->st, &b->st);
	return !fstat(a->dir, &first) && !fstat(b->dir, &second) && same_object(&first, &second) &&
	       !strcmp(a->name, b->name);
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

static struct atomic_file *atomic_file__new(void)
{
	struct atomic_file *f = xcalloc(1, sizeof(*f));

	f->fd = f->dir = -1;
	f->stream = xopen_memstream(&f->memory, &f->size);
	return f;
}

/* Takes ownership of f. err: the result of opening its target. */
static int finish_open(struct atomic_file **out, struct atomic_file *f, int err)
{
	if (err)
		atomic_file__free(f);
	else
		*out = f;
	return err;
}

int atomic_file__open(struct atomic_file **out, const char *name)
{
	struct atomic_file *f = atomic_file__new();

	return finish_open(out, f, open_target(f, name));
}

int atomic_file__open_below(struct atomic_file **out, int dir, const char *name)
{
	struct atomic_file *f = atomic_file__new();

	return finish_open(out, f, open_below(f, dir, name));
}

FILE *atomic_file__stream(struct atomic_file *f)
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

/* The errno of an earlier failed write is lost: report EIO. */
static int close_file(FILE *file)
{
	int err = ferror(file) ? -EIO : 0;

	if (fclose(file))
		err = -errno;
	return err;
}

static int close_stream(struct atomic_file *f)
{
	int err = close_file(f->stream);

	f->stream = NULL;
	return err;
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
	int err = close_file(stdout);

	return stdout_err ? stdout_err : err;
}

/* Only root may give a file away: others get EPERM and own the new file. */
static int give_temporary(const struct atomic_file *f, int fd)
{
	if (!f->replaces)
		return sudo_user__give(fd);
	return fchown(fd, f->uid, f->gid) && errno != EPERM ? -errno : 0;
}

static int fill_temporary(const struct atomic_file *f, int fd)
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

static int replace_target(const struct atomic_file *f)
{
	char name[TEMPORARY_LEN];
	int fd = open_temporary(f, name);
	int err;

	if (fd < 0)
		return fd;
	err = fill_temporary(f, fd);
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(f->dir, name, f->dir, f->target))
		err = -errno;
	if (err)
		unlinkat(f->dir, name, 0);
	return err;
}

int atomic_file__commit(struct atomic_file *f)
{
	int err = close_stream(f);

	if (!err)
		err = f->fd >= 0 ? write_all(f->fd, f->memory, f->size) : replace_target(f);
	atomic_file__free(f);
	return err;
}

void atomic_file__abort(struct atomic_file *f)
{
	if (f)
		atomic_file__free(f);
}

int atomic_file__finish(struct atomic_file **f, int err, const char *name)
{
	if (err)
		atomic_file__abort(*f);
	else
		err = atomic_file__commit(*f);
	*f = NULL;
	if (!err)
		return EXIT_DONE;
	log_error("cannot write %s: %s.", name, strerror(-err));
	return EXIT_RUN_FAILED;
}
