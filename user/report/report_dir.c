/* SPDX-License-Identifier: GPL-2.0-only */
/* The output directory of a report; see report_dir.h. Knows nothing of what is written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_dir.h"

#define TEMPORARY ".netiotrace-report-"
#define OLD       ".netiotrace-old-report-"

/* "DIR/<prefix>NAME" beside the target, which is an absolute path. */
static char *sibling(const char *target, const char *prefix)
{
	const char *slash = strrchr(target, '/');
	char *name = NULL;

	if (asprintf(&name, "%.*s/%s%s", (int)(slash - target), target, prefix, slash + 1) < 0)
		return NULL;
	return name;
}

/* Absolute, without links; of one that is not there yet, its directory must be. NULL: errno. */
static char *whole_path(const char *target)
{
	char path[PATH_MAX], *copy, *slash, *dir, *whole = NULL;

	if (realpath(target, path))
		return strdup(path);
	if (errno != ENOENT || !*target)
		return NULL;
	copy = strdup(target);
	if (!copy)
		return NULL;
	for (slash = copy + strlen(copy); slash > copy + 1 && slash[-1] == '/';)
		*--slash = '\0';
	slash = strrchr(copy, '/');
	if (slash)
		*slash = '\0';
	dir = realpath(!slash ? "." : slash == copy ? "/" : copy, path);
	if (dir &&
	    asprintf(&whole, "%s/%s", strcmp(path, "/") ? path : "", slash ? slash + 1 : copy) < 0)
		whole = NULL;
	free(copy);
	return whole;
}

static bool is_current_directory(const char *path)
{
	char *current = getcwd(NULL, 0);
	bool is = current && !strcmp(current, path);

	free(current);
	return is;
}

/* 0: absent, empty or a report; -errno. */
static int check_existing(const char *target, char why[REPORT_DIR_WHY])
{
	struct owned_dir d;
	char stranger[NAME_MAX + 1];
	int err = owned_dir__open(&d, target, REPORT_DIR_KIND);

	snprintf(why, REPORT_DIR_WHY, "it is there and is no directory that can be read");
	if (!err) {
		err = owned_dir__stranger(&d, stranger, sizeof(stranger));
		if (!err && *stranger) {
			snprintf(why, REPORT_DIR_WHY,
				 "it holds %s, which is no file of a report made here, so nothing "
				 "in it is replaced: name another directory",
				 stranger);
			err = -EEXIST;
		}
	}
	owned_dir__close(&d);
	if (!err && is_current_directory(target)) {
		snprintf(why, REPORT_DIR_WHY,
			 "it is the directory this was called in: call it from elsewhere");
		err = -EBUSY;
	}
	return err == -ENOENT ? 0 : err;
}

/* A kill between the two renames of take_place(): the old report gets its name back. */
static void restore_old(const struct report_dir *d)
{
	char *old = sibling(d->target, OLD);

	if (old && access(d->target, F_OK) && errno == ENOENT)
		rename(old, d->target);
	free(old);
}

