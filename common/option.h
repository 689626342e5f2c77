/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options as rows of a table: name, help, bounds, and the field that keeps the value. netiotrace
 * and netio-loadgen parse their command lines by such rows.
 */
#ifndef COMMON_OPTION_H
#define COMMON_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_TITLE,  /* no option: a heading, the text in help */
	OPTION_FLAG,   /* the option sets it */
	OPTION_LEVEL,  /* int: how often the option was given */
	OPTION_STRING, /* the argument itself, which may not be empty */
	OPTION_NAME,   /* the same, of 1 to `max` letters, digits, _ and - */
	OPTION_CPUS,   /* the same, a list of CPUs */
	OPTION_CHOICE, /* unsigned int, an enum: index of the word in arg, "A|B|C"; 0: the default
			*/
	OPTION_COUNT,
	OPTION_UINT,  /* a count */
	OPTION_SIZE,  /* bytes */
	OPTION_TIME,  /* ns */
	OPTION_RATE,  /* per second */
	OPTION_OTHER, /* the owner of the table stores the value */
};

/* Types of the fields. */
#define OPTION_TYPE_FLAG   bool
#define OPTION_TYPE_STRING const char *
#define OPTION_TYPE_NAME   const char *
#define OPTION_TYPE_CPUS   const char *
#define OPTION_TYPE_CHOICE unsigned int
#define OPTION_TYPE_COUNT  uint64_t
#define OPTION_TYPE_UINT   unsigned int
#define OPTION_TYPE_SIZE   uint64_t
#define OPTION_TYPE_TIME   uint64_t
#define OPTION_TYPE_RATE   uint64_t

struct option_row {
	const char *name; /* "groups" */
	const char *arg;  /* "FILE", or words to choose from: "A|B|C"; NULL: none */
	const char *help;
	enum option_kind kind;
	size_t offset;     /* of the field */
	const char *range; /* completes "--NAME takes ...": "a time from 50ms to 1h" */
	uint64_t min, max; /* of numbers, inclusive */
	/* Checks the argument before it is stored, or stores it (OPTION_OTHER). NULL: no check. */
	void (*parse)(void *field, const char *arg);
	char letter;           /* "-q" */
	unsigned int commands; /* which commands have it: bits of the table's owner */
	unsigned int needs;    /* what a value above min is for: bits of the owner; 0: all */
	const char *key;       /* in JSON documents; NULL: in none */
	bool zero;             /* 0 is a value; otherwise it stands for "not given" */
};

/* The help of an option in one command, where it differs from the table's. */
struct option_help {
	const char *name, *help;
};

/* Of `own`, which ends with {0}, or of the row. own NULL: none differs. */
const char *option__help(const struct option_row *row, const struct option_help *own);

#define OPTION_TITLE_ROW(text)                       \
	{                                            \
		.help = (text), .kind = OPTION_TITLE \
	}

/*
 * Stores the value of an option in its field. 0; -EINVAL with one sentence, without a full stop,
 * in why. An argument is kept, not copied.
 */
int option__store(const struct option_row *row, void *field, const char *arg, char *why,
		  size_t len);

/* The value of a number or flag. `options`: the struct that has the field; also below. */
uint64_t option__number(const struct option_row *row, const void *options);

static inline bool option__is_text(const struct option_row *row)
{
	return row->kind == OPTION_STRING || row->kind == OPTION_NAME || row->kind == OPTION_CPUS;
}

#define OPTION_TEXT_MAX 32

/* The word of an OPTION_CHOICE. Returns buf. */
const char *option__word(const struct option_row *row, const void *options,
			 char buf[OPTION_TEXT_MAX]);

/* The argument that stores the same value: exact; "": none needed; NULL: the option is not given.
 */
const char *option__text(const struct option_row *row, const void *options,
			 char buf[OPTION_TEXT_MAX]);

/* ns as an exact argument in the largest unit that divides it. Returns buf. */
const char *option__time(char buf[OPTION_TEXT_MAX], uint64_t ns);

#endif
