/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a document of netiotrace follow; see followed_document.h. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/printable.h"
#include "followed_document.h"

#define SCHEMA "netiotrace.follow/1"

static void take_text(char *to, size_t size, const json_t *value)
{
	const char *text = json_string_value(value);

	printable(to, size, text ? text : "");
}

static uint64_t number(const json_t *of, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(of, key));

	return n > 0 ? (uint64_t)n : 0;
}

/* The C library copies for others. */
static void take_function(struct followed *f, const json_t *site)
{
	const json_t *frames = json_object_get(site, "frames"), *frame;
	size_t i;

	json_array_foreach(frames, i, frame) {
		const char *object = json_string_value(json_object_get(frame, "object"));
		const char *function = json_string_value(json_object_get(frame, "function"));

		if (!function || (object && !strncmp(object, "libc.so", 7)))
			continue;
		printable(f->function, sizeof(f->function), function);
		return;
	}
}

static void take_direction(struct followed *f, const json_t *of)
{
	const json_t *per_byte = json_object_get(of, "per_byte");

	f->bytes = number(of, "followed");
	f->unknown = number(of, "unknown");
	take_function(f, json_array_get(json_object_get(of, "sites"), 0));
	if (json_is_number(per_byte)) {
		f->per_byte = real__known(json_number_value(per_byte));
		f->low = json_number_value(json_object_get(of, "low"));
		f->high = json_number_value(json_object_get(of, "high"));
		return;
	}
	f->per_byte = real__unknown("too few bytes were followed");
	take_text(f->why, sizeof(f->why), json_object_get(of, "reason"));
}

int followed_document__read(FILE *f, struct followed_document *d)
{
	json_t *document = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	const char *schema = json_string_value(json_object_get(document, "schema"));
	bool ours = schema && !strcmp(schema, SCHEMA);

	*d = (struct followed_document){.comm = ""};
	if (ours) {
		take_text(d->comm, sizeof(d->comm), json_object_get(document, "comm"));
		take_direction(&d->received, json_object_get(document, "received"));
		take_direction(&d->sent, json_object_get(document, "sent"));
	}
	json_decref(document);
	return ours ? 0 : -EINVAL;
}
