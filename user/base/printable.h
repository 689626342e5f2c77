/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from outside, for a terminal, a picture or a page. Pure. */
#ifndef NETIOTRACE_PRINTABLE_H
#define NETIOTRACE_PRINTABLE_H

#include <stddef.h>

/*
 * How many bytes the character at text has, 1 to 4. 0: the character must not be printed. It is a
 * control character (escape sequences of a terminal begin with one), a mark that changes the
 * direction of text, or the byte is no UTF-8 (RFC 3629).
 */
size_t printable__length(const char *text);

/*
 * Copies text to buf of len bytes. Each byte of a character that must not be printed becomes '?'.
 * A text that is too long is cut between two characters. Returns buf.
 */
char *printable(char *buf, size_t len, const char *text);

/* The same in place; the text never becomes longer. Returns text. */
char *printable__in_place(char *text);

/* The same in place for text of several lines: newlines and tabs stay. Returns text. */
char *printable__lines(char *text);

#endif
