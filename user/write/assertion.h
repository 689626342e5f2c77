/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert: conditions on numbers of JSON documents. Every documented number can be used, since
 * paths are looked up in the written objects. Pure.
 *
 * A condition is `PATH OP NUMBER`: dotted member names, one of == != <= >= < >, a JSON number. An
 * assertion of a run is `MODE.PATH OP NUMBER`, or a condition that must be true in every mode that
 * ran. Ledger numbers are checked in each run, throughput by its median.
 */
#ifndef WRITE_ASSERTION_H
#define WRITE_ASSERTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

#define CONDITION_PATH_MAX 128

/* Results of the comparison that make a condition true: bits. */
#define CONDITION_BELOW 1U
#define CONDITION_EQUAL 2U
#define CONDITION_ABOVE 4U

struct condition {
	char *text; /* as given, printable, for messages */
	char path[CONDITION_PATH_MAX];
	unsigned int holds_if;
	double number;
};

/* Parses text. 0, or -EINVAL with a sentence in message. Call condition__clear() in any case. */
int condition__parse(struct condition *c, const char *text, char *message, size_t len);
void condition__clear(struct condition *c);

/* The path of a short name of run and attach ("copied_fraction"); else name itself. */
const char *condition__long_name(const char *name);

/* Does the path name a member of object, of any type? */
bool condition__finds(const struct condition *c, json_t *object);

/*
 * Does the path name a number in object, a sample of later documents (also null, true or false)? 0,
 * or -EINVAL with a sentence in message.
 */
int condition__check_path(const struct condition *c, json_t *object, char *message, size_t len);

/*
 * 1: true in object, where true counts as 1 and false as 0. 0: false, or the number is unknown,
 * with the value or the reason in message; where names the object ("zerocopy round 1").
 */
int condition__holds(const struct condition *c, json_t *object, const char *where, char *message,
		     size_t len);

struct assertion;

/* Parses text. 0, or -EINVAL with the error in message. */
int assertion__parse(struct assertion **out, const char *text, char *message, size_t len);
void assertion__free(struct assertion *a); /* takes NULL */

/*
 * 1 holds; 0 does not hold, with a sentence (the expression, the value found, where) in message.
 * A number that is unknown, or a mode that did not run, does not hold, and the sentence says so.
 */
int assertion__check(const struct assertion *a, const struct result *r, char *message, size_t len);

#endif
