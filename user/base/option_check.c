/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the check of options against a command's table; see option_check.h. */
#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "describe.h"
#include "option_check.h"
#include "refuse.h"
#include "common/word.h"

#define OPTIONS_MAX 96 /* options of one command */
#define CHOICES_MAX 16 /* words that one option takes */

struct check {
	const struct argp_option *rows[OPTIONS_MAX];
	const char *names[OPTIONS_MAX];
	size_t nr;
	const char *command;
};

static void add_rows(struct check *c, const struct argp_option *rows)
{
	for (const struct argp_option *o = rows; o->name || o->doc; o++) {
		if (!o->name || c->nr == OPTIONS_MAX)
			continue;
		c->rows[c->nr] = o;
		c->names[c->nr++] = o->name;
	}
}

static void refuse_unknown(const struct check *c, const char *option, const char *name)
{
	const char *near = name ? choice__nearest(name, c->names, c->nr) : NULL;

	if (near)
		refuse("%s has no option %s; did you mean --%s? 'netiotrace %s --help' lists its "
		       "options.",
		       c->command, option, near, c->command);
	refuse("%s has no option %s; 'netiotrace %s --help' lists its options.", c->command, option,
	       c->command);
}

static void refuse_ambiguous(const struct check *c, const char *name)
{
	char list[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < c->nr && used < sizeof(list); i++)
		if (strncmp(c->names[i], name, strlen(name)) == 0)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s--%s",
						 used ? ", " : "", c->names[i]);
	refuse("--%s can be any of %s; write more of its name.", name, list);
}

/* Finds an option by its name or a unique prefix, as getopt_long() does. */
static const struct argp_option *find_long(const struct check *c, const char *name)
{
	const struct argp_option *found = NULL;
	char option[64];

	for (size_t i = 0; i < c->nr; i++) {
		if (strcmp(c->names[i], name) == 0)
			return c->rows[i];
		if (strncmp(c->names[i], name, strlen(name)) != 0)
			continue;
		if (found)
			refuse_ambiguous(c, name);
		found = c->rows[i];
	}
	if (found)
		return found;
	snprintf(option, sizeof(option), "--%s", name);
	refuse_unknown(c, option, name);
	return NULL;
}

static const struct argp_option *find_short(const struct check *c, char letter)
{
	char option[3] = {'-', letter, '\0'};

	for (size_t i = 0; i < c->nr; i++)
		if (c->rows[i]->key == letter)
			return c->rows[i];
	refuse_unknown(c, option, NULL);
	return NULL;
}

static void check_value(const struct argp_option *o, const char *value)
{
	char copy[256], option[64], *rest = copy;
	const char *words[CHOICES_MAX];
	size_t nr = 0;

	if (!strchr(o->arg, '|'))
		return;
	snprintf(copy, sizeof(copy), "%s", o->arg);
	while (rest && nr < CHOICES_MAX) {
		words[nr] = strsep(&rest, "|");
		if (same_word(value, words[nr++]))
			return;
	}
	snprintf(option, sizeof(option), "--%s", o->name);
	choice__refuse(option, value, words, nr);
}

static void need_value(const struct argp_option *o, bool there)
{
	if (!there)
		refuse("--%s needs a value: --%s %s.", o->name, o->name, o->arg);
}

/* Returns the number of arguments consumed. */
static int check_long(const struct check *c, int argc, char *const *argv)
{
	const char *equals = strchr(argv[0], '=');
	char name[64];
	const struct argp_option *o;

	snprintf(name, sizeof(name), "%.*s",
		 (int)(equals ? equals - argv[0] - 2 : (long)strlen(argv[0]) - 2), argv[0] + 2);
	o = find_long(c, name);
	if (equals && !o->arg)
		refuse("--%s takes no value.", o->name);
	if (equals)
		check_value(o, equals + 1);
	if (equals || !o->arg)
		return 1;
	need_value(o, argc > 1);
	check_value(o, argv[1]);
	return 2;
}

static int check_short(const struct check *c, int argc, char *const *argv)
{
	for (const char *letter = argv[0] + 1; *letter; letter++) {
		const struct argp_option *o = find_short(c, *letter);

		if (!o->arg)
			continue;
		if (letter[1])
			return 1;
		need_value(o, argc > 1);
		check_value(o, argv[1]);
		return 2;
	}
	return 1;
}

bool option_check__takes_operands(const struct argp *argp)
{
	return argp->args_doc && strncmp(argp->args_doc, "[--", 3) != 0;
}

void option_check__line(const struct argp *argp, const char *command, int argc, char *const *argv)
{
	struct check c = {.command = command};
	int i = 1;

	add_rows(&c, argp->options);
	add_rows(&c, describe__common());
	while (i < argc && strcmp(argv[i], "--") != 0) {
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (!option_check__takes_operands(argp))
				return;
			i++;
		} else if (argv[i][1] == '-') {
			i += check_long(&c, argc - i, argv + i);
		} else {
			i += check_short(&c, argc - i, argv + i);
		}
	}
}
