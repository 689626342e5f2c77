/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from outside, for a terminal, a picture or a page. Pure. */
#ifndef NETIOTRACE_PRINTABLE_H
#define NETIOTRACE_PRINTABLE_H

#include <stddef.h>

/*
 * Copies text so that it prints as what it is: control characters (escape sequences of a terminal
 * begin with one), and bytes that are no UTF-8, become '?'. What does not fit is cut between two
 * characters, never inside one. Returns buf.
 */
char *printable(char *buf, size_t len, const char *text);

/* The same in place; nothing becomes longer. Returns text. */
char *printable__in_place(char *text);

#endif
