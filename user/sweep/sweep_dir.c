/* SPDX-License-Identifier: GPL-2.0-only */
/* The results directory of a sweep; see sweep_dir.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "write/json.h"
#include "base/log.h"
#include "common/xalloc.h"
#include "base/exit_code.h"
#include "base/sudo_user.h"
#include "base/atomic_file.h"
#include "model/congestion.h"
#include "sweep_csv.h"
#include "sweep_dir.h"
#include "sweep_document.h"

#define FAILURE_SCHEMA "netiotrace.failure/1"
#define CELLS          "cells"
#define SWEEP_KIND     "sweep" /* in the marker */

#define LOCK_RETRY_NS 20000000
#define LOCK_RETRIES  50

#define RUN_NAME_MAX 128

/* "cells/onecopy-65536-t1-r0.json", "cells/onecopy-65536-t1-cubic-r0.json", in the directory. */
static const char *name_of_run(const struct sweep_run *run, const char *suffix,
			       char name[RUN_NAME_MAX])
{
	snprintf(name, RUN_NAME_MAX, CELLS "/%s-%" PRIu64 "-t%u%s%s-r%u%s", mode__name(run->mode),
		 run->size, run->threads, run->congestion ? "-" : "",
		 run->congestion ? run->congestion : "", run->round, suffix);
	return name;
}

/* ".netiotrace-XXXXXX": what atomic_file.c writes before it renames. */
static bool is_temporary(const char *name)
{
	return strncmp(name, ATOMIC_FILE_TEMPORARY, strlen(ATOMIC_FILE_TEMPORARY)) == 0 &&
	       strlen(name) == strlen(ATOMIC_FILE_TEMPORARY) + 6;
}

