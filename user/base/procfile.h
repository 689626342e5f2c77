/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of /proc and /sys: their first line, or the number in it. */
#ifndef NETIOTRACE_PROCFILE_H
#define NETIOTRACE_PROCFILE_H

#include <stddef.h>

#include "num.h"

/* Cuts white space off both ends of s, in place. */
char *text__trim(char *s);

/* The first line of a file, trimmed: 0, or -errno with line empty. */
int procfile__line(const char *path, char *line, size_t len);

/* The file's first line as a number (negative ones are not read): reason is ours, static. */
struct num procfile__num(const char *path);

#endif
