/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and reads the files of a data set; what is in them is for dataset_csv.c, dataset_json.c. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/suffix.h"
#include "csv_reader.h"
#include "dataset.h"
#include "dataset_files.h"

/* Larger than a hundred thousand rows of ours. */
#define FILE_MAX_BYTES (1 << 30)

static int say(char *message, const char *name, const char *what, int err)
{
	snprintf(message, DATASET_MESSAGE_MAX, "%s: %s.", name, what);
	return err;
}

static int say_errno(char *message, const char *name, int err)
{
	return say(message, name, strerror(-err), err);
}

static int read_stream(FILE *f, char **text, size_t *len)
{
	size_t room = 1 << 16, n;
	char *more;

	*text = NULL;
	*len = 0;
	do {
		if (room > FILE_MAX_BYTES)
			return -EFBIG;
		more = realloc(*text, room);
		if (!more)
			return -ENOMEM;
		*text = more;
		n = fread(*text + *len, 1, room - *len, f);
		*len += n;
		room *= 2;
	} while (n && !feof(f));
	return ferror(f) ? -EIO : 0;
}

static int load_csv(struct dataset *d, const char *path, char *message)
{
	FILE *f = dataset_files__open(path);
	char *text = NULL;
	size_t len;
	int err;

	if (!f)
		return say_errno(message, path, -errno);
	err = read_stream(f, &text, &len);
	fclose(f);
	if (err)
		say_errno(message, path, err);
	else
		err = dataset__add_csv(d, path, text, len, message);
	free(text);
	return err;
}

/* NULL with the sentence: not readable, or no JSON. */
static json_t *load_json(const char *path, char *message)
{
	FILE *f = dataset_files__open(path);
	json_error_t error;
	json_t *document;

	if (!f) {
		say_errno(message, path, -errno);
		return NULL;
	}
	document = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	if (!document)
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%s: this is no JSON, or a truncated one (line %d: %s).", path, error.line,
			 error.text);
	return document;
}

/*
 * One file of a directory. optional: a document that is none of ours is passed over, as a results
 * directory has others beside its cells.
 */
static int load_entry(struct dataset *d, const char *path, bool optional, char *message)
{
	json_t *document = load_json(path, message);
	const char *schema;
	int err;

	if (!document)
		return optional ? 0 : -EINVAL;
	schema = json_string_value(json_object_get(document, "schema"));
	if (has_suffix(path, ".failed.json")) {
		err = dataset__add_failure(d, document);
		if (err)
			say(message, path, "this is no record of a failed run", err);
	} else if (optional && (!schema || strcmp(schema, RESULT_SCHEMA))) {
		err = 0;
	} else {
		err = dataset__add_document(d, path, document, message);
	}
	json_decref(document);
	return err;
}

/* All documents in a directory, by name; -ENOENT when there is no such directory. */
static int load_documents(struct dataset *d, const char *directory, bool optional, char *message)
{
	char **names, *path;
	int i, n, err = 0;

	n = dataset_files__list(directory, &names);
	if (n < 0)
		return n == -ENOENT ? -ENOENT : say_errno(message, directory, n);
	for (i = 0; i < n && !err; i++) {
		if (asprintf(&path, "%s/%s", directory, names[i]) < 0) {
			err = say_errno(message, directory, -ENOMEM);
			break;
		}
		err = load_entry(d, path, optional, message);
		free(path);
	}
	dataset_files__free_names(names, n);
	return err;
}

static bool is_empty(const struct dataset *d)
{
	return !d->rows_nr && !d->failures_nr && !d->others_nr;
}

static int load_directory(struct dataset *d, const char *path, char *message)
{
	char cells[PATH_MAX], csv[PATH_MAX];
	int err;

	if (snprintf(cells, sizeof(cells), "%s/cells", path) >= (int)sizeof(cells) ||
	    snprintf(csv, sizeof(csv), "%s/results.csv", path) >= (int)sizeof(csv))
		return say_errno(message, path, -ENAMETOOLONG);
	err = load_documents(d, cells, false, message);
	if (err && err != -ENOENT)
		return err;
	err = is_empty(d) ? load_documents(d, path, true, message) : 0;
	if (!err && is_empty(d) && dataset_files__is_directory(csv) == 0)
		err = load_csv(d, csv, message);
	if (!err && is_empty(d))
		err = say(message, path,
			  "no results are in this directory: neither cells/*.json nor results.csv",
			  -ENOENT);
	return err;
}

