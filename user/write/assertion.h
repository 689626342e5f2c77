/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert: conditions on numbers of JSON documents. What is documented can be asserted, since
 * paths are looked up in the very objects that are written. Pure.
 *
 * A condition is `PATH OP NUMBER`: dotted member names, one of == != <= >= < >, a JSON number. An
 * assertion of a run is `MODE.PATH OP NUMBER`, or a condition that must hold in every mode that
 * ran. It is held against each run for ledger numbers, against the median for throughput.
 */
#ifndef WRITE_ASSERTION_H
#define WRITE_ASSERTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

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

struct assertion;

/* Parses text. 0, or -EINVAL with a sentence naming what is wrong in message. */
int assertion__parse(struct assertion **out, const char *text, char *message, size_t len);
void assertion__free(struct assertion *a); /* takes NULL */

/*
 * 1 holds; 0 does not hold, with a sentence (the expression, the value found, where) in message.
 * A number that is unknown, or a mode that did not run, does not hold, and the sentence says so.
 */
int assertion__check(const struct assertion *a, const struct result *r, char *message, size_t len);

#endif
