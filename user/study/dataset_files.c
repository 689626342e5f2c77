/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a data set: held open for root, found and read; see dataset_files.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/resource_limits.h"
#include "base/sudo_user.h"
#include "base/path_walk.h"
#include "base/printable.h"
#include "common/xalloc.h"
#include "dataset.h"
#include "dataset_files.h"
#include "importer.h"

/* One path as the functions below spell it. */
struct held {
	char *path;
	int fd;
	bool directory;
};

static struct held *held;
static size_t held_nr;
static bool held_sorted;
static bool only_held;
static int held_err; /* why the path of dataset_files__hold_only() is not held */

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct held *)a)->path, ((const struct held *)b)->path);
}

static const struct held *find_held(const char *path)
{
	const struct held key = {.path = (char *)path};

	if (!held_nr)
		return NULL;
	if (!held_sorted)
		qsort(held, held_nr, sizeof(*held), compare_paths);
	held_sorted = true;
	return bsearch(&key, held, held_nr, sizeof(*held), compare_paths);
}

/* Takes path and fd. */
static void add_held(char *path, int fd, bool directory)
{
	held = xgrow(held, held_nr, sizeof(*held));
	held_sorted = false;
	held[held_nr++] = (struct held){path, fd, directory};
}

static bool is_wanted(const char *name)
{
	return name[0] != '.' && has_suffix(name, ".json");
}

