/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the start of analysis/, the Python package that reads results back. The program contains it
 * as a zip file; python3 runs it without root, and asks this process to write its output.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stddef.h>

#include "base/option_command.h"
#include "base/publisher.h"

/* Words of a command line; each is owned. */
struct words {
	char **list; /* ends with NULL */
	size_t nr;
};

void words__add(struct words *w, char *word); /* takes it */
void words__clear(struct words *w);

/* Adds the options that were given, as --NAME or --NAME=ARGUMENT; not those of OPTION_OTHER. */
void words__add_options(struct words *w, const struct option_row *rows, size_t nr,
			const void *options);

/*
 * The text that `command` of the package writes, whose last word is the path of a data set. option:
 * what messages call it. Caller frees. NULL: the reason was reported. Under sudo too this process
 * stays root: the data set is opened as held_files__hold_as_root() does.
 */
char *analysis__text(const char *command, const char *option, const struct words *w);

/*
 * Runs `command` of the package with these words; serve() performs what it asks for, with the
 * rights of this process. Held files (base/held_files.h) are passed on. An exit code; what python3
 * could not do was reported.
 */
int analysis__run(const char *command, const struct words *w, publisher_serve serve, void *ctx);

#endif
