/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of a report; see report_output.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/sudo_user.h"
#include "base/managed_dir.h"
#include "base/path_walk.h"
#include "report_output.h"

/* Requests: verb NUL target NUL; to write, then NAME NUL LENGTH NUL and the data of each file. */
#define WRITE "write" /* any other verb only checks */

#define TEMPORARY ".netiotrace-report-"
#define OLD       ".netiotrace-old-report-"
#define KIND      "report" /* in the marker */
#define NAMES_NR  9        /* of a temporary directory: another user may have taken some */

struct output_location {
	int dir; /* where target and temporary are */
	char target[NAME_MAX + 1];
	char temporary[NAME_MAX + 1], old[NAME_MAX + 1];
	bool made; /* the temporary directory is there, and ours */
	struct managed_dir owned;
};

struct file {
	const char *name, *data;
	size_t len;
};

/* A request that is not yet read. */
struct request {
	const char *at, *end;
};

/* A text ended by a NUL; NULL: there is none. */
static const char *next_text(struct request *r)
{
	const char *text = r->at, *nul = memchr(r->at, 0, (size_t)(r->end - r->at));

	if (!nul)
		return NULL;
	r->at = nul + 1;
	return text;
}

static bool next_file(struct request *r, struct file *f)
{
	const char *len;
	char *end;

	f->name = next_text(r);
	len = f->name ? next_text(r) : NULL;
	if (!len || !isdigit((unsigned char)*len))
		return false;
	f->len = strtoul(len, &end, 10);
	if (*end || f->len > (size_t)(r->end - r->at))
		return false;
	f->data = r->at;
	r->at += f->len;
	return true;
}

/* The caller's directory, or one of a congestion control beside it. */
static bool may_be_target(const char *output, const char *target)
{
	size_t len = strlen(output);

	if (strncmp(output, target, len) != 0)
		return false;
	target += len;
	if (!*target)
		return true;
	if (*target != '-' || !target[1])
		return false;
	while (isalnum((unsigned char)*target) || *target == '-' || *target == '_')
		target++;
	return !*target;
}

static int name_beside(char name[NAME_MAX + 1], const char *prefix, const char *target)
{
	return snprintf(name, NAME_MAX + 1, "%s%s", prefix, target) > NAME_MAX ? -ENAMETOOLONG : 0;
}

static void output_location__close(struct output_location *p)
{
	managed_dir__close(&p->owned);
	if (p->dir >= 0)
		close(p->dir);
	p->dir = -1;
}

static bool is_current_directory(const struct stat *st)
{
	struct stat current;

	return !stat(".", &current) && path_walk__same_object(&current, st);
}

/* A place that has a name in a directory. 0 or -errno; why is filled where errno says little. */
static int output_location__open(struct output_location *p, const char *target,
				 char why[PUBLISHER_WHY])
{
	struct path_walk w;
	int err = path_walk__find_output(&w, target);

	*p = (struct output_location){.dir = -1, .owned = MANAGED_DIR_INIT};
	if (err)
		return err;
	if (w.fd >= 0 && S_ISDIR(w.st.st_mode) && is_current_directory(&w.st)) {
		snprintf(why, PUBLISHER_WHY,
			 "it is the directory this was called in: call it from elsewhere");
		err = -EBUSY;
	} else if (w.is_open_file || !strcmp(w.name, ".")) {
		err = -EBUSY;
	} else {
		strcpy(p->target, w.name);
		err = name_beside(p->temporary, TEMPORARY, w.name);
		err = err ? err : name_beside(p->old, OLD, w.name);
		p->dir = w.dir;
		w.dir = -1;
	}
	path_walk__close(&w);
	if (err)
		output_location__close(p);
	return err;
}

/* 0: absent, empty or a report; -errno. */
static int check_existing(const struct output_location *p, char why[PUBLISHER_WHY])
{
	struct managed_dir d;
	char foreign[2 * NAME_MAX + 2];
	int err = managed_dir__open_at(&d, p->dir, p->target, KIND);

	if (!err)
		err = managed_dir__find_foreign(&d, foreign, sizeof(foreign));
	if (!err && *foreign) {
		snprintf(why, PUBLISHER_WHY,
			 "it contains %.250s, which is not a file of a report, so nothing in it "
			 "is replaced: name another directory",
			 foreign);
		err = -EEXIST;
	} else if (err && err != -ENOENT) {
		snprintf(why, PUBLISHER_WHY, "it exists and is not a readable directory");
	}
	managed_dir__close(&d);
	return err == -ENOENT ? 0 : err;
}

