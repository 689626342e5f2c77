/* SPDX-License-Identifier: GPL-2.0-only */
/* Records, cells and numbers of a CSV text; see csv_text.h. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "csv_text.h"

void csv_text__init(struct csv_text *t, const char *text, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf";

	*t = (struct csv_text){
		.pos = text, .end = text + len, .separator = ',', .line = 1, .next_line = 1};
	if (len >= 3 && !memcmp(text, mark, 3))
		t->pos += 3;
}

/* 0 or -E2BIG. */
static int put(struct csv_text *t, char c)
{
	if (t->text_len - t->cell[t->cells_nr - 1] >= CSV_CELL_MAX)
		return -E2BIG;
	t->text = xgrow(t->text, t->text_len, 1);
	t->text[t->text_len++] = c;
	return 0;
}

static int begin_cell(struct csv_text *t)
{
	if (t->cells_nr == CSV_CELLS_MAX)
		return -E2BIG;
	t->cell = xgrow(t->cell, t->cells_nr, sizeof(*t->cell));
	t->cell[t->cells_nr++] = t->text_len;
	return 0;
}

const char *csv_text__cell(const struct csv_text *t, size_t i)
{
	return t->text + t->cell[i];
}

/* The rest of a quoted cell, past its closing quote. */
static int read_quoted(struct csv_text *t)
{
	int err = 0;

	while (t->pos < t->end && !err) {
		if (*t->pos == '"') {
			if (t->pos + 1 == t->end || t->pos[1] != '"') {
				t->pos++;
				return 0;
			}
			t->pos++;
		}
		if (*t->pos == '\n')
			t->next_line++;
		err = put(t, *t->pos++);
	}
	return err ? err : -EBADMSG;
}

static int read_cell(struct csv_text *t)
{
	int err = begin_cell(t);

	if (!err && t->pos < t->end && *t->pos == '"') {
		t->pos++;
		err = read_quoted(t);
	}
	while (!err && t->pos < t->end && *t->pos != t->separator && *t->pos != '\n' &&
	       *t->pos != '\r')
		err = put(t, *t->pos++);
	return err ? err : put(t, '\0');
}

void csv_text__seek(struct csv_text *t, const char *pos, unsigned long line)
{
	t->pos = pos;
	t->next_line = line;
}

void csv_text__skip_line(struct csv_text *t)
{
	const char *end = memchr(t->pos, '\n', (size_t)(t->end - t->pos));

	csv_text__seek(t, end ? end + 1 : t->end, t->next_line + 1);
}

int csv_text__next(struct csv_text *t)
{
	int err;

	while (t->comments && t->pos < t->end && *t->pos == '#')
		csv_text__skip_line(t);
	t->text_len = 0;
	t->cells_nr = 0;
	t->line = t->next_line;
	if (t->pos == t->end)
		return 0;
	for (;;) {
		err = read_cell(t);
		if (err)
			return err;
		if (t->pos == t->end || *t->pos != t->separator)
			break;
		t->pos++;
	}
	if (t->pos < t->end && *t->pos == '\r')
		t->pos++;
	if (t->pos < t->end && *t->pos == '\n')
		t->pos++;
	t->next_line++;
	return 1;
}

void csv_text__clear(struct csv_text *t)
{
	free(t->text);
	free(t->cell);
}

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

bool csv_text__missing(const char *text)
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

/* The length of digits grouped by three with separator; 0: not grouped so. */
static size_t grouped(const char *text, char separator)
{
	size_t n = strspn(text, DIGITS);

	if (!n || n > 3 || text[n] != separator)
		return 0;
	while (text[n] == separator && strspn(text + n + 1, DIGITS) == 3)
		n += 4;
	return text[n] == separator && separator != ' ' ? 0 : n;
}

enum csv_comma csv_text__comma(const char *text)
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

/* Appends n characters of from, without those equal to skip. False: no room. */
static bool put_digits(char to[NUMBER_MAX], const char *from, size_t n, char skip)
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

static size_t exponent_len(const char *text)
{
	size_t n = 1, digits;

	if (*text != 'e' && *text != 'E')
		return 0;
	n += text[n] == '-' || text[n] == '+';
	digits = strspn(text + n, DIGITS);
	return digits ? n + digits : 0;
}

int csv_text__parse(const char *text, enum csv_comma comma, double *value, const char **rest)
{
	/* What may group thousands; where it is none, the last one is '\0'. */
	const char *separator = comma == COMMA_DECIMAL ? ".' " : ",' ";
	char number[NUMBER_MAX] = "", point = comma == COMMA_DECIMAL ? ',' : '.';
	const char *at = skip_blanks(text);
	size_t n = 0;
	bool fits;

	*rest = at + strlen(at);
	if (csv_text__missing(at))
		return 0;
	if (*at == '-' || *at == '+')
		put_digits(number, at++, 1, '\0');
	while (*separator && !(n = grouped(at, *separator)))
		separator++;
	n = n ? n : strspn(at, DIGITS);
	fits = put_digits(number, at, n, *separator);
	at += n;
	if (*at == point) {
		n = strspn(++at, DIGITS);
		fits = fits && put_digits(number, ".", 1, '\0') && put_digits(number, at, n, '\0');
		at += n;
	}
	n = exponent_len(at);
	if (!fits || !strpbrk(number, DIGITS) || !put_digits(number, at, n, '\0'))
		return -EINVAL;
	*value = strtod(number, NULL);
	*rest = skip_blanks(at + n);
	return isfinite(*value) ? 0 : -EINVAL;
}
