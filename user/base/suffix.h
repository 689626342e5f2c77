/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the test for the suffix of a name. */
#ifndef NETIOTRACE_SUFFIX_H
#define NETIOTRACE_SUFFIX_H

#include <stdbool.h>
#include <string.h>

/* Does name end in suffix, with something before it? */
static inline bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len > n && !strcmp(name + len - n, suffix);
}

#endif
