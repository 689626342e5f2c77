/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the filter for text from outside that is printed, drawn or put into a page. Pure. */
#ifndef NETIOTRACE_PRINTABLE_H
#define NETIOTRACE_PRINTABLE_H

#include <stddef.h>

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

#endif