/* Removes what a report that was killed left there. 0 or -errno; -EBUSY: one is being made. */
static int clear_leftover(const char *temporary)
{
	struct owned_dir left;
	int err = owned_dir__open(&left, temporary, REPORT_DIR_KIND);

	if (!err && flock(left.fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = owned_dir__remove(&left, temporary);
	owned_dir__close(&left);
	return err == -ENOENT ? 0 : err;
}

static mode_t directory_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0777 & ~mask;
}

/* An empty directory that somebody made with its owner and mode keeps both. */
static int take_over_rights(const struct report_dir *d)
{
	struct stat st;

	if (stat(d->target, &st))
		return fchmod(d->owned.fd, directory_mode()) ? -errno : 0;
	if (fchown(d->owned.fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(d->owned.fd, st.st_mode & 07777) ? -errno : 0;
}

static int make_temporary(struct report_dir *d)
{
	char *temporary = sibling(d->target, TEMPORARY);
	int err;

	if (!temporary)
		return -ENOMEM;
	err = clear_leftover(temporary);
	if (!err && mkdir(temporary, 0700))
		err = -errno;
	if (err) {
		free(temporary);
		return err;
	}
	d->temporary = temporary;
	err = owned_dir__open(&d->owned, temporary, REPORT_DIR_KIND);
	if (!err && flock(d->owned.fd, LOCK_EX | LOCK_NB))
		err = -errno;
	if (!err)
		err = owned_dir__mark(&d->owned, REPORT_DIR_KIND);
	return err;
}

int report_dir__open(struct report_dir *d, const char *target, char why[REPORT_DIR_WHY])
{
	int err;

	*d = (struct report_dir){.owned = OWNED_DIR_INIT, .target = whole_path(target)};
	if (!d->target) {
		snprintf(why, REPORT_DIR_WHY, "%s", strerror(errno));
		return -errno;
	}
	restore_old(d);
	err = check_existing(d->target, why);
	if (!err) {
		err = make_temporary(d);
		if (err == -EBUSY)
			snprintf(why, REPORT_DIR_WHY, "another report is being written there");
		else
			snprintf(why, REPORT_DIR_WHY, "%s", strerror(-err));
	}
	if (err)
		report_dir__abort(d);
	return err;
}

int report_dir__claim(struct report_dir *d, const char *name)
{
	return owned_dir__claim(&d->owned, name);
}

int report_dir__write(struct report_dir *d, const char *name, const char *text)
{
	int fd, err = owned_dir__claim(&d->owned, name);
	FILE *f;

	if (err)
		return err;
	fd = openat(d->owned.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	if (fputs(text, f) == EOF)
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

/* Where two directories cannot be exchanged: the old one aside, the new one in its place. */
static int replace_in_two_steps(struct report_dir *d)
{
	char *old = sibling(d->target, OLD);
	int err = 0;

	if (!old)
		return -ENOMEM;
	if (rename(d->target, old))
		err = -errno;
	else if (rename(d->temporary, d->target)) {
		err = -errno;
		rename(old, d->target);
	}
	if (err) {
		free(old);
		return err;
	}
	free(d->temporary);
	d->temporary = old;
	return 0;
}

/* The old report is under the temporary name afterwards, if there was one. */
static int take_place(struct report_dir *d)
{
	if (!renameat2(AT_FDCWD, d->temporary, AT_FDCWD, d->target, RENAME_EXCHANGE))
		return 0;
	if (errno == EINVAL || errno == ENOSYS)
		return replace_in_two_steps(d);
	if (errno != ENOENT)
		return -errno;
	if (rename(d->temporary, d->target))
		return -errno;
	free(d->temporary);
	d->temporary = NULL;
	return 0;
}

/* What was there before; a file that came into it since it was looked at is kept. */
static int remove_old(struct report_dir *d)
{
	struct owned_dir old;
	int err;

	if (!d->temporary)
		return 0;
	err = owned_dir__open(&old, d->temporary, REPORT_DIR_KIND);
	if (!err)
		err = owned_dir__remove(&old, d->temporary);
	owned_dir__close(&old);
	free(d->temporary);
	d->temporary = NULL;
	return err;
}

static void report_dir__close(struct report_dir *d)
{
	owned_dir__close(&d->owned);
	free(d->temporary);
	free(d->target);
	*d = (struct report_dir){.owned = OWNED_DIR_INIT};
}

int report_dir__publish(struct report_dir *d)
{
	int err = take_over_rights(d);

	if (!err)
		err = owned_dir__give(&d->owned);
	if (!err)
		err = take_place(d);
	if (err) {
		report_dir__abort(d);
		return err;
	}
	err = remove_old(d);
	report_dir__close(d);
	return err;
}

void report_dir__abort(struct report_dir *d)
{
	if (d->temporary)
		owned_dir__remove(&d->owned, d->temporary);
	report_dir__close(d);
}
