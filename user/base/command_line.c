/* SPDX-License-Identifier: GPL-2.0-only */
/* Usage errors, and the words that an argument may be; see command_line.h. */
#include "command_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/xalloc.h"
#include "printable.h"
#include "atomic_file.h"
#include "exit_code.h"
#include "log.h"
#include "num.h"

void usage_error(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	log_error("%s", text);
	free(text);
	exit(EXIT_USAGE);
}

bool command_line__check_outputs(const struct output_option *outputs, size_t nr)
{
	bool to_stdout = false;

	for (size_t i = 0; i < nr; i++) {
		to_stdout |= outputs[i].file && !strcmp(outputs[i].file, "-");
		for (size_t k = 0; k < i; k++) {
			const char *a = outputs[k].file, *b = outputs[i].file;

			if (a && b && atomic_file__same(a, b))
				usage_error("%s and %s cannot both write to %s.", outputs[k].option,
					    outputs[i].option, strcmp(b, "-") ? b : "stdout");
		}
	}
	return to_stdout;
}

#define WORD_MAX 48 /* longer words have no edit distance here */

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
			row[j] = u64__least(row[j], u64__least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = u64__least(row[j], before[j - 2] + 1);
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
		best = u64__least(d, best);
	}
	return found;
}

void choice__refuse(const char *option, const char *word, const char *const *names, size_t n)
{
	const char *near = choice__nearest(word, names, n);
	char list[512] = "";

	for (size_t i = 0; i < n; i++)
		append__text(list, sizeof(list), "%s%s",
			     !i           ? ""
			     : i + 1 == n ? " or "
					  : ", ",
			     names[i]);
	if (near)
		usage_error("%s takes %s, not '%s'; did you mean %s?", option, list, word, near);
	usage_error("%s takes %s, not '%s'.", option, list, word);
}
