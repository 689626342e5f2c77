/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns command lines that are tables: a row for each option, with its help and its field. */
#ifndef BASE_SETTING_H
#define BASE_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_kind {                 /* type of the field: */
		    SETTING_TITLE,  /* none: a heading, the text in help */
		    SETTING_FLAG,   /* bool: the option sets it */
		    SETTING_LEVEL,  /* int: how often the option was given */
		    SETTING_STRING, /* const char *: the argument itself */
		    SETTING_CHOICE, /* unsigned int, an enum: index of the word in arg, "A|B|C" */
		    SETTING_COUNT,  /* uint64_t */
		    SETTING_UINT,   /* unsigned int, a count */
		    SETTING_SIZE,   /* uint64_t, in bytes */
		    SETTING_TIME,   /* uint64_t, in ns */
		    SETTING_OTHER,  /* any: the row's function stores it */
};

#define SETTINGS_MAX 64

struct setting {
	const char *name; /* "groups" */
	const char *arg;  /* as in struct argp_option; NULL: none */
	const char *help;
	enum setting_kind kind;
	size_t offset;     /* of the field */
	const char *range; /* of numbers: "a time from 50ms to 1h", for the refusal */
	uint64_t min, max; /* of numbers, inclusive */
	/* Checks the argument before it is stored, or stores it (SETTING_OTHER). NULL: no check. */
	void (*take)(void *field, const char *arg);
	char letter; /* "-q" */
};

#define SETTING_TITLE_ROW(text)                       \
	{                                             \
		.help = (text), .kind = SETTING_TITLE \
	}

struct setting_command {
	const char *name, *doc, *args_doc; /* as in struct argp */
	const struct setting *settings;
	size_t nr; /* below SETTINGS_MAX */
	/* Takes an argument that is no option. NULL: it is a usage error. */
	void (*operand)(void *options, const char *arg);
	char *(*help_filter)(int key, const char *text, void *input); /* as in struct argp */
};

/* Stores all options in their fields. Errors, an empty string among them, and --help exit. */
void setting__parse(const struct setting_command *c, int argc, char **argv, void *options);

#endif
