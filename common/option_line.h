/* SPDX-License-Identifier: GPL-2.0-only */
/* The parser of command lines: words become options of a table, and are stored in their fields. */
#ifndef COMMON_OPTION_LINE_H
#define COMMON_OPTION_LINE_H

#include "option.h"

#define OPTION_ROWS_MAX 64

struct option_line {
	const char *command;   /* in refusals: "run" */
	const char *help;      /* what lists its options: "netiotrace run --help" */
	void *options;         /* has the fields */
	unsigned int commands; /* bits of the command's own rows; 0: all rows are */
	const struct option_row *rows[OPTION_ROWS_MAX];
	size_t nr;
	char **next, **end; /* the words that are left */
	/* Called before an option is stored; arg NULL: it has none. NULL: nothing to do. */
	void (*before)(struct option_line *l, const struct option_row *row, const char *arg);
	/* Takes a word that is no option. */
	void (*operand)(struct option_line *l, const char *word);
	/* The command line is wrong, for this reason: a sentence without its full stop. */
	__attribute__((format(printf, 1, 2), noreturn)) void (*refuse)(const char *format, ...);
};

/* Adds an option of the command, which has at most OPTION_ROWS_MAX. */
void option_line__add(struct option_line *l, const struct option_row *row);

/*
 * Stores all options in their fields. An option may be a unique prefix of its name; after -- no
 * word is an option. refuse() is called for what is wrong.
 */
void option_line__parse(struct option_line *l);

#endif
