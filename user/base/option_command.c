/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables; see option_command.h. argp sets the help text only. */
#include "option_command.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"
#include "command_line.h"
#include "common/word.h"
#include "common/xalloc.h"
#include "exit_code.h"

#define KEY_FIRST   256 /* key of options without a letter: no character */
#define CHOICES_MAX 16  /* words that one option takes */
#define NAME_SIZE   64  /* of an option as given, without "--"; the rest is cut off */

/* The options of every command. */
enum { COMMON_HELP, COMMON_USAGE, COMMON_VERSION, COMMON_NR };

static const struct option_row common_rows[COMMON_NR] = {
	[COMMON_HELP] = {"help", .help = "this list", .letter = '?'},
	[COMMON_USAGE] = {"usage", .help = "a short usage message"},
	[COMMON_VERSION] = {"version", .help = "the version", .letter = 'V'},
};

/* ---- help ---- */

static char *doc_of(const struct option_command *c)
{
	const char *doc = c->doc ? c->doc : "", *after = strchr(doc, '\v');
	char *list, *text;

	if (!c->list || !after)
		return xstrdup(doc);
	list = c->list();
	text = xasprintf("%.*s\v%s\n\n%s", (int)(after - doc), doc, list, after + 1);
	free(list);
	return text;
}

static struct argp_option help_row(const struct option_row *row, int group)
{
	return (struct argp_option){.name = row->name,
				    .key = !row->name    ? 0
					   : row->letter ? row->letter
							 : KEY_FIRST,
				    .arg = row->arg,
				    .doc = row->help,
				    .group = group};
}

static void print_help(const struct option_command *c, char *program, unsigned int what)
{
	struct argp_option rows[OPTION_ROWS_MAX + COMMON_NR] = {{0}}, *row = rows;
	char *doc = doc_of(c);
	const struct argp argp = {.options = rows, .args_doc = c->args_doc, .doc = doc};
	int group = 0;

	for (size_t i = 0; i < c->nr; i++) {
		group += c->option_rows[i].kind == OPTION_TITLE;
		*row++ = help_row(&c->option_rows[i], group);
	}
	for (size_t i = 0; i < COMMON_NR; i++)
		*row++ = help_row(&common_rows[i], -1);
	argp_help(&argp, stdout, what, program);
	free(doc);
}

static void describe_text(const char *kind, const char *text, size_t len)
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

static void describe_row(const struct option_row *row)
{
	const char letter[] = {'-', row->letter, '\0'};

	if (row->name)
		printf("option\t%s\t--%s\t%s\t%s\n", row->letter ? letter : "", row->name,
		       row->arg ? row->arg : "", row->help);
	else
		describe_text("group", row->help, strlen(row->help));
}

void option_command__describe(const struct option_command *c)
{
	char *doc = doc_of(c);
	size_t above = strcspn(doc, "\v");

	describe_text("usage", c->args_doc, c->args_doc ? strlen(c->args_doc) : 0);
	describe_text("doc", doc, above);
	for (size_t i = 0; i < c->nr; i++)
		describe_row(&c->option_rows[i]);
	for (size_t i = 0; i < COMMON_NR; i++)
		describe_row(&common_rows[i]);
	if (doc[above])
		describe_text("after", doc + above + 1, strlen(doc + above + 1));
	free(doc);
}

/* ---- the line ---- */

struct line {
	const struct option_command *command;
	void *options;
	char program[64];
	const struct option_row *rows[OPTION_ROWS_MAX + COMMON_NR];
	const char *names[OPTION_ROWS_MAX + COMMON_NR];
	size_t nr;
	char **next, **end; /* words to parse */
};

static void add_row(struct line *l, const struct option_row *row)
{
	if (!row->name)
		return;
	l->rows[l->nr] = row;
	l->names[l->nr++] = row->name;
}

static _Noreturn void refuse_unknown(const struct line *l, const char *option, const char *near)
{
	const char *command = l->command->name;

	usage_error("%s has no option %s;%s%s%s 'netiotrace %s --help' lists its options.", command,
		    option, near ? " did you mean --" : "", near ? near : "", near ? "?" : "",
		    command);
}

static void refuse_ambiguous(const struct line *l, const char *name)
{
	char list[256] = "";

	for (size_t i = 0; i < l->nr; i++)
		if (strncmp(l->names[i], name, strlen(name)) == 0)
			append__text(list, sizeof(list), "%s--%s", *list ? ", " : "", l->names[i]);
	usage_error("--%s can be any of %s; write more of its name.", name, list);
}

