/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values and members of JSON documents: unknown numbers, large ones, text from outside. Functions
 * that return json_t * return a new reference.
 */
#ifndef WRITE_JSON_VALUE_H
#define WRITE_JSON_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"

/* A row of field.h, as the tables of keys and units have it. */
struct field {
	const char *key;            /* NULL: the family's members are in the object itself */
	const char *unit;           /* NULL: an object */
	const struct field *fields; /* of the object, or of each member of a family or list */
	const char *stands;         /* a family: placeholder of its keys, "<stage>" */
	bool is_list, is_reason;
	bool is_more; /* further fields of one member of the family before */
};

/*
 * The row of a member: its own, or that of the family whose members are in the object itself; and
 * the rows of what is in the member, of a family in family[]. NULL: none.
 */
const struct field *field__of(const struct field *fields, const char *key);
const struct field *field__below(const struct field *field, struct field family[2]);

/* "reason" or "<name>_reason": words about a number, no data. */
bool json_key__is_reason(const char *key);

/* Digits of a real number: further ones are noise. */
#define JSON_REAL_DIGITS 12

/*
 * Values. Integers above 2^63 become reals; non-finite numbers become null; text that is not UTF-8
 * keeps its ASCII.
 */
json_t *json_value__u64(uint64_t value);
json_t *json_value__real(double value);
json_t *json_value__text(const char *text); /* NULL: null */
/* "twocopy onecopy" of a mask of 1 << mode; 0 (all of them): null. */
json_t *json_value__modes(unsigned int mask);
/* A list of at most nr texts, which ends before a NULL; texts may be NULL. */
json_t *json_value__texts(size_t nr, char *const *texts);

/* Numbers that are known if a condition holds; reason: why not. */
static inline struct num num_or(bool known, uint64_t value, const char *reason)
{
	return (struct num){.value = value, .known = known, .reason = known ? NULL : reason};
}

static inline struct real real_or(bool known, double value, const char *reason)
{
	return (struct real){.value = value, .known = known, .reason = known ? NULL : reason};
}

#define num_if(known, value)  num_or(known, value, NULL)
#define real_if(known, value) real_or(known, value, NULL)

/* Members. reason is only written when the value is null; NULL: "not measured". */
void json_put(json_t *object, const char *key, json_t *value); /* takes value */
void json_put_u64(json_t *object, const char *key, uint64_t value);
void json_put_or_null(json_t *object, const char *key, uint64_t value); /* 0: null */
void json_put_num(json_t *object, const char *key, struct num n);
void json_put_real(json_t *object, const char *key, struct real r);
void json_put_whole(json_t *object, const char *key, struct real r); /* as an integer */
void json_put_flag(json_t *object, const char *key, struct flag f);
void json_put_text_or(json_t *object, const char *key, const char *text, const char *reason);
void json_put_reason(json_t *object, const char *key, const char *reason); /* "<key>_reason" */

/* For an object with one reason for all its nulls: writes no reason of its own. */
void json_put_bare(json_t *object, const char *key, struct num n);
void json_put_bare_real(json_t *object, const char *key, struct real r);
/* Left out if NULL. */
void json_put_reason_if(json_t *object, const char *key, const char *reason);

/*
 * Reading: the member at a path such as "app.tcp.bytes_acked", with its parent and name (both NULL:
 * not asked for); NULL: none. And why a number is null: "<name>_reason" beside it, or the "reason"
 * of its object.
 */
const json_t *json_value__at(const json_t *o, const char *path, const json_t **parent,
			     const char **name);
const char *json_value__reason(const json_t *parent, const char *name);

#endif