/* Opens "." or CELLS in the results directory. NULL: no directory, or a link. */
static DIR *list(const struct sweep_dir *d, const char *name)
{
	int fd = openat(d->owned.fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* Removes temporary files that a killed sweep left. */
static void remove_temporaries(const struct sweep_dir *d, const char *name)
{
	DIR *dir = list(d, name);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (is_temporary(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

static bool exists(const struct sweep_dir *d, const char *file)
{
	struct stat st;

	return !fstatat(d->owned.fd, file, &st, AT_SYMLINK_NOFOLLOW);
}

/* A file "NAME" or "cells/NAME". NULL: it is absent, a link, too long, or holds no JSON. */
static json_t *read_json(const struct sweep_dir *d, const char *file)
{
	int fd = managed_dir__open_file(&d->owned, file, O_RDONLY);
	json_t *document = fd < 0 ? NULL : json_document__read(fd);

	if (fd >= 0)
		close(fd);
	return document;
}

static bool has_schema(const json_t *document, const char *schema)
{
	const char *found = json_string_value(json_object_get(document, "schema"));

	return found && strcmp(found, schema) == 0;
}

static int refuse_strange(const struct sweep_dir *d, const char *what)
{
	log_error("%s holds no sweep to resume: %s.", d->name, what);
	return EXIT_USAGE;
}

/*
 * Without sweep.json, a sweep may have been killed before it began. Then the marker names all files
 * in the directory.
 */
static int open_unbegun(struct sweep_dir *d)
{
	char foreign[NAME_MAX * 2 + 2];

	/* An empty cells/ belongs to no sweep and is made again. */
	unlinkat(d->owned.fd, CELLS, AT_REMOVEDIR);
	if (managed_dir__find_foreign(&d->owned, foreign, sizeof(foreign)))
		return refuse_strange(d, "it cannot be read");
	return *foreign ? refuse_strange(d, "there is no sweep.json in it") : EXIT_DONE;
}

static int open_begun(struct sweep_dir *d)
{
	if (!d->owned.marked)
		return managed_dir__is_empty(&d->owned)
			       ? EXIT_DONE
			       : refuse_strange(d, "it has no " MANAGED_DIR_MARKER
						   ", the list of a sweep's files");
	remove_temporaries(d, ".");
	remove_temporaries(d, CELLS);
	if (!exists(d, "sweep.json"))
		return open_unbegun(d);
	d->sweep = managed_dir__names(&d->owned, "sweep.json") ? read_json(d, "sweep.json") : NULL;
	if (d->sweep && has_schema(d->sweep, SWEEP_SCHEMA))
		return EXIT_DONE;
	json_decref(d->sweep);
	d->sweep = NULL;
	log_error("%s/sweep.json is not what netiotrace sweep writes: it cannot be resumed.",
		  d->name);
	return EXIT_USAGE;
}

/*
 * A child of a killed sweep shares the lock until it dies too, a moment later. It is not a child of
 * this process: retry, since there is nothing to wait for.
 */
static int try_lock(int fd)
{
	static const struct timespec moment = {.tv_nsec = LOCK_RETRY_NS};

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOCK_RETRIES)
			return -errno;
		nanosleep(&moment, NULL);
	}
	return 0;
}

static int lock(struct sweep_dir *d)
{
	int err = managed_dir__open(&d->owned, d->name, SWEEP_KIND);

	if (err) {
		log_error("cannot open %s: %s.", d->name, strerror(-err));
		return EXIT_USAGE;
	}
	err = try_lock(d->owned.fd);
	if (!err)
		err = managed_dir__read(&d->owned, SWEEP_KIND);
	if (!err)
		return EXIT_DONE;
	if (err == -EWOULDBLOCK)
		log_error("another sweep is running in %s.", d->name);
	else
		log_error("cannot lock %s: %s.", d->name, strerror(-err));
	return EXIT_USAGE;
}

/* Makes a directory; an existing one must be writable and no link. 0 or -errno. */
static int make_directory(const struct sweep_dir *d, const char *name)
{
	bool made = !mkdirat(d->owned.fd, name, 0777);
	int err, fd;

	if (!made && errno != EEXIST)
		return -errno;
	fd = openat(d->owned.fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (made)
		err = sudo_user__give(fd);
	else
		err = faccessat(d->owned.fd, name, W_OK | X_OK, 0) ? -errno : 0;
	close(fd);
	return err;
}

static int make_cells(struct sweep_dir *d)
{
	int err = managed_dir__mark(&d->owned, SWEEP_KIND);

	if (!err)
		err = make_directory(d, CELLS);
	if (!err)
		return EXIT_DONE;
	log_error("cannot make %s/" CELLS ": %s.", d->name, strerror(-err));
	return EXIT_USAGE;
}

int sweep_dir__open(struct sweep_dir *d, const char *name, bool resume)
{
	int err, code;

	d->name = name;
	if (resume && access(name, F_OK) && errno == ENOENT) {
		log_error("there is no %s to resume: leave out --resume to begin a sweep in it.",
			  name);
		return EXIT_USAGE;
	}
	err = atomic_file__make_directory(name);
	d->made = !err;
	if (err && err != -EEXIST) {
		log_error("cannot make %s: %s.", name, strerror(-err));
		return EXIT_USAGE;
	}
	code = lock(d);
	if (code)
		return code;
	if (resume)
		code = open_begun(d);
	else if (!managed_dir__is_empty(&d->owned)) {
		log_error("%s is not empty: name another directory, or continue the sweep in it "
			  "with --resume.",
			  name);
		code = EXIT_USAGE;
	}
	return code ? code : make_cells(d);
}

void sweep_dir__close(struct sweep_dir *d)
{
	if (d->made && d->owned.fd >= 0) {
		unlinkat(d->owned.fd, CELLS, AT_REMOVEDIR);
		managed_dir__remove(&d->owned, d->name);
	}
	managed_dir__close(&d->owned);
	json_decref(d->sweep);
	d->sweep = NULL;
}

/* Returns an exit code; prints the failure. A foreign file of this name is kept. */
static int write_text(struct sweep_dir *d, const char *file, const char *text)
{
	struct atomic_file *f;
	int err = managed_dir__claim(&d->owned, file);

	if (!err)
		err = atomic_file__open_below(&f, d->owned.fd, file);
	if (!err) {
		fputs(text, atomic_file__stream(f));
		err = atomic_file__commit(f);
	}
	if (err)
		log_error("cannot write %s/%s: %s.", d->name, file, strerror(-err));
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int write_json(struct sweep_dir *d, const char *file, const json_t *document)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);
	int code;

	json_document__write(f, document);
	xclose_memstream(f);
	code = write_text(d, file, text);
	free(text);
	return code;
}

int sweep_dir__begin(struct sweep_dir *d, const json_t *sweep, const char *command)
{
	/* Every document has its schema first. */
	json_t *environment = json_pack("{s:s}", "schema", ENVIRONMENT_SCHEMA);
	char *line = xasprintf("%s\n", command);
	int code;

	json_object_update(environment, json_object_get(sweep, "environment"));
	code = write_json(d, "environment.json", environment);
	if (!code)
		code = write_text(d, "command", line);
	if (!code)
		code = write_json(d, "sweep.json", sweep);
	d->made = d->made && code;
	json_decref(environment);
	free(line);
	return code;
}

/* Was the document made with this congestion control? NULL: not varied, any will do. */
static bool has_congestion(const json_t *document, const char *name)
{
	const json_t *environment = json_object_get(document, "environment");
	const char *key = "congestion_control", *found;

	if (!name)
		return true;
	if (strcmp(name, CONGESTION_OF_SYSTEM) == 0)
		key = "congestion_choice";
	found = json_string_value(json_object_get(environment, key));
	return found && strcmp(found, name) == 0;
}

static bool is_of(const json_t *document, const struct sweep_run *run)
{
	json_int_t size, threads, round;
	const char *mode;

	return has_schema(document, RESULT_SCHEMA) &&
	       !json_unpack((json_t *)document, "{s:[{s:s, s:I, s:I, s:I}]}", "runs", "mode", &mode,
			    "size", &size, "threads", &threads, "round", &round) &&
	       strcmp(mode, mode__name(run->mode)) == 0 && (uint64_t)size == run->size &&
	       threads == run->threads && round == run->round &&
	       has_congestion(document, run->congestion);
}

json_t *sweep_dir__read(const struct sweep_dir *d, const struct sweep_run *run)
{
	char name[RUN_NAME_MAX];
	json_t *document;

	if (!exists(d, name_of_run(run, ".json", name)))
		return NULL;
	document = read_json(d, name);
	if (document && is_of(document, run))
		return document;
	json_decref(document);
	log_warning("%s/%s is not a result of its run, which is repeated.", d->name, name);
	return NULL;
}

int sweep_dir__write_result(struct sweep_dir *d, const struct sweep_run *run,
			    const json_t *document)
{
	char name[RUN_NAME_MAX];
	int code = write_json(d, name_of_run(run, ".json", name), document);

	/* A run that failed in an earlier sweep and succeeded now is no failure. */
	if (!code && managed_dir__names(&d->owned, name_of_run(run, ".failed.json", name)))
		managed_dir__remove_file(&d->owned, name);
	return code;
}

int sweep_dir__write_failure(struct sweep_dir *d, const struct sweep_run *run, int exit_code,
			     const char *reason)
{
	json_t *document = json_pack("{s:s, s:s, s:I, s:i, s:s?, s:i, s:i, s:o}", "schema",
				     FAILURE_SCHEMA, "mode", mode__name(run->mode), "size",
				     (json_int_t)run->size, "threads", (int)run->threads,
				     "congestion", run->congestion, "round", (int)run->round,
				     "exit_code", exit_code, "reason", json_value__text(reason));
	char name[RUN_NAME_MAX];
	int code;

	code = write_json(d, name_of_run(run, ".failed.json", name), document);
	json_decref(document);
	return code;
}

int sweep_dir__write_csv(struct sweep_dir *d, char *const *rows, size_t rows_nr)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);
	int code;

	sweep_csv__header(f);
	for (size_t i = 0; i < rows_nr; i++)
		if (rows[i])
			fputs(rows[i], f);
	xclose_memstream(f);
	code = write_text(d, "results.csv", text);
	free(text);
	return code;
}