/* A kill between the two renames of replace_in_two_steps(): the old report gets its name back. */
static void restore_old(const struct output_location *p)
{
	struct stat st;

	if (fstatat(p->dir, p->target, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
		renameat(p->dir, p->old, p->dir, p->target);
}

/* Made by a report of this user, or of root for the invoking user. */
static bool is_own(int fd)
{
	struct stat st;
	uid_t uid;
	gid_t gid;

	if (fstat(fd, &st))
		return false;
	return st.st_uid == geteuid() || (!sudo_user__of_sudo(&uid, &gid) && st.st_uid == uid);
}

/* Removes the leftover of a killed report. 0 or -errno; -EBUSY: a report is being written. */
static int clear_leftover(const struct output_location *p)
{
	struct managed_dir left;
	int err = managed_dir__open_at(&left, p->dir, p->temporary, KIND);

	if (!err && !is_own(left.fd))
		err = -EPERM;
	if (!err && flock(left.fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = managed_dir__remove_at(&left, p->dir, p->temporary);
	managed_dir__close(&left);
	return err == -ENOENT ? 0 : err;
}

/* Makes it under the first free name. 0 or -errno. */
static int make_directory(struct output_location *p)
{
	int err = -EEXIST;

	for (char i = '0'; i < '0' + NAMES_NR && err && err != -EBUSY; i++) {
		if (i > '0' && snprintf(p->temporary, sizeof(p->temporary), TEMPORARY "%s.%c",
					p->target, i) >= (int)sizeof(p->temporary))
			return err;
		err = clear_leftover(p);
		if (!err && mkdirat(p->dir, p->temporary, 0700))
			err = -errno;
		if (err == -ENOENT || err == -EACCES || err == -EROFS)
			return err;
	}
	return err;
}

static int make_temporary(struct output_location *p, char why[PUBLISHER_WHY])
{
	int err = make_directory(p);

	if (!err) {
		p->made = true;
		err = managed_dir__open_at(&p->owned, p->dir, p->temporary, KIND);
	}
	/* The owner of the parent directory can replace it: files in another one stay as they are.
	 */
	if (!err && !managed_dir__is_empty(&p->owned)) {
		p->made = false;
		err = -EPERM;
	}
	if (!err && flock(p->owned.fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = managed_dir__mark(&p->owned, KIND);
	if (err == -EBUSY)
		snprintf(why, PUBLISHER_WHY, "another report is being written there");
	return err;
}

/* Removes the temporary directory, whatever has its name now. */
static int remove_temporary(struct output_location *p)
{
	int err = 0;

	if (p->made && p->owned.fd >= 0)
		err = managed_dir__remove_at(&p->owned, p->dir, p->temporary);
	p->made = false;
	return err;
}

/* An empty directory that somebody made with its owner and mode keeps both. */
static int copy_rights(const struct output_location *p)
{
	struct stat st;

	if (fstatat(p->dir, p->target, &st, AT_SYMLINK_NOFOLLOW))
		return fchmod(p->owned.fd, atomic_file__mode(0777)) ? -errno : 0;
	if (fchown(p->owned.fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(p->owned.fd, st.st_mode & 07777) ? -errno : 0;
}

/* A file of the temporary directory, which is ours alone until it has its name. */
static int write_file(struct output_location *p, const struct file *f)
{
	int fd, err = managed_dir__claim(&p->owned, f->name);
	FILE *out;

	if (err)
		return err;
	fd = managed_dir__open_file(&p->owned, f->name, O_WRONLY | O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	out = fdopen(fd, "w");
	if (!out) {
		err = -errno;
		close(fd);
		return err;
	}
	if (fwrite(f->data, 1, f->len, out) != f->len)
		err = -errno;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int write_files(struct output_location *p, struct request *r)
{
	struct file f;
	int err = 0;

	while (!err && r->at < r->end)
		err = next_file(r, &f) ? write_file(p, &f) : -EINVAL;
	return err;
}

/* Where two directories cannot be exchanged: the old one aside, the new one in its place. */
static int replace_in_two_steps(struct output_location *p)
{
	int err;

	if (renameat(p->dir, p->target, p->dir, p->old))
		return -errno;
	if (renameat(p->dir, p->temporary, p->dir, p->target)) {
		err = -errno;
		renameat(p->dir, p->old, p->dir, p->target);
		return err;
	}
	strcpy(p->temporary, p->old);
	return 0;
}

/* The old report is under the temporary name afterwards, if there was one. */
static int replace_target(struct output_location *p)
{
	if (!renameat2(p->dir, p->temporary, p->dir, p->target, RENAME_EXCHANGE))
		return 0;
	if (errno == EINVAL || errno == ENOSYS)
		return replace_in_two_steps(p);
	if (errno != ENOENT)
		return -errno;
	if (renameat(p->dir, p->temporary, p->dir, p->target))
		return -errno;
	p->made = false;
	return 0;
}

/* The previous content; a file added meanwhile is kept. */
static int remove_old(struct output_location *p)
{
	struct managed_dir old;
	int err;

	if (!p->made)
		return 0;
	p->made = false;
	err = managed_dir__open_at(&old, p->dir, p->temporary, KIND);
	if (!err)
		err = managed_dir__remove_at(&old, p->dir, p->temporary);
	managed_dir__close(&old);
	return err;
}

static int publish(struct output_location *p, struct request *r, char why[PUBLISHER_WHY])
{
	int err = make_temporary(p, why);

	if (!err)
		err = write_files(p, r);
	if (!err)
		err = copy_rights(p);
	if (!err)
		err = managed_dir__give(&p->owned);
	if (!err)
		err = replace_target(p);
	if (!err)
		return remove_old(p);
	remove_temporary(p);
	return err;
}

/* Can a report be written there? Asked before anything is drawn. */
static int check(struct output_location *p, char why[PUBLISHER_WHY])
{
	int err = make_temporary(p, why), removed = remove_temporary(p);

	return err ? err : removed;
}

int report_output__serve(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY])
{
	struct request r = {.at = data, .end = data + len};
	const char *verb = next_text(&r), *target = verb ? next_text(&r) : NULL;
	struct output_location p;
	int err;

	if (!target || !may_be_target(ctx, target))
		return -EINVAL;
	err = output_location__open(&p, target, why);
	if (err)
		return err;
	restore_old(&p);
	err = check_existing(&p, why);
	if (!err)
		err = strcmp(verb, WRITE) ? check(&p, why) : publish(&p, &r, why);
	output_location__close(&p);
	return err;
}