/* By its name or a unique prefix. */
static const struct option_row *find_long(const struct line *l, const char *name)
{
	const struct option_row *found = NULL;
	char option[NAME_SIZE + sizeof("--")];

	for (size_t i = 0; i < l->nr; i++) {
		if (strcmp(l->names[i], name) == 0)
			return l->rows[i];
		if (strncmp(l->names[i], name, strlen(name)) != 0)
			continue;
		if (found)
			refuse_ambiguous(l, name);
		found = l->rows[i];
	}
	if (found)
		return found;
	snprintf(option, sizeof(option), "--%s", name);
	refuse_unknown(l, option, choice__nearest(name, l->names, l->nr));
}

static const struct option_row *find_short(const struct line *l, char letter)
{
	const char option[] = {'-', letter, '\0'};

	for (size_t i = 0; i < l->nr; i++)
		if (l->rows[i]->letter == letter)
			return l->rows[i];
	refuse_unknown(l, option, NULL);
}

static void check_word(const struct line *l, const struct option_row *row, const char *value)
{
	char copy[256], option[64], *rest = copy;
	const char *words[CHOICES_MAX];
	size_t nr = 0;

	if (!strchr(row->arg, '|'))
		return;
	snprintf(copy, sizeof(copy), "%s", row->arg);
	while (rest && nr < CHOICES_MAX) {
		words[nr] = strsep(&rest, "|");
		if (same_word(value, words[nr++]))
			return;
	}
	if (l->command->refuse)
		l->command->refuse(row, value);
	snprintf(option, sizeof(option), "--%s", row->name);
	choice__refuse(option, value, words, nr);
}

static void store(const struct line *l, const struct option_row *row, const char *arg)
{
	void *field = (char *)l->options + row->offset;
	char why[512];

	if (row->parse)
		row->parse(field, arg);
	if (!option__store(row, field, arg, why, sizeof(why)))
		return;
	if (l->command->refuse)
		l->command->refuse(row, arg);
	usage_error("%s.", why);
}

static _Noreturn void print_common(struct line *l, const struct option_row *row)
{
	if (row == &common_rows[COMMON_VERSION])
		puts("netiotrace " NETIOTRACE_VERSION);
	else
		print_help(l->command, l->program,
			   row == &common_rows[COMMON_HELP] ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE);
	exit(EXIT_DONE);
}

/* value: within the option's word, or NULL. */
static void parse_option(struct line *l, const struct option_row *row, const char *value)
{
	if (row->arg && !value && l->next == l->end)
		usage_error("--%s needs a value: --%s %s.", row->name, row->name, row->arg);
	if (!row->arg && value)
		usage_error("--%s takes no value.", row->name);
	if (row >= common_rows && row < common_rows + COMMON_NR)
		print_common(l, row);
	if (row->arg && !value)
		value = *l->next++;
	if (row->arg)
		check_word(l, row, value);
	store(l, row, value);
}

static void parse_long(struct line *l, const char *word)
{
	size_t len = strcspn(word, "=");
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	parse_option(l, find_long(l, name), word[len] ? word + len + 1 : NULL);
}

static void parse_short(struct line *l, const char *letter)
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

static void parse_operand(const struct line *l, const char *word)
{
	if (l->command->operand)
		l->command->operand(l->options, word);
	else if (l->command->does)
		usage_error("'%s' is not an option; to run and %s a command, put -- before it: "
			    "netiotrace %s -- %s.",
			    word, l->command->does, l->command->name, word);
	else
		usage_error("'%s' is one argument too many: %s takes options only. A command comes "
			    "first (netiotrace COMMAND); a program is watched by 'netiotrace "
			    "attach -- %s'.",
			    word, l->program, word);
}

static void parse_words(struct line *l)
{
	bool options = true;

	while (l->next < l->end) {
		const char *word = *l->next++;

		if (!options || word[0] != '-' || !word[1])
			parse_operand(l, word);
		else if (strcmp(word, "--") == 0)
			options = false;
		else if (word[1] == '-')
			parse_long(l, word + 2);
		else
			parse_short(l, word + 1);
	}
}

void option_command__parse(const struct option_command *c, int argc, char **argv, void *options)
{
	bool named = argc > 1 && strcmp(argv[1], c->name) == 0;
	struct line l = {.command = c, .options = options, .end = argv + argc};

	l.next = argv + (argc > 0) + named;
	if (l.next + 1 == l.end && strcmp(*l.next, DESCRIBE_OPTION) == 0) {
		option_command__describe(c);
		exit(EXIT_DONE);
	}
	snprintf(l.program, sizeof(l.program), "netiotrace%s%s", named ? " " : "",
		 named ? c->name : "");
	for (size_t i = 0; i < c->nr; i++)
		add_row(&l, &c->option_rows[i]);
	for (size_t i = 0; i < COMMON_NR; i++)
		add_row(&l, &common_rows[i]);
	parse_words(&l);
}
