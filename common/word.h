/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares words given to options. Pure. */
#ifndef COMMON_WORD_H
#define COMMON_WORD_H

#include <ctype.h>
#include <stdbool.h>

/* Ignores case, '-' and '_': "zero-copy", "Zero_Copy" and "zerocopy" are equal. */
static inline bool same_word(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == '-' || *a == '_')
			a++;
		while (*b == '-' || *b == '_')
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

#endif
