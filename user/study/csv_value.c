/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers in cells; see csv_value.h. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_value.h"

#define DIGITS     "0123456789"
#define NUMBER_MAX 64 /* a longer number is none */

static const char *skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool is_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return !strncasecmp(text, word, n) && !*skip_blanks(text + n);
}

bool csv_value__missing(const char *text)
{
	static const char *const words[] = {"",
					    "n/a",
					    "na",
					    "nan",
					    "null",
					    "none",
					    "-",
					    "--",
					    "<not supported>",
					    "<not counted>",
					    "not supported",
					    "not counted"};

	text = skip_blanks(text);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(text, words[i]))
			return true;
	return false;
}

/* Digits in groups of three, apart by separator: how long they are; 0: they are not grouped so. */
static size_t grouped(const char *text, char separator)
{
	size_t n = strspn(text, DIGITS);

	if (!n || n > 3 || text[n] != separator)
		return 0;
	while (text[n] == separator && strspn(text + n + 1, DIGITS) == 3)
		n += 4;
	return text[n] == separator && separator != ' ' ? 0 : n;
}

enum csv_comma csv_value__comma(const char *text)
{
	size_t n, groups;

	text = skip_blanks(text);
	text += *text == '-' || *text == '+';
	n = strspn(text, DIGITS ".");
	if (text[n] != ',' || !isdigit((unsigned char)text[n + 1]))
		return COMMA_NONE;
	groups = grouped(text, ',');
	if (!groups || *text == '0')
		return COMMA_DECIMAL;
	return groups > n + 4 || text[groups] == '.' ? COMMA_THOUSANDS : COMMA_UNCLEAR;
}

/* Copies n characters of from, without those that are skip. False: there is no room. */
static bool put(char to[NUMBER_MAX], const char *from, size_t n, char skip)
{
	size_t len = strlen(to);

	for (; n; n--, from++) {
		if (*from == skip)
			continue;
		if (len + 1 >= NUMBER_MAX)
			return false;
		to[len++] = *from;
		to[len] = '\0';
	}
	return true;
}

/* The digits before the point into to; how many characters they were. */
static size_t put_whole(char to[NUMBER_MAX], const char *text, enum csv_comma comma)
{
	static const char *const separators[] = {
		[COMMA_NONE] = ",' ",
		[COMMA_UNCLEAR] = ",' ",
		[COMMA_THOUSANDS] = ",' ",
		[COMMA_DECIMAL] = ".' ",
	};

	for (const char *s = separators[comma]; *s; s++) {
		size_t n = grouped(text, *s);

		if (n)
			return put(to, text, n, *s) ? n : 0;
	}
	return put(to, text, strspn(text, DIGITS), '\0') ? strspn(text, DIGITS) : 0;
}

static size_t exponent_len(const char *text)
{
	size_t n = 1, digits;

	if (*text != 'e' && *text != 'E')
		return 0;
	n += text[n] == '-' || text[n] == '+';
	digits = strspn(text + n, DIGITS);
	return digits ? n + digits : 0;
}

int csv_value__parse(const char *text, enum csv_comma comma, double *value, const char **rest)
{
	char number[NUMBER_MAX] = "", point = comma == COMMA_DECIMAL ? ',' : '.';
	const char *at = skip_blanks(text);
	size_t n;

	*rest = at + strlen(at);
	if (csv_value__missing(at))
		return 0;
	if (*at == '-' || *at == '+')
		put(number, at++, 1, '\0');
	at += put_whole(number, at, comma);
	if (*at == point) {
		n = strspn(at + 1, DIGITS);
		if (!put(number, ".", 1, '\0') || !put(number, at + 1, n, '\0'))
			return -EINVAL;
		at += n + 1;
	}
	n = exponent_len(at);
	if (!strpbrk(number, DIGITS) || !put(number, at, n, '\0'))
		return -EINVAL;
	*value = strtod(number, NULL);
	*rest = skip_blanks(at + n);
	return isfinite(*value) ? 0 : -EINVAL;
}
