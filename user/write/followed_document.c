/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a document of netiotrace follow; see followed_document.h. */
#include <jansson.h>
#include <string.h>

#include "base/printable.h"
#include "followed_document.h"
#include "json.h"

#define SCHEMA       "netiotrace.follow/1"
#define PER_BYTE_MAX 64.0 /* follow gives up at 16 copies of a byte */

static bool read_text(char *to, size_t size, const json_t *of, const char *key)
{
	const json_t *value = json_object_get(of, key);

	printable(to, size, json_is_string(value) ? json_string_value(value) : "");
	return json_is_string(value) || json_is_null(value);
}

static bool read_count(uint64_t *to, const json_t *of, const char *key)
{
	const json_t *value = json_object_get(of, key);

	*to = (uint64_t)json_integer_value(value);
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool read_real(double *to, const json_t *of, const char *key)
{
	const json_t *value = json_object_get(of, key);

	*to = json_number_value(value);
	return json_is_number(value) && *to >= 0 && *to <= PER_BYTE_MAX;
}

bool followed_document__copies_for_others(const char *function, const char *object)
{
	static const char *const names[] = {"memcpy", "memmove", "mempcpy"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(function, names[i]))
			return true;
	return !strncmp(object, "libc.so", 7) || !strncmp(function, "__mem", 5);
}

/* The first one that does not copy for others. */
static bool read_function(struct followed *f, const json_t *site)
{
	const json_t *frames = json_object_get(site, "frames"), *frame;
	char function[sizeof(f->function)], object[16];
	size_t i;

	json_array_foreach(frames, i, frame) {
		if (!read_text(function, sizeof(function), frame, "function") ||
		    !read_text(object, sizeof(object), frame, "object"))
			return false;
		if (!f->function[0] && !followed_document__copies_for_others(function, object))
			memcpy(f->function, function, sizeof(function));
	}
	return json_is_array(frames);
}

static bool read_estimate(struct followed *f, const json_t *of)
{
	if (json_is_null(json_object_get(of, "per_byte"))) {
		f->per_byte = real__unknown("too few bytes were followed");
		return read_text(f->why, sizeof(f->why), of, "reason");
	}
	f->per_byte.known = true;
	return read_real(&f->per_byte.value, of, "per_byte") && read_real(&f->low, of, "low") &&
	       read_real(&f->high, of, "high") && f->low <= f->per_byte.value &&
	       f->per_byte.value <= f->high && f->bytes;
}

static bool read_direction(struct followed *f, const json_t *of)
{
	const json_t *sites = json_object_get(of, "sites");

	return read_count(&f->bytes, of, "followed") && read_count(&f->unknown, of, "unknown") &&
	       json_is_array(sites) &&
	       (!json_array_size(sites) || read_function(f, json_array_get(sites, 0))) &&
	       read_estimate(f, of);
}

const char *followed_document__read(int fd, struct followed_document *d)
{
	json_t *document = json_document__read(fd);
	const char *schema = json_string_value(json_object_get(document, "schema"));
	const char *why = NULL;

	*d = (struct followed_document){.comm = ""};
	if (!schema || strcmp(schema, SCHEMA) != 0)
		why = "it is not a JSON document of netiotrace follow, or is truncated";
	else if (!read_text(d->comm, sizeof(d->comm), document, "comm") ||
		 !read_direction(&d->received, json_object_get(document, "received")) ||
		 !read_direction(&d->sent, json_object_get(document, "sent")))
		why = "it has the schema of netiotrace follow, but values that follow does not "
		      "write";
	if (why)
		*d = (struct followed_document){.comm = ""};
	json_decref(document);
	return why;
}
