/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The JSON of one value: unknown numbers, large ones, text from outside. Independent of the
 * document's fields.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "common/mode.h"
#include "json_value.h"

#define KEY_MAX 96

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
	json_t *value = text ? json_string(text) : json_null();
	char *ascii, *p;

	if (value)
		return value;
	ascii = xstrdup(text);
	for (p = ascii; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	value = json_string(ascii);
	free(ascii);
	return value;
}

json_t *json_value__modes(unsigned int mask)
{
	char names[MODE_LIST_LEN];

	return json_value__text(mask ? mode__list(names, sizeof(names), mask) : NULL);
}

json_t *json_value__texts(size_t nr, char *const *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; texts && i < nr && texts[i]; i++)
		json_array_append_new(list, json_value__text(texts[i]));
	return list;
}

void json_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

void json_put_u64(json_t *object, const char *key, uint64_t value)
{
	json_put(object, key, json_value__u64(value));
}

void json_put_or_null(json_t *object, const char *key, uint64_t value)
{
	json_put(object, key, value ? json_value__u64(value) : json_null());
}

void json_put_reason(json_t *object, const char *key, const char *reason)
{
	char name[KEY_MAX];

	snprintf(name, sizeof(name), "%s_reason", key);
	json_put(object, name, json_value__text(reason ? reason : "not measured"));
}

void json_put_reason_if(json_t *object, const char *key, const char *reason)
{
	if (reason)
		json_put(object, key, json_value__text(reason));
}

/* Takes value; NULL: unknown for this reason. */
static void put_known(json_t *object, const char *key, json_t *value, const char *reason)
{
	json_put(object, key, value ? value : json_null());
	if (!value)
		json_put_reason(object, key, reason);
}

void json_put_num(json_t *object, const char *key, struct num n)
{
	put_known(object, key, n.known ? json_value__u64(n.value) : NULL, n.reason);
}

void json_put_bare(json_t *object, const char *key, struct num n)
{
	json_put(object, key, n.known ? json_value__u64(n.value) : json_null());
}

void json_put_real(json_t *object, const char *key, struct real r)
{
	put_known(object, key, r.known && isfinite(r.value) ? json_real(r.value) : NULL,
		  r.known ? "the result is not a number" : r.reason);
}

void json_put_bare_real(json_t *object, const char *key, struct real r)
{
	json_put(object, key, r.known ? json_value__real(r.value) : json_null());
}

void json_put_whole(json_t *object, const char *key, struct real r)
{
	put_known(object, key, r.known ? json_integer((json_int_t)r.value) : NULL, r.reason);
}

void json_put_flag(json_t *object, const char *key, struct flag f)
{
	put_known(object, key, f.known ? json_boolean(f.value) : NULL, f.reason);
}

void json_put_text_or(json_t *object, const char *key, const char *text, const char *reason)
{
	put_known(object, key, text && *text ? json_value__text(text) : NULL, reason);
}

const json_t *json_value__at(const json_t *o, const char *path, const json_t **parent,
			     const char **name)
{
	char key[KEY_MAX];

	for (;; path++) {
		size_t len = strcspn(path, ".");

		if (parent) {
			*parent = o;
			*name = path;
		}
		if (len >= sizeof(key)) /* no document has such a name */
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		o = json_object_get(o, key);
		path += len;
		if (!o || !*path)
			return o;
	}
}

const char *json_value__reason(const json_t *parent, const char *name)
{
	char key[KEY_MAX + sizeof("_reason")];
	const char *reason;

	snprintf(key, sizeof(key), "%s_reason", name);
	reason = json_string_value(json_object_get(parent, key));
	return reason ? reason : json_string_value(json_object_get(parent, "reason"));
}

const struct field *field__of(const struct field *fields, const char *key)
{
	const struct field *family = NULL;

	for (; fields && (fields->key || fields->stands); fields++) {
		if (fields->key && !fields->is_more && !strcmp(fields->key, key))
			return fields;
		family = fields->key ? family : fields;
	}
	return family;
}

const struct field *field__below(const struct field *field, struct field family[2])
{
	if (!field || !field->key || !field->stands)
		return field ? field->fields : NULL;
	family[0] = *field;
	family[0].key = NULL;
	family[1] = (struct field){0};
	return family;
}
