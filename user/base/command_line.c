/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the parsing of a command line: checks, suggestions, help, usage errors; see command_line.h.
 */
#include "command_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/word.h"
#include "common/xalloc.h"
#include "append.h"
#include "exit_code.h"
#include "log.h"

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

static void print_text(const char *kind, const char *text, size_t len)
{
	if (!len)
		return;
	printf("%s\t", kind);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			fputs("\\n", stdout);
		else
			putchar(text[i] == '\t' ? ' ' : text[i]);
	}
	putchar('\n');
}

static void print_option(const struct argp_option *o)
{
	char letter[3] = "";

	if (o->key > 0 && o->key <= 127 && isprint(o->key))
		snprintf(letter, sizeof(letter), "-%c", o->key);
	printf("option\t%s\t--%s\t%s\t%s\n", letter, o->name, o->arg ? o->arg : "", o->doc);
}

/* The options that argp adds to every command. */
static const struct argp_option common_options[] = {
	{"help", '?', 0, 0, "this list", 0},
	{"usage", 1, 0, 0, "a short usage message", 0},
	{"version", 'V', 0, 0, "the version", 0},
	{0},
};

/* Prints the text below the options, which a command may generate (help_filter of struct argp). */
static void print_after(const struct argp *argp, const char *text)
{
	char *filtered = (char *)text;

	if (argp->help_filter)
		filtered = argp->help_filter(ARGP_KEY_HELP_POST_DOC, text, NULL);
	if (filtered)
		print_text("after", filtered, strlen(filtered));
	if (filtered != text)
		free(filtered);
}

void describe__print(const struct argp *argp)
{
	const char *doc = argp->doc ? argp->doc : "";
	const char *after = strchr(doc, '\v');

	print_text("usage", argp->args_doc, argp->args_doc ? strlen(argp->args_doc) : 0);
	print_text("doc", doc, after ? (size_t)(after - doc) : strlen(doc));
	/* A row with only doc is a group title; an empty row ends the table. */
	for (const struct argp_option *o = argp->options; o->name || o->doc; o++) {
		if (o->name)
			print_option(o);
		else
			print_text("group", o->doc, strlen(o->doc));
	}
	for (const struct argp_option *o = common_options; o->name; o++)
		print_option(o);
	if (after)
		print_after(argp, after + 1);
}

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
		usage_error(
			"%s has no option %s; did you mean --%s? 'netiotrace %s --help' lists its "
			"options.",
			c->command, option, near, c->command);
	usage_error("%s has no option %s; 'netiotrace %s --help' lists its options.", c->command,
		    option, c->command);
}

static void refuse_ambiguous(const struct check *c, const char *name)
{
	char list[256] = "";

	for (size_t i = 0; i < c->nr; i++)
		if (strncmp(c->names[i], name, strlen(name)) == 0)
			append__text(list, sizeof(list), "%s--%s", *list ? ", " : "", c->names[i]);
	usage_error("--%s can be any of %s; write more of its name.", name, list);
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

/* Checks the value in the next argument. Returns the number of arguments of the option. */
static int check_next(const struct argp_option *o, int argc, char *const *argv)
{
	if (argc < 2)
		usage_error("--%s needs a value: --%s %s.", o->name, o->name, o->arg);
	check_value(o, argv[1]);
	return 2;
}

/* Returns the number of arguments of the option, as does check_short(). */
static int check_long(const struct check *c, int argc, char *const *argv)
{
	size_t len = strcspn(argv[0] + 2, "=");
	const char *value = argv[0] + 2 + len;
	const struct argp_option *o;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)len, argv[0] + 2);
	o = find_long(c, name);
	if (!*value)
		return o->arg ? check_next(o, argc, argv) : 1;
	if (!o->arg)
		usage_error("--%s takes no value.", o->name);
	check_value(o, value + 1);
	return 1;
}

static int check_short(const struct check *c, int argc, char *const *argv)
{
	for (const char *letter = argv[0] + 1; *letter; letter++) {
		const struct argp_option *o = find_short(c, *letter);

		if (o->arg)
			return letter[1] ? 1 : check_next(o, argc, argv);
	}
	return 1;
}

/* Does the command take operands, other than after "--"? */
static bool takes_operands(const struct argp *argp)
{
	return argp->args_doc && strncmp(argp->args_doc, "[--", 3) != 0;
}

/* Stops at "--", and at the first operand of a command without operands, which argp reports. */
static void check_line(const struct argp *argp, const char *command, int argc, char *const *argv)
{
	struct check c = {.command = command};
	int i = 1;

	add_rows(&c, argp->options);
	add_rows(&c, common_options);
	while (i < argc && strcmp(argv[i], "--") != 0) {
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (!takes_operands(argp))
				return;
			i++;
		} else if (argv[i][1] == '-') {
			i += check_long(&c, argc - i, argv + i);
		} else {
			i += check_short(&c, argc - i, argv + i);
		}
	}
}

/* Works on a copy: argp reorders its arguments and names the program by the first. */
void command_line__parse(const struct argp *argp, const char *name, int argc, char **argv,
			 void *input)
{
	int named = argc > 1 && strcmp(argv[1], name) == 0;
	char **copy;
	char program[64];

	if (argc == 2 + named && strcmp(argv[1 + named], DESCRIBE_OPTION) == 0) {
		describe__print(argp);
		exit(EXIT_DONE);
	}
	copy = xcalloc((size_t)argc + 1, sizeof(*copy));
	memcpy(copy, argv + named, (size_t)(argc - named) * sizeof(*copy));
	snprintf(program, sizeof(program), "netiotrace%s%s", named ? " " : "", named ? name : "");
	copy[0] = program;
	argp_program_version = "netiotrace " NETIOTRACE_VERSION;
	argp_err_exit_status = EXIT_USAGE;
	check_line(argp, name, argc - named, copy);
	/* ARGP_IN_ORDER: a command that takes no operand reports the first one in its place. */
	argp_parse(argp, argc - named, copy, takes_operands(argp) ? 0 : ARGP_IN_ORDER, NULL, input);
	free(copy);
}
