/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns options whose value goes to one field of a command's options, within bounds. */
#ifndef BASE_SETTING_H
#define BASE_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_kind {                 /* type of the field: */
		    SETTING_FLAG,   /* bool: the option sets it */
		    SETTING_LEVEL,  /* int: how often the option was given */
		    SETTING_STRING, /* const char *: the argument itself */
		    SETTING_CHOICE, /* unsigned int, an enum: index of the word in `range`, "A|B|C"
				     */
		    SETTING_COUNT,  /* uint64_t */
		    SETTING_TIME,   /* uint64_t, in ns */
};

struct setting {
	int key; /* of argp */
	enum setting_kind kind;
	size_t offset;     /* of the field */
	const char *name;  /* "--groups"; of counts and times, as the next three */
	const char *range; /* "a time from 50ms to 1h": for the refusal */
	uint64_t min, max;
};

/*
 * Stores the argument of the option with this key in options. false: no setting has the key. Exits
 * with a usage error if the argument is out of bounds. Words of a choice were checked by
 * command_line__parse().
 */
bool setting__take(const struct setting *settings, size_t nr, int key, const char *arg,
		   void *options);

#endif
