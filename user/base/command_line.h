/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the parsing of a command line: checks, suggestions, help, usage errors. */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* Prints "netiotrace: ..." and a newline on stderr, and exits with EXIT_USAGE. */
__attribute__((format(printf, 1, 2), noreturn)) void usage_error(const char *format, ...);

/*
 * Returns the name nearest to `word`, ignoring case, or NULL. A unique prefix wins. Otherwise the
 * smallest optimal string alignment distance wins, at most a third of the word's length; a tie
 * gives NULL. Pure.
 */
const char *choice__nearest(const char *word, const char *const *names, size_t n);

/* Exits with a usage error: "OPTION takes A, B or C, not 'WORD'", and the nearest name if any. */
_Noreturn void choice__refuse(const char *option, const char *word, const char *const *names,
			      size_t n);

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
void describe__print(const struct argp *argp);

/*
 * Calls argp_parse() for command `name`; run may omit the name. Errors and --help exit. Before
 * that, exits with a usage error at the first unknown option, missing argument or invalid word: an
 * option with argument "A|B|C" takes one of these words (common/word.h).
 */
void command_line__parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input);

#endif
