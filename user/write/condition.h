/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A condition on one number of a JSON object: `PATH OP NUMBER`, PATH being dotted member names, OP
 * one of == != <= >= < >, NUMBER a JSON number. What --assert of every command is made of. Pure.
 */
#ifndef NETIOTRACE_CONDITION_H
#define NETIOTRACE_CONDITION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CONDITION_PATH_MAX 128

/* How the number that is found may compare with the one of the condition: bits. */
#define CONDITION_BELOW 1U
#define CONDITION_EQUAL 2U
#define CONDITION_ABOVE 4U

struct condition {
	char *text; /* as given, printable, for messages */
	char path[CONDITION_PATH_MAX];
	unsigned int holds_if;
	double number;
};

/*
 * Parses text. 0, or -EINVAL with a sentence in message. Whatever came of it,
 * condition__clear() frees it.
 */
int condition__parse(struct condition *c, const char *text, char *message, size_t len);
void condition__clear(struct condition *c);

/* What a short name of both run and attach stands for ("copied_fraction"); name itself otherwise.
 */
const char *condition__long_name(const char *name);

/* Does the path name a member of object, of whatever kind? */
bool condition__finds(const struct condition *c, json_t *object);

/*
 * Is what the path names in object, which stands for those to come, a number (or one that is not
 * known, or true or false)? 0, or -EINVAL with a sentence in message.
 */
int condition__check_path(const struct condition *c, json_t *object, char *message, size_t len);

/*
 * 1: holds in object, where true is 1 and false 0. 0: does not, or the number is not known, with a
 * sentence in message that has the value or the reason; where says of what ("zerocopy round 1").
 */
int condition__holds(const struct condition *c, json_t *object, const char *where, char *message,
		     size_t len);

#endif
