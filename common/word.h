/* SPDX-License-Identifier: GPL-2.0-only */
/* Words that options take, however they are spelt. Pure. */
#ifndef NETIOTRACE_WORD_H
#define NETIOTRACE_WORD_H

#include <ctype.h>
#include <stdbool.h>

/* Equal but for upper and lower case, '-' and '_': "zero-copy", "Zero_Copy" and "zerocopy". */
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
