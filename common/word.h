/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares words, given to options and in lists. Pure. */
#ifndef COMMON_WORD_H
#define COMMON_WORD_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Compares without regard to case and to the characters in `ignored`. */
static inline bool same_but_for(const char *ignored, const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, ignored);
		b += strspn(b, ignored);
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

/* "zero-copy", "Zero_Copy" and "zerocopy" are equal. */
static inline bool same_word(const char *a, const char *b)
{
	return same_but_for("-_", a, b);
}

/* Whether a list of words separated by spaces has this one. */
static inline bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = len ? strstr(list, word) : NULL; p; p = strstr(p + 1, word))
		if ((p == list || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return true;
	return false;
}

/*
 * Returns the name nearest to `word`, ignoring case, or NULL. A unique prefix wins. Otherwise the
 * smallest optimal string alignment distance wins, at most a third of the word's length; a tie
 * gives NULL. Pure.
 */
const char *choice__nearest(const char *word, const char *const *names, size_t n);

#endif
