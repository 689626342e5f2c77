/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the printing of a command's option table; see describe.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

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

const struct argp_option *describe__common(void)
{
	static const struct argp_option common[] = {
		{"help", '?', 0, 0, "this list", 0},
		{"usage", 1, 0, 0, "a short usage message", 0},
		{"version", 'V', 0, 0, "the version", 0},
		{0},
	};

	return common;
}

/* Prints the help text that a command generates itself (help_filter of struct argp). */
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
	for (const struct argp_option *o = describe__common(); o->name; o++)
		print_option(o);
	if (after)
		print_after(argp, after + 1);
}
