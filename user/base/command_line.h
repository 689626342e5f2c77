/* SPDX-License-Identifier: GPL-2.0-only */
/* Usage errors, the words that an argument may be, and options that name files. */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Prints "netiotrace: ..." and a newline on stderr, and exits with EXIT_USAGE. */
__attribute__((format(printf, 1, 2), noreturn)) void usage_error(const char *format, ...);

/* An option that names a file to write; file is NULL if it was not given. */
struct output_option {
	const char *option, *file;
};

/*
 * Exits with a usage error if two of them name one file, or both stdout ("-"). Is one of them
 * stdout?
 */
bool command_line__check_outputs(const struct output_option *outputs, size_t nr);

/* Exits with a usage error: "OPTION takes A, B or C, not 'WORD'", and the nearest name if any. */
_Noreturn void choice__refuse(const char *option, const char *word, const char *const *names,
			      size_t n);

#endif
