/* SPDX-License-Identifier: GPL-2.0-only */
/* contrib/import-csv as a process; see importer.h. */
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/embed.h"
#include "base/filter.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "common/xalloc.h"

EMBED(import_csv_script, "contrib/import-csv");

#define SILENCE_MS    60000
#define STATUS_OPTION 2 /* its exit status: an option is wrong */
#define ARGS_MAX      16

/* The first python3 of PATH. A relative entry would be searched in the working directory. */
static int execute(const void *arg)
{
	char *const *argv = arg;
	const char *path = getenv("PATH");
	size_t len;

	for (path = path ? path : "/usr/bin:/bin"; *path; path += len + (path[len] == ':')) {
		char *program;

		len = strcspn(path, ":");
		if (*path != '/')
			continue;
		program = xasprintf("%.*s/python3", (int)len, path);
		execv(program, argv);
		free(program);
	}
	return -ENOENT;
}

/* "12,345": the lengths of the files on its standard input. Caller frees. */
static char *lengths_option(const struct import_file *files, size_t nr)
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	fputs("--stdin=", f);
	for (size_t n = 0; n < nr; n++)
		fprintf(f, "%s%zu", n ? "," : "", files[n].len);
	xclose_memstream(f);
	return text;
}

static char **make_argv(const struct dataset_names *names, const struct import_file *files,
			size_t files_nr, bool explain)
{
	static const char *const first[] = {"python3", "-I", "-S", "-c", import_csv_script};
	char **argv = xcalloc(ARGS_MAX + names->column_nr + files_nr, sizeof(*argv));
	size_t nr = 0;

	for (size_t n = 0; n < sizeof(first) / sizeof(first[0]); n++)
		argv[nr++] = xstrdup(first[n]);
	if (names->columns)
		argv[nr++] = xasprintf("--columns=%s", names->columns);
	if (names->modes)
		argv[nr++] = xasprintf("--modes=%s", names->modes);
	for (size_t n = 0; n < names->column_nr; n++)
		argv[nr++] = xasprintf("--column=%s", names->column[n]);
	if (names->rounds_from_repeats)
		argv[nr++] = xstrdup("--rounds-from-repeats");
	if (explain)
		argv[nr++] = xstrdup("--explain");
	argv[nr++] = lengths_option(files, files_nr);
	argv[nr++] = xstrdup("--");
	for (size_t n = 0; n < files_nr; n++)
		argv[nr++] = xstrdup(files[n].name);
	return argv;
}

static int fail(const char *name, int err, char *message)
{
	if (err == -ENOENT)
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%s: python3 reads CSV files, and is not installed: install the package "
			 "python3.",
			 name);
	else if (err == -ETIMEDOUT)
		snprintf(message, DATASET_MESSAGE_MAX,
			 "%s: its import made no progress for %d s, and was ended.", name,
			 SILENCE_MS / 1000);
	else if (err == -EFBIG)
		snprintf(message, DATASET_MESSAGE_MAX, "%s: its import is larger than %u MiB.",
			 name, FILTER_OUTPUT_MAX >> 20);
	else
		snprintf(message, DATASET_MESSAGE_MAX, "%s: cannot start python3: %s.", name,
			 strerror(-err));
	return err;
}

/* errors: its last line is one sentence; the lines before are progress. */
static int check_status(const char *name, int status, char *errors, char *message)
{
	const char *words = errors ? text__last_line(errors) : "";

	if (!status)
		return 0;
	if (*words && status <= STATUS_OPTION)
		snprintf(message, DATASET_MESSAGE_MAX, "%s", words);
	else
		snprintf(message, DATASET_MESSAGE_MAX, "%s: its import failed with status %d.%s%s",
			 name, status, *words ? " " : "", words);
	return status == STATUS_OPTION ? -EBADR : -EINVAL;
}

/* Its standard output; caller frees. 0 or -errno with the sentence; the output may be there too. */
static int run(const struct dataset_names *names, const struct import_file *files, size_t nr,
	       bool explain, struct filter_output *out, char *message)
{
	struct iovec *input = xcalloc(nr, sizeof(*input));
	char **argv = make_argv(names, files, nr, explain);
	const struct filter filter = {.input = input,
				      .input_nr = nr,
				      .execute = execute,
				      .arg = argv,
				      .limit_ms = SILENCE_MS,
				      .renewable = true};
	int err;

	for (size_t n = 0; n < nr; n++)
		input[n] = (struct iovec){(char *)files[n].data, files[n].len};
	err = filter__run(&filter, out);
	err = err < 0 ? fail(files[0].name, err, message)
		      : check_status(files[0].name, err, out->errors, message);
	free(out->errors);
	free(input);
	for (char **arg = argv; *arg; arg++)
		free(*arg);
	free(argv);
	return err;
}

/* Documents, one after another. */
static int add_documents(struct dataset *d, const char *name, const struct filter_output *output,
			 char *message)
{
	size_t at = 0;
	int err = 0;

	while (!err && at < output->len) {
		json_error_t error;
		json_t *document = json_loadb(output->text + at, output->len - at,
					      JSON_DISABLE_EOF_CHECK, &error);

		if (!document) {
			snprintf(message, DATASET_MESSAGE_MAX, "%s: its import is damaged (%s).",
				 name, error.text);
			return -EINVAL;
		}
		at += (size_t)error.position;
		at += strspn(output->text + at, "\n ");
		err = dataset__add_document(d, name, document, message);
		json_decref(document);
	}
	return err;
}

int importer__add(struct dataset *d, const struct import_file *files, size_t nr,
		  char message[DATASET_MESSAGE_MAX])
{
	struct filter_output output;
	int err = run(&d->names, files, nr, false, &output, message);

	if (!err)
		err = add_documents(d, files[0].name, &output, message);
	free(output.text);
	return err;
}

int importer__explain(const struct dataset_names *names, const struct import_file *files, size_t nr,
		      FILE *f, char message[DATASET_MESSAGE_MAX])
{
	struct filter_output output;
	int err = run(names, files, nr, true, &output, message);

	if (output.len)
		fputs(printable__lines(output.text), f);
	free(output.text);
	return err;
}