/* An entry of a directory; root follows no link of another user. -1: none. */
static int open_entry(int dir, const char *name, int flags, bool as_root)
{
	struct stat st;

	if (as_root &&
	    (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || (S_ISLNK(st.st_mode) && st.st_uid)))
		return -1;
	return openat(dir, name, flags | O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void hold_entries(const char *path, int dir, bool as_root)
{
	DIR *list = fdopendir(fcntl(dir, F_DUPFD_CLOEXEC, 3));
	const struct dirent *entry;
	int fd;

	if (!list)
		return;
	rewinddir(list);
	while ((entry = readdir(list))) {
		fd = is_wanted(entry->d_name) ? open_entry(dir, entry->d_name, 0, as_root) : -1;
		if (fd >= 0)
			add_held(xasprintf("%s/%s", path, entry->d_name), fd, false);
	}
	closedir(list);
}

static void hold_directory(const char *path, int dir, bool as_root)
{
	char *cells;
	int fd;

	hold_entries(path, dir, as_root);
	fd = open_entry(dir, "cells", O_DIRECTORY, as_root);
	if (fd < 0)
		return;
	cells = xasprintf("%s/cells", path);
	add_held(cells, fd, true);
	hold_entries(cells, fd, as_root);
}

/* With the rights of the user that this thread's file system user is. */
static int hold_found(const char *path, const struct path_walk *w, bool as_root)
{
	int fd = path_walk__open(w);

	if (fd < 0)
		return fd;
	fcntl(fd, F_SETFL, 0);
	add_held(xstrdup(path), fd, S_ISDIR(w->st.st_mode));
	if (S_ISDIR(w->st.st_mode))
		hold_directory(path, fd, as_root);
	return 0;
}

static int hold_path(const char *path)
{
	struct path_walk w;
	int err = path_walk__find_input(&w, path);

	if (err)
		return err;
	/* Every file of a sweep is open at once. */
	limits__raise();
	err = path_walk__act_as_controller(&w);
	if (!err)
		err = hold_found(path, &w, path_walk__is_trusted(&w));
	path_walk__act_as_self();
	path_walk__close(&w);
	return err;
}

void dataset_files__hold(const char *path)
{
	uid_t uid;
	gid_t gid;

	if (!geteuid() && sudo_user__of_sudo(&uid, &gid) && !find_held(path))
		hold_path(path);
}

void dataset_files__hold_only(const char *path)
{
	if (geteuid() || find_held(path))
		return;
	only_held = true;
	held_err = hold_path(path);
}

void dataset_files__release(void)
{
	for (size_t i = 0; i < held_nr; i++) {
		free(held[i].path);
		close(held[i].fd);
	}
	free(held);
	held = NULL;
	only_held = false;
	held_nr = 0;
}

/* 1: a directory, 0: another file, -errno. */
static int is_directory(const char *path)
{
	const struct held *h = find_held(path);
	struct stat st;

	if (h)
		return h->directory;
	if (only_held)
		return held_err ? held_err : -ENOENT;
	return stat(path, &st) ? -errno : S_ISDIR(st.st_mode);
}

/* For reading, a held file from its beginning again. -1 with errno. */
static int open_fd(const char *path, int missing)
{
	const struct held *h = find_held(path);
	int fd;

	if (!h && !only_held)
		return open(path, O_RDONLY | O_CLOEXEC);
	errno = missing;
	fd = h ? fcntl(h->fd, F_DUPFD_CLOEXEC, 3) : -1;
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static FILE *open_file(const char *path)
{
	int fd = open_fd(path, EACCES);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The visible .json files: how many, or -errno. A held directory has those held with it. */
static int list_names(const char *directory, char ***names)
{
	int fd = open_fd(directory, ENOENT);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t nr = 0;
	int err = -errno;

	*names = NULL;
	if (!list) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.' || !has_suffix(entry->d_name, ".json"))
			continue;
		*names = xgrow(*names, nr, sizeof(**names));
		(*names)[nr++] = xstrdup(entry->d_name);
	}
	closedir(list);
	if (nr)
		qsort(*names, nr, sizeof(**names), compare_names);
	return (int)nr;
}

/* Larger than a hundred thousand rows of ours. contrib/import-csv has the same bound. */
#define FILE_MAX_BYTES (1 << 28)

static int fail(char *message, const char *name, const char *what, int err)
{
	snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name, what);
	return err;
}

static int describe_errno(char *message, const char *name, int err)
{
	return fail(message, name, strerror(-err), err);
}

static int read_stream(FILE *f, char **text, size_t *len)
{
	size_t room = 1 << 16, n;

	*text = NULL;
	*len = 0;
	do {
		if (room > FILE_MAX_BYTES)
			return -EFBIG;
		*text = xreallocarray(*text, room, 1);
		n = fread(*text + *len, 1, room - *len, f);
		*len += n;
		room *= 2;
	} while (n && !feof(f));
	return ferror(f) ? -EIO : 0;
}

/* A whole file. */
static int read_file(const char *path, struct import_file *file, char *message)
{
	FILE *f = open_file(path);
	char *text = NULL;
	int err;

	*file = (struct import_file){.name = path};
	if (!f)
		return describe_errno(message, path, -errno);
	err = read_stream(f, &text, &file->len);
	fclose(f);
	file->data = text;
	return err ? describe_errno(message, path, err) : 0;
}

/* CSV files: imported, or (f) explained. */
static int read_csv(struct dataset *d, const char *const *paths, size_t nr, FILE *f, char *message)
{
	struct import_file *files = xcalloc(nr, sizeof(*files));
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = read_file(paths[i], &files[i], message);
	if (!err && f)
		err = importer__explain(&d->names, files, nr, f, message);
	else if (!err)
		err = importer__add(d, files, nr, message);
	for (size_t i = 0; i < nr; i++)
		free((void *)files[i].data);
	free(files);
	return err;
}

/* NULL with the sentence: not readable, or no JSON. */
static json_t *load_json(const char *path, char *message)
{
	FILE *f = open_file(path);
	json_error_t error;
	json_t *document;

	if (!f) {
		describe_errno(message, path, -errno);
		return NULL;
	}
	document = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (!document)
		snprintf(message, DATASET_MESSAGE_MAX, "%s: not JSON, or truncated (line %d: %s).",
			 path, error.line, error.text);
	return document;
}

/*
 * One file of a directory. optional: a document that is none of ours is passed over, as a results
 * directory has others beside its cells.
 */
static int load_entry(struct dataset *d, const char *path, bool optional, char *message)
{
	json_t *document = load_json(path, message);
	const char *schema = json_string_value(json_object_get(document, "schema"));
	int err = 0;

	if (!document)
		return optional ? 0 : -EINVAL;
	if (has_suffix(path, ".failed.json") && dataset__add_failure(d, document))
		err = fail(message, path, "not a record of a failed run", -EINVAL);
	else if (!has_suffix(path, ".failed.json") &&
		 (!optional || (schema && !strcmp(schema, RESULT_SCHEMA))))
		err = dataset__add_document(d, path, document, message);
	json_decref(document);
	return err;
}

/* All documents in a directory, sorted by name; -ENOENT: no such directory. */
static int load_documents(struct dataset *d, const char *directory, bool optional, char *message)
{
	char **names, *path;
	int n = list_names(directory, &names), err = 0;

	if (n < 0)
		return n == -ENOENT ? -ENOENT : describe_errno(message, directory, n);
	for (int i = 0; i < n; i++) {
		path = xasprintf("%s/%s", directory, names[i]);
		if (!err)
			err = load_entry(d, path, optional, message);
		free(path);
		free(names[i]);
	}
	free(names);
	return err;
}

static bool is_empty(const struct dataset *d)
{
	return !d->rows_nr && !d->failures_nr && !d->others_nr;
}

/* The seed is in no document of a run. */
static void load_seed(struct dataset *d, const char *path)
{
	char *name = xasprintf("%s/sweep.json", path), ignored[DATASET_MESSAGE_MAX];
	json_t *sweep = load_json(name, ignored);
	const json_t *seed = json_object_get(json_object_get(sweep, "settings"), "seed");

	if (json_is_integer(seed))
		d->seed = xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(seed));
	json_decref(sweep);
	free(name);
}

static int load_directory(struct dataset *d, const char *path, char *message)
{
	char *cells = xasprintf("%s/cells", path);
	int err = load_documents(d, cells, false, message);

	if (!err || err == -ENOENT)
		err = is_empty(d) ? load_documents(d, path, true, message) : 0;
	if (!err && is_empty(d))
		err = fail(message, path,
			   "no result documents (cells/*.json) are in this directory", -ENOENT);
	if (!err)
		load_seed(d, path);
	free(cells);
	return err;
}

/* A run counted twice would narrow every interval. */
static int refuse_copy(const struct dataset *d, const char *path, char *message)
{
	const struct dataset_row *row = dataset__copy(d);

	if (!row)
		return 0;
	snprintf(message, DATASET_MESSAGE_MAX,
		 "%s: round %u of mode %s, size %" PRIu64 ", threads %u is there twice, the same "
		 "to the last digit: a file or a line is a copy of another, remove it.",
		 path, row->round, mode__name(row->mode), row->size, row->threads);
	return -EINVAL;
}

/* 1: a CSV file; 0: a directory or a document; -errno with the sentence. */
static int is_csv(const char *path, char *message)
{
	int directory = is_directory(path);

	if (directory < 0)
		return describe_errno(message, path, directory);
	return !directory && !has_suffix(path, ".json");
}

static int load_document(struct dataset *d, const char *path, char *message)
{
	json_t *document = load_json(path, message);
	int err = document ? dataset__add_document(d, path, document, message) : -EINVAL;

	json_decref(document);
	return err;
}

/* A directory, a document, or CSV files (f: to be explained there; NULL: to be read). */
static int load_paths(struct dataset *d, const char *const *paths, size_t nr, FILE *f,
		      char *message)
{
	int csv = 1;

	for (size_t i = 0; i < nr && csv > 0; i++) {
		csv = is_csv(paths[i], message);
		if (!csv && nr > 1)
			return fail(message, paths[i],
				    "only CSV files of others can be joined; give one directory or "
				    "document",
				    -EINVAL);
	}
	if (csv)
		return csv < 0 ? csv : read_csv(d, paths, nr, f, message);
	if (f)
		return fprintf(f, "%s: result documents: every field has its own name.\n",
			       paths[0]) < 0
			       ? -EIO
			       : 0;
	return is_directory(paths[0]) ? load_directory(d, paths[0], message)
				      : load_document(d, paths[0], message);
}

static int finish(struct dataset *d, const char *path, double default_duration_s, char *message)
{
	if (!d->rows_nr && d->others_nr) {
		snprintf(message, DATASET_MESSAGE_MAX, "%s: no run was made with %s, but with %s.",
			 path, d->names.congestion, d->others[0]);
		return -ENODATA;
	}
	if (!d->rows_nr)
		return fail(message, path, "not one run succeeded: there is nothing to report",
			    -ENODATA);
	dataset__finish(d, default_duration_s);
	return refuse_copy(d, path, message);
}

int dataset__load(struct dataset *d, const char *path, double default_duration_s,
		  char message[DATASET_MESSAGE_MAX])
{
	return dataset__load_files(d, &path, 1, default_duration_s, &(struct dataset_names){0},
				   message);
}

int dataset__load_files(struct dataset *d, const char *const *paths, size_t paths_nr,
			double default_duration_s, const struct dataset_names *names,
			char message[DATASET_MESSAGE_MAX])
{
	int err;

	*d = (struct dataset){.names = *names};
	*message = '\0';
	err = load_paths(d, paths, paths_nr, NULL, message);
	if (!err)
		err = finish(d, paths[0], default_duration_s, message);
	if (err && !*message)
		describe_errno(message, paths[0], err);
	/* Contains names of cells, keys and files. */
	printable__in_place(message);
	if (err)
		dataset__clear(d);
	return err;
}

int dataset__explain(const char *const *paths, size_t paths_nr, const struct dataset_names *names,
		     FILE *f, char message[DATASET_MESSAGE_MAX])
{
	struct dataset d = {.names = *names};
	int err;

	*message = '\0';
	err = load_paths(&d, paths, paths_nr, f, message);
	printable__in_place(message);
	return err;
}
