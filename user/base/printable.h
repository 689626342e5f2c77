/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns text for terminals and shells: printable characters, line breaks, quoting; and text that
 * grows in a buffer of fixed size. Pure.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the character at text, 1 to 4. 0: control, direction mark, invalid UTF-8 (RFC 3629). */
size_t printable__length(const char *text);

/*
 * Copies text to buf of len bytes and returns buf. Each byte that must not be printed becomes '?'.
 * A long text is cut between characters.
 */
char *printable(char *buf, size_t len, const char *text);

/* The same in place; the text never grows. Returns text. */
char *printable__in_place(char *text);

/* The same in place, but keeps newlines and tabs. Returns text. */
char *printable__lines(char *text);

/*
 * Takes the next line of at most width columns (0: no limit) from *text. Returns its length in
 * bytes, 0 at the end; *line is its beginning and *text moves past it. Breaks a word longer than a
 * line. A number and its unit ("92 113 sends") are one word. A newline ends a line.
 */
size_t wrap__next(const char **text, size_t width, const char **line);

/* Writes a word, in single quotes unless every character is safe. */
void shell__put_word(FILE *f, const char *word);

/* Does name end in suffix, with something before it? */
static inline bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len > n && !strcmp(name + len - n, suffix);
}

/*
 * Appends to the string in buf, whose size is len, at least 4. A text that does not fit is cut, and
 * then ends in "...".
 */
__attribute__((format(printf, 3, 4))) void append__text(char *buf, size_t len, const char *format,
							...);
__attribute__((format(printf, 3, 0))) void append__args(char *buf, size_t len, const char *format,
							va_list args);

#endif
