/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries of a directory. */
#ifndef SUPPORT_ENTRIES_H
#define SUPPORT_ENTRIES_H

#include <dirent.h>

#include "support/test.h"

/* Their number, without . and .. */
static inline unsigned int entries(const char *directory)
{
	DIR *d = opendir(directory);
	unsigned int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

#endif
