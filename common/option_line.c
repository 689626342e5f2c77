/* SPDX-License-Identifier: GPL-2.0-only */
/* The parser of command lines; see option_line.h. */
#include "option_line.h"

#include <stdio.h>
#include <string.h>

#include "word.h"

#define NAME_SIZE 64 /* of an option as given, without "--"; the rest is cut off */

void option_line__add(struct option_line *l, const struct option_row *row)
{
	if (row->name)
		l->rows[l->nr++] = row;
}

/* Options of other commands are found by their whole name alone, to be refused, and not proposed.
 */
static bool is_own(const struct option_line *l, const struct option_row *row)
{
	return !l->commands || row->commands & l->commands;
}

/* Options that other programs have by another name. */
static const char *synonym(const char *name, const char *const *names, size_t nr)
{
	static const char *const words[][2] = {
		{"name", "comm"},     {"process", "comm"},     {"container", "cgroup"},
		{"time", "duration"}, {"seconds", "duration"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (size_t k = 0; same_word(name, words[i][0]) && k < nr; k++)
			if (strcmp(names[k], words[i][1]) == 0)
				return names[k];
	return NULL;
}

static _Noreturn void refuse_unknown(const struct option_line *l, const char *dashes,
				     const char *name)
{
	const char *names[OPTION_ROWS_MAX], *near;
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		if (is_own(l, l->rows[i]))
			names[nr++] = l->rows[i]->name;
	near = dashes[1] ? synonym(name, names, nr) : NULL;
	if (!near && dashes[1])
		near = choice__nearest(name, names, nr);
	l->refuse("%s has no option %s%s;%s%s%s '%s' lists its options", l->command, dashes, name,
		  near ? " did you mean --" : "", near ? near : "", near ? "?" : "", l->help);
}

static _Noreturn void refuse_ambiguous(const struct option_line *l, const char *name)
{
	char list[256] = "";

	for (size_t i = 0, len = 0; i < l->nr && len < sizeof(list); i++)
		if (is_own(l, l->rows[i]) && strncmp(l->rows[i]->name, name, strlen(name)) == 0)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s--%s",
						len ? ", " : "", l->rows[i]->name);
	l->refuse("--%s can be any of %s; write more of its name", name, list);
}

/* By its name or a unique prefix. */
static const struct option_row *find_long(const struct option_line *l, const char *name)
{
	const struct option_row *found = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++) {
		if (strcmp(l->rows[i]->name, name) == 0)
			return l->rows[i];
		if (!is_own(l, l->rows[i]) || strncmp(l->rows[i]->name, name, strlen(name)) != 0)
			continue;
		found = l->rows[i];
		nr++;
	}
	if (nr > 1)
		refuse_ambiguous(l, name);
	if (!found)
		refuse_unknown(l, "--", name);
	return found;
}

static const struct option_row *find_short(const struct option_line *l, char letter)
{
	const char name[] = {letter, '\0'};

	for (size_t i = 0; i < l->nr; i++)
		if (l->rows[i]->letter == letter)
			return l->rows[i];
	refuse_unknown(l, "-", name);
}

/* value: within the option's word, or NULL. */
static void parse_option(struct option_line *l, const struct option_row *row, const char *value)
{
	void *field = (char *)l->options + row->offset;
	char why[512];

	if (row->arg && !value && l->next == l->end)
		l->refuse("--%s needs a value: --%s %s", row->name, row->name, row->arg);
	if (!row->arg && value)
		l->refuse("--%s takes no value", row->name);
	if (row->arg && !value)
		value = *l->next++;
	if (l->before)
		l->before(l, row, value);
	if (row->parse)
		row->parse(field, value);
	if (option__store(row, field, value, why, sizeof(why)))
		l->refuse("%s", why);
}

static void parse_long(struct option_line *l, const char *word)
{
	size_t len = strcspn(word, "=");
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	parse_option(l, find_long(l, name), word[len] ? word + len + 1 : NULL);
}

static void parse_short(struct option_line *l, const char *letter)
{
	for (; *letter; letter++) {
		const struct option_row *row = find_short(l, *letter);

		if (row->arg) {
			parse_option(l, row, letter[1] ? letter + 1 : NULL);
			return;
		}
		parse_option(l, row, NULL);
	}
}

void option_line__parse(struct option_line *l)
{
	bool options = true;

	while (l->next < l->end) {
		const char *word = *l->next++;

		if (!options || word[0] != '-' || !word[1])
			l->operand(l, word);
		else if (strcmp(word, "--") == 0)
			options = false;
		else if (word[1] == '-')
			parse_long(l, word + 2);
		else
			parse_short(l, word + 1);
	}
}
