/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How one value of the result document is written: unknown numbers, large ones, text from outside.
 * Knows nothing of the document's fields.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suffix.h"
#include "json.h"

#define KEY_MAX 64

bool json_key__is_reason(const char *key)
{
	return !strcmp(key, "reason") || has_suffix(key, "_reason");
}

json_t *json_value__u64(uint64_t value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *json_value__real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_value__text(const char *text)
{
	json_t *value;
	char *ascii, *p;

	if (!text)
		return json_null();
	errno = 0;
	value = json_string(text);
	if (value || errno == ENOMEM)
		return value;
	ascii = strdup(text);
	if (!ascii)
		return NULL;
	for (p = ascii; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	value = json_string(ascii);
	free(ascii);
	return value;
}

int json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

int json_put_u64(json_t *object, const char *key, uint64_t value)
{
	return json_put(object, key, json_value__u64(value));
}

int json_put_reason(json_t *object, const char *key, const char *reason)
{
	char name[KEY_MAX];

	snprintf(name, sizeof(name), "%s_reason", key);
	return json_put(object, name, json_value__text(reason ? reason : "not measured"));
}

int json_put_num(json_t *object, const char *key, struct num n)
{
	if (n.known)
		return json_put_u64(object, key, n.value);
	return json_put(object, key, json_null()) + json_put_reason(object, key, n.reason);
}

int json_put_real(json_t *object, const char *key, struct real r)
{
	if (r.known && isfinite(r.value))
		return json_put(object, key, json_real(r.value));
	return json_put(object, key, json_null()) +
	       json_put_reason(object, key, r.known ? "the result is not a number" : r.reason);
}

json_t *json_finish(json_t *object, int err)
{
	if (!err)
		return object;
	json_decref(object);
	return NULL;
}

json_t *json_copy_object(const json_t *object)
{
	json_t *copy = json_copy((json_t *)object);

	/* jansson's own does not say that it lacks a member. */
	return json_finish(copy, json_object_size(copy) != json_object_size(object));
}

char *json_text(const json_t *value, size_t flags)
{
	size_t len = json_dumpb(value, NULL, 0, flags);
	char *text = len ? malloc(len + 1) : NULL;

	if (!text)
		return NULL;
	if (json_dumpb(value, text, len, flags) != len) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

json_t *json_value__modes(unsigned int mask)
{
	char names[MODE_LIST_LEN];

	return json_value__text(mask ? mode__list(names, sizeof(names), mask) : NULL);
}
