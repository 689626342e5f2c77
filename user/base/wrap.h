/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns breaking text into lines at spaces. Pure. */
#ifndef NETIOTRACE_VIEW_WRAP_H
#define NETIOTRACE_VIEW_WRAP_H

#include <stddef.h>

/*
 * Takes the next line of at most width columns (0: no limit) from *text. Returns its length in
 * bytes, 0 at the end; *line is its beginning and *text moves past it. Breaks a word longer than a
 * line. A number and its unit ("92 113 sends") are one word. A newline ends a line.
 */
size_t wrap__next(const char **text, size_t width, const char **line);

#endif
