/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables; see option_command.h. argp sets the help text only. */
#include "option_command.h"

#include <argp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "common/embed.h"
#include "common/word.h"
#include "common/xalloc.h"
#include "exit_code.h"

#define KEY_FIRST   256 /* key of options without a letter: no character */
#define CHOICES_MAX 16  /* words that one option takes */

/* The options of every command. */
enum { COMMON_HELP, COMMON_USAGE, COMMON_VERSION, COMMON_NR };

static const struct option_row common_rows[COMMON_NR] = {
	[COMMON_HELP] = {"help", .help = "this list", .letter = '?'},
	[COMMON_USAGE] = {"usage", .help = "a short usage message"},
	[COMMON_VERSION] = {"version", .help = "the version", .letter = 'V'},
};

/* ---- help ---- */

/* The help text in argp's form, to free: \v between its parts. */
static char *doc_of(const struct option_command *c)
{
	const char *doc = c->doc ? c->doc : "", *line = strstr(doc, HELP_LINE);
	char *list = c->list && line ? c->list() : xstrdup(""), *text;
	size_t len;

	text = line ? xasprintf("%.*s\v%s%s%s", (int)(line - doc), doc, list, *list ? "\n\n" : "",
				line + strlen(HELP_LINE))
		    : xstrdup(doc);
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
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
	struct argp_option rows[OPTION_ROWS_MAX] = {{0}}, *row = rows;
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
	struct option_line line;
	const struct option_command *command;
	char program[64], help[80];
};

static void check_word(const struct option_row *row, const char *value)
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
	snprintf(option, sizeof(option), "--%s", row->name);
	choice__refuse(option, value, words, nr);
}

static void before(struct option_line *line, const struct option_row *row, const char *arg)
{
	struct line *l = (struct line *)line;

	if (row == &common_rows[COMMON_VERSION])
		puts("netiotrace " NETIOTRACE_VERSION);
	else if (row == &common_rows[COMMON_HELP] || row == &common_rows[COMMON_USAGE])
		print_help(l->command, l->program,
			   row == &common_rows[COMMON_HELP] ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE);
	if (row >= common_rows && row < common_rows + COMMON_NR)
		exit(EXIT_DONE);
	if (arg && l->command->check)
		l->command->check(row, arg);
	if (arg)
		check_word(row, arg);
}

static bool has_option(const struct option_line *line, const char *word)
{
	const char *name = word + 1 + (word[1] == '-');
	size_t len = strcspn(name, "=");

	for (size_t i = 0; i < line->nr; i++)
		if (word[1] == '-' ? !strncmp(line->rows[i]->name, name, len)
				   : line->rows[i]->letter == *name)
			return true;
	return false;
}

/* An operand is the name of a program, but no option without dashes and no command line. */
static void refuse_command(const struct line *l, const char *word)
{
	const struct option_line *line = &l->line;
	const char *next = line->next < line->end ? *line->next : "";

	for (size_t i = 0; i < line->nr; i++)
		if (!strcmp(line->rows[i]->name, word))
			usage_error("'%s' is an option: --%s. A process called '%s': --comm %s.",
				    word, word, word, word);
	if (strchr(word, '/') || (next[0] == '-' && next[1] && !has_option(line, next)))
		usage_error("to run and %s a command, put -- before it: netiotrace %s -- COMMAND. "
			    "To %s processes called '%s', put --comm before it.",
			    l->command->does, l->command->name, l->command->does, word);
}

static void parse_operand(struct option_line *line, const char *word)
{
	const struct line *l = (struct line *)line;

	if (l->command->does)
		refuse_command(l, word);
	if (l->command->operand)
		l->command->operand(line->options, word);
	else
		usage_error("'%s' is one argument too many: %s takes options only. A command comes "
			    "first (netiotrace COMMAND); a program is watched by 'netiotrace "
			    "attach -- %s'.",
			    word, l->program, word);
}

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
	char why[512];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	usage_error("%s.", why);
}

void option_command__parse(const struct option_command *c, int argc, char **argv, void *options)
{
	bool named = argc > 1 && strcmp(argv[1], c->name) == 0;
	struct line l = {.command = c,
			 .line = {.command = c->name,
				  .options = options,
				  .next = argv + (argc > 0) + named,
				  .end = argv + argc,
				  .help = l.help,
				  .before = before,
				  .operand = parse_operand,
				  .refuse = refuse}};

	if (l.line.next + 1 == l.line.end && strcmp(*l.line.next, DESCRIBE_OPTION) == 0) {
		option_command__describe(c);
		exit(EXIT_DONE);
	}
	snprintf(l.program, sizeof(l.program), "netiotrace%s%s", named ? " " : "",
		 named ? c->name : "");
	snprintf(l.help, sizeof(l.help), "netiotrace %s --help", c->name);
	for (size_t i = 0; i < c->nr; i++)
		option_line__add(&l.line, &c->option_rows[i]);
	for (size_t i = 0; i < COMMON_NR; i++)
		option_line__add(&l.line, &common_rows[i]);
	option_line__parse(&l.line);
}
