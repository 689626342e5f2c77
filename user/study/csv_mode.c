/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the three modes in data sets; see csv_reader.h. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "csv_reader.h"

#define WORD_LEN 64

/* In this order; a part is looked for anywhere in a value: "sendmsg_zerocopy" is zero-copy. */
static const struct {
	const char *word;
	bool part;
	enum mode mode;
} words[] = {
	{"zc", false, MODE_ZEROCOPY},        {"send", false, MODE_TWOCOPY},
	{"write", false, MODE_TWOCOPY},      {"standard", false, MODE_TWOCOPY},
	{"sendmsg", false, MODE_ONECOPY},    {"writev", false, MODE_ONECOPY},
	{"iovec", false, MODE_ONECOPY},      {"scattergather", false, MODE_ONECOPY},
	{"zerocopy", true, MODE_ZEROCOPY},   {"zcopy", true, MODE_ZEROCOPY},
	{"0copy", true, MODE_ZEROCOPY},      {"onecopy", true, MODE_ONECOPY},
	{"1copy", true, MODE_ONECOPY},       {"singlecopy", true, MODE_ONECOPY},
	{"twocopy", true, MODE_TWOCOPY},     {"2copy", true, MODE_TWOCOPY},
	{"doublecopy", true, MODE_TWOCOPY},  {"baseline", true, MODE_TWOCOPY},
	{"traditional", true, MODE_TWOCOPY},
};

/* Letters and digits in lower case. */
static void put_word(char word[WORD_LEN], const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < WORD_LEN; text++)
		if (isalnum((unsigned char)*text))
			word[n++] = (char)tolower((unsigned char)*text);
	word[n] = '\0';
}

static int by_word(const char *word, enum mode *mode)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].part ? !strstr(word, words[i].word) : strcmp(word, words[i].word) != 0)
			continue;
		*mode = words[i].mode;
		return 0;
	}
	return -EINVAL;
}

/* The number of "2", "A2", "v2", "part_2", "PA02_A2": the digit at its end; -1: none. */
static int number_of(const char *text, bool *bare)
{
	char word[WORD_LEN];
	size_t n;

	put_word(word, text);
	n = strlen(word);
	if (!n || *text == '-' || word[n - 1] < '0' || word[n - 1] > '3' ||
	    (n > 1 && isdigit((unsigned char)word[n - 2])))
		return -1;
	*bare = n == 1;
	return word[n - 1] - '0';
}

/* All values have a number, with the same letters before it. */
static bool is_numbered(const struct column *c)
{
	char first[WORD_LEN] = "", word[WORD_LEN] = "";
	bool bare;

	for (size_t i = 0; i < c->levels.nr; i++) {
		if (number_of(c->levels.value[i], &bare) < 0)
			return false;
		put_word(word, c->levels.value[i]);
		if (!i)
			put_word(first, c->levels.value[i]);
		if (i && (strlen(word) != strlen(first) || strncmp(word, first, strlen(first) - 1)))
			return false;
	}
	return c->levels.nr > 1;
}

/*
 * 0, 1, 2 mean two-copy, one-copy, zero-copy; so do 1, 2, 3. Numbers after letters begin with 1
 * unless a 0 occurs.
 */
bool csv_mode__one_based(const struct column *c)
{
	bool seen[4] = {false}, bare = true;

	if (!is_numbered(c))
		return false;
	for (size_t i = 0; i < c->levels.nr; i++)
		seen[number_of(c->levels.value[i], &bare)] = true;
	return !seen[0] && (!bare || (seen[1] && seen[2] && seen[3]));
}

int csv_mode__parse(const struct csv_reader *r, const struct column *c, const char *text,
		    enum mode *mode)
{
	char ours[NAME_LEN], word[WORD_LEN];
	int n;
	bool bare;

	if (csv_reader__look_up(r->d->names.modes, true, text, ours))
		return dataset__parse_mode(ours, mode);
	put_word(word, text);
	n = number_of(text, &bare);
	if (c->as.field && !strcmp(c->as.field, "copies") && n >= 0 && n < MODE_NR) {
		*mode = (enum mode)(MODE_ZEROCOPY - n);
		return 0;
	}
	if (c->one_based && n > 0) {
		*mode = (enum mode)(n - 1);
		return 0;
	}
	if (!dataset__parse_mode(text, mode) || (!r->ours && !by_word(word, mode)))
		return 0;
	if (n < 0 || n >= MODE_NR || bare || !is_numbered(c))
		return -EINVAL;
	*mode = (enum mode)n;
	return 0;
}

bool csv_mode__has_words(const struct csv_reader *r, const struct column *c)
{
	bool bare;

	for (size_t i = 0; i < c->levels.nr; i++)
		if (number_of(c->levels.value[i], &bare) >= 0 && bare)
			return false;
	return c->levels.nr > 1 && csv_mode__is_column(r, c);
}

bool csv_mode__is_column(const struct csv_reader *r, const struct column *c)
{
	enum mode mode;

	for (size_t i = 0; i < c->levels.nr; i++)
		if (csv_mode__parse(r, c, c->levels.value[i], &mode))
			return false;
	return c->levels.nr && !c->levels.more;
}
