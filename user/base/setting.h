/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables: a row for each option, with its help and its field. */
#ifndef BASE_SETTING_H
#define BASE_SETTING_H

#include <stddef.h>

#include "common/option.h"

#define SETTINGS_MAX 64

struct setting_command {
	const char *name, *doc, *args_doc; /* as in struct argp */
	const struct option_row *settings;
	size_t nr; /* below SETTINGS_MAX */
	/* Reports a wrong argument of its own kind, or returns. NULL: none. */
	void (*refuse)(const struct option_row *row, const char *arg);
	/* Takes an argument that is no option. NULL: it is a usage error. */
	void (*operand)(void *options, const char *arg);
	char *(*help_filter)(int key, const char *text, void *input); /* as in struct argp */
};

/* Stores all options in their fields. Errors, an empty string among them, and --help exit. */
void setting__parse(const struct setting_command *c, int argc, char **argv, void *options);

#endif
