/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading small files of /proc and /sys: their first line, or the number in it. */
#ifndef BASE_READ_FILE_H
#define BASE_READ_FILE_H

#include <stddef.h>

#include "num.h"

/* Trims white space at both ends of s, in place. Returns the new beginning. */
char *text__trim(char *s);

/* The last line of s that is not blank; s is trimmed. */
const char *text__last_line(char *s);

/* FNV-1a, 64 bits (draft-eastlake-fnv). */
uint64_t text__hash(const char *s);

/*
 * Reads the first line, trimmed. 0, or -errno with line empty; -EMSGSIZE: it has len bytes or more
 * (a cut list of CPUs or options would be a wrong one).
 */
int read_file__line(const char *path, char *line, size_t len);

/* Why it failed, a static string; NULL for 0. */
const char *read_file__reason(int err);

/* Reads the first line as an unsigned number. reason is a static string. */
struct num read_file__num(const char *path);

#endif
