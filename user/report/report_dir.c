/* SPDX-License-Identifier: GPL-2.0-only */
/* The output directory of a report; see report_dir.h. Knows nothing of what is written. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/suffix.h"
#include "report_dir.h"

#define OPEN_FILES_MAX 8

/* What a report consists of; a directory with anything else in it is not ours to replace. */
static bool is_of_report(const char *name)
{
	return !strcmp(name, "report.html") || !strcmp(name, "report.md") ||
	       !strcmp(name, REPORT_DATA) || has_suffix(name, ".svg") || has_suffix(name, ".png");
}

/* 0: absent, empty or a report; -errno. */
static int check_existing(const char *target, const char **why)
{
	DIR *dir = opendir(target);
	const struct dirent *entry;
	int err = 0;

	if (!dir) {
		*why = "it is there and is no directory that can be read";
		return errno == ENOENT ? 0 : -errno;
	}
	while (!err && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    !is_of_report(entry->d_name))
			err = -EEXIST;
	closedir(dir);
	*why = "it holds other files than a report's, which are not overwritten";
	return err;
}

static void remove_trailing_slashes(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
}

/* "DIR/.netiotrace-report-XXXXXX" beside the target. */
static char *temporary_name(const char *target)
{
	const char *slash = strrchr(target, '/');
	int dir_len = slash ? (int)(slash - target) : 1;
	char *name = NULL;

	if (asprintf(&name, "%.*s/.netiotrace-report-XXXXXX", dir_len, slash ? target : ".") < 0)
		return NULL;
	return name;
}

static mode_t directory_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0777 & ~mask;
}

static int make_temporary(struct report_dir *d)
{
	char *data = NULL;
	int err = 0;

	d->temporary = temporary_name(d->target);
	if (!d->temporary)
		return -ENOMEM;
	if (!mkdtemp(d->temporary)) {
		err = -errno;
		free(d->temporary);
		d->temporary = NULL;
		return err;
	}
	if (asprintf(&data, "%s/" REPORT_DATA, d->temporary) < 0)
		return -ENOMEM;
	if (chmod(d->temporary, directory_mode()) || mkdir(data, 0777))
		err = -errno;
	free(data);
	return err;
}

int report_dir__open(struct report_dir *d, const char *target, const char **why)
{
	int err;

	*d = (struct report_dir){.target = strdup(target)};
	*why = "memory is short";
	if (!d->target)
		return -ENOMEM;
	remove_trailing_slashes(d->target);
	err = check_existing(d->target, why);
	if (!err) {
		err = make_temporary(d);
		*why = strerror(-err);
	}
	if (err)
		report_dir__abort(d);
	return err;
}

int report_dir__write(const struct report_dir *d, const char *name, const char *text)
{
	char *path = NULL;
	FILE *f;
	int err = 0;

	if (asprintf(&path, "%s/%s", d->temporary, name) < 0)
		return -ENOMEM;
	f = fopen(path, "we");
	free(path);
	if (!f)
		return -errno;
	if (fputs(text, f) == EOF)
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, OPEN_FILES_MAX, FTW_DEPTH | FTW_PHYS);
}

/* The old report is in the temporary's place afterwards, if there was one. */
static int take_place(const struct report_dir *d)
{
	if (!renameat2(AT_FDCWD, d->temporary, AT_FDCWD, d->target, RENAME_EXCHANGE))
		return 0;
	if (errno != ENOENT && errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* There is none, or the file system cannot exchange: an empty one is replaced by rename. */
	if (errno != ENOENT)
		remove_tree(d->target);
	return rename(d->temporary, d->target) ? -errno : 0;
}

int report_dir__publish(struct report_dir *d)
{
	int err = take_place(d);

	report_dir__abort(d);
	return err;
}

void report_dir__abort(struct report_dir *d)
{
	if (d->temporary)
		remove_tree(d->temporary);
	free(d->temporary);
	free(d->target);
	*d = (struct report_dir){0};
}
