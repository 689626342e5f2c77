/* SPDX-License-Identifier: GPL-2.0-only */
/* Breaks text into lines at spaces. Pure; knows nothing of what the text says. */
#ifndef NETIOTRACE_VIEW_WRAP_H
#define NETIOTRACE_VIEW_WRAP_H

#include <stddef.h>

/*
 * Takes the next line of at most width columns from *text and returns its length in bytes, with its
 * beginning in *line; *text moves past it and the spaces behind it. 0 at the end of the text. A
 * word longer than a line is broken, a number and what it counts ("92 113 sends") is one word.
 * Newlines in the text end a line.
 */
size_t wrap__next(const char **text, size_t width, const char **line);

#endif
