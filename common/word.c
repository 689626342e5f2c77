/* SPDX-License-Identifier: GPL-2.0-only */
/* The word that was meant; see word.h. */
#include "word.h"

#include <strings.h>

#define WORD_MAX 48 /* longer words have no edit distance here */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance; a and b have at most WORD_MAX characters. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1], len = strlen(b);
	size_t *before = rows[0], *above = rows[1], *row = rows[2], *swap;

	for (size_t j = 0; j <= len; j++)
		above[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			row[j] = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		swap = before;
		before = above;
		above = row;
		row = swap;
	}
	return above[len];
}

static const char *only_with_prefix(const char *word, const char *const *names, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (strncasecmp(names[i], word, strlen(word)) != 0)
			continue;
		if (found)
			return NULL;
		found = names[i];
	}
	return found;
}

const char *choice__nearest(const char *word, const char *const *names, size_t n)
{
	const char *found = *word ? only_with_prefix(word, names, n) : NULL;
	size_t best = strlen(word) / 3 + 1;

	if (found || !*word || strlen(word) > WORD_MAX)
		return found;
	for (size_t i = 0; i < n; i++) {
		size_t d = strlen(names[i]) > WORD_MAX ? best : distance(word, names[i]);

		if (d < best)
			found = names[i];
		else if (d == best && found)
			found = NULL;
		best = least(d, best);
	}
	return found;
}
