/* SPDX-License-Identifier: GPL-2.0-only */
/* The outputs of a run; see outputs.h. */
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/log.h"
#include "base/atomic_file.h"
#include "base/terminal.h"
#include "details.h"
#include "outputs.h"
#include "screen/text.h"

#define TEXT_COLUMNS_DEFAULT 80

static int (*const write_of[])(const struct result *r, FILE *f) = {
#define X(id, name, help) [OUTPUT_##id] = output__##name,
	OUTPUTS(X)
#undef X
};

static bool is_stdout(const char *name)
{
	return name && strcmp(name, "-") == 0;
}

int outputs__open(struct outputs *o, const struct options *options)
{
	*o = (struct outputs){.options = options};
	for (int i = 0; i < OUTPUT_NR; i++) {
		const char *name = options->output[i];
		int err = name ? atomic_file__open(&o->file[i], name) : 0;

		if (err) {
			log_error("cannot write %s: %s.", name, strerror(-err));
			return EXIT_USAGE;
		}
	}
	return EXIT_DONE;
}

/* The text goes to stdout, unless stdout was asked for as data: then to stderr. */
static void write_text(const struct outputs *o, const struct result *r)
{
	struct text_end_form form = {.details = o->options->details};
	FILE *f = stdout;

	if (o->options->quiet)
		return;
	for (int i = 0; i < OUTPUT_NR; i++)
		if (is_stdout(o->options->output[i]))
			f = stderr;
	form.columns = terminal__columns(fileno(f), TEXT_COLUMNS_DEFAULT);
	form.rows = terminal__rows(fileno(f), 0);
	text_end__print(r, f, &form);
	if (form.details) {
		fputc('\n', f);
		details__print(r, f, form.columns);
	}
}

static int write_file(struct outputs *o, int i, const struct result *r)
{
	int err;

	if (!o->file[i])
		return EXIT_DONE;
	err = write_of[i](r, atomic_file__stream(o->file[i]));
	return atomic_file__finish(&o->file[i], err, o->options->output[i]);
}

/* One that fails does not keep the others from being written. */
int outputs__write(struct outputs *o, const struct result *r)
{
	int code = EXIT_DONE;

	write_text(o, r);
	for (int i = 0; i < OUTPUT_NR; i++) {
		int next = write_file(o, i, r);

		code = code ? code : next;
	}
	return code;
}

void outputs__abort(struct outputs *o)
{
	for (int i = 0; i < OUTPUT_NR; i++) {
		atomic_file__abort(o->file[i]);
		o->file[i] = NULL;
	}
}