static int load_file(struct dataset *d, const char *path, char *message)
{
	json_t *document;
	int err;

	if (!has_suffix(path, ".json"))
		return load_csv(d, path, message);
	document = load_json(path, message);
	if (!document)
		return -EINVAL;
	err = dataset__add_document(d, path, document, message);
	json_decref(document);
	return err;
}

/* What is counted twice would make every interval narrower than the data. */
static int refuse_copy(const struct dataset *d, const char *path, char *message)
{
	const struct dataset_row *row = dataset__copy(d);

	if (!row)
		return 0;
	snprintf(message, DATASET_MESSAGE_MAX,
		 "%s: round %u of mode %s, size %" PRIu64
		 ", %u thread%s is there twice, the same to "
		 "the last digit: a file or a line is a copy of another, remove it.",
		 path, row->round, mode__name(row->mode), row->size, row->threads,
		 row->threads == 1 ? "" : "s");
	return -EINVAL;
}

static int load_path(struct dataset *d, const char *path, char *message)
{
	int directory = dataset_files__is_directory(path);

	if (directory < 0)
		return say_errno(message, path, directory);
	return directory ? load_directory(d, path, message) : load_file(d, path, message);
}

/* Every column that --column names must be in one of the files. */
static int check_columns(const struct dataset *d, const char *path, char *message)
{
	for (size_t i = 0; i < d->names.column_nr; i++) {
		const char *option = d->names.column[i];
		size_t n = (size_t)(strrchr(option, '=') - option), c;

		for (c = 0; c < d->columns_nr; c++)
			if (csv_reader__is_named(option, d->columns[c].name))
				break;
		if (c == d->columns_nr) {
			snprintf(message, DATASET_MESSAGE_MAX,
				 "%.200s: there is no column '%.*s', which --column names.", path,
				 n > 60 ? 60 : (int)n, option);
			return -EINVAL;
		}
	}
	return 0;
}

static int join_path(struct dataset *d, const char *path, char *message)
{
	struct dataset part = {.names = d->names};
	int err = load_path(&part, path, message);

	if (!err && (!part.columns_nr || !d->columns_nr))
		err = say(message, path,
			  "only CSV files of others can be joined; give one directory or document",
			  -EINVAL);
	if (!err && part.rows_nr)
		err = dataset__join(d, &part, path, message);
	dataset__clear(&part);
	return err;
}

static int finish(struct dataset *d, const char *path, double default_duration_s, char *message)
{
	int err = 0;

	if (!d->rows_nr && d->others_nr) {
		snprintf(message, DATASET_MESSAGE_MAX, "%s: no run was made with %s, but with %s.",
			 path, d->names.congestion, d->others[0]);
		err = -ENODATA;
	}
	if (!err && !d->rows_nr)
		err = say(message, path, "not one run succeeded: there is nothing to report",
			  -ENODATA);
	if (!err)
		err = check_columns(d, path, message);
	if (!err)
		err = dataset__complete(d);
	if (err)
		return err;
	dataset__finish(d, default_duration_s);
	return refuse_copy(d, path, message);
}

int dataset__load(struct dataset *d, const char *path, double default_duration_s,
		  char message[DATASET_MESSAGE_MAX])
{
	return dataset__load_as(d, path, default_duration_s, &(struct dataset_names){0}, message);
}

int dataset__load_as(struct dataset *d, const char *path, double default_duration_s,
		     const struct dataset_names *names, char message[DATASET_MESSAGE_MAX])
{
	return dataset__load_files(d, &path, 1, default_duration_s, names, message);
}

int dataset__load_files(struct dataset *d, const char *const *paths, size_t paths_nr,
			double default_duration_s, const struct dataset_names *names,
			char message[DATASET_MESSAGE_MAX])
{
	int err;

	*d = (struct dataset){.names = *names};
	*message = '\0';
	err = load_path(d, paths[0], message);
	for (size_t i = 1; i < paths_nr && !err; i++)
		err = join_path(d, paths[i], message);
	if (!err)
		err = finish(d, paths[0], default_duration_s, message);
	if (err && !*message)
		say_errno(message, paths[0], err);
	/* Cells, keys and names of files are in it. */
	printable__in_place(message);
	if (err && !names->explain)
		dataset__clear(d);
	return err;
}
