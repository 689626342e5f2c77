/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables: a row for each option, with its help and its field. */
#ifndef BASE_OPTION_COMMAND_H
#define BASE_OPTION_COMMAND_H

#include <stddef.h>

#include "common/option_line.h"

struct option_command {
	const char *name;
	const char *doc;      /* above the options; behind HELP_LINE, below them */
	const char *args_doc; /* "DIR|FILE..."; NULL: options only */
	const struct option_row *option_rows;
	size_t nr; /* three less than OPTION_ROWS_MAX */
	/* Refuses an argument of its own kind, or returns. NULL: it has none. */
	void (*check)(const struct option_row *row, const char *arg);
	/* Takes an argument that is no option. NULL: it is a usage error. */
	void (*operand)(void *options, const char *arg);
	const char *does;    /* to a command after --: "watch"; NULL: it takes none. Has operands */
	char *(*list)(void); /* a paragraph for the text below the options, to free; or NULL */
};

/*
 * Stores all options in their fields; run may omit the command's name. An option may be a unique
 * prefix; one with argument "A|B|C" takes one of these words (common/word.h). --help and --version
 * print and exit. The first error exits: an unknown option, a missing argument, an empty string.
 */
void option_command__parse(const struct option_command *c, int argc, char **argv, void *options);

/* The argument that asks a command for its description. No help text lists it. */
#define DESCRIBE_OPTION "--describe"

/*
 * Prints one line for each item of a command's --help. Tabs separate the fields:
 *
 *	usage  ARGUMENTS
 *	doc    TEXT                      above the options; a line break is "\n"
 *	group  TITLE
 *	option SHORT LONG ARGUMENT TEXT  "-q" or nothing, "--quiet", "FILE" or nothing
 *	after  TEXT                      below the options
 *
 * An ARGUMENT such as "A|B" takes one of these words.
 */
void option_command__describe(const struct option_command *c);

#endif
