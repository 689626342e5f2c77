/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of runs; see settings.h. */
#include <stdlib.h>
#include <string.h>

#include "settings.h"
#include "write/json.h"

static const char *const of_environment[] = {
	"path",        "mtu",
	"ipv6",        "congestion_control",
	"paces",       "qdisc",
	"offloads",    "kernel",
	"cpu",         "cpus",
	"host",        "governor",
	"mitigations", "virtualization",
};

static const char *const of_machine[] = {"kernel",   "cpu",         "cpus",          "host",
					 "governor", "mitigations", "virtualization"};

/* Members of "settings" that a data set varies, or that do not shape the traffic. */
static const char *const varied[] = {
	"mode",     "modes",  "size",       "sizes",       "threads",
	"round",    "rounds", "duration_s", "warmup_s",    "round_duration_s",
	"messages", "seed",   "interval_s", "fingerprint", "argv"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_among(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

bool settings__is_of_machine(const char *name)
{
	return is_among(name, of_machine, COUNT(of_machine));
}

/* Is there anything to compare? */
static bool is_said(const json_t *value)
{
	return value && !json_is_null(value) &&
	       !(json_is_string(value) && !*json_string_value(value));
}

static json_t *as_text(const json_t *value)
{
	char *text;
	json_t *result;

	if (json_is_string(value))
		return json_string(json_string_value(value));
	text = json_dumps(value,
			  JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	result = json_string(text);
	free(text);
	return result;
}

static void put(json_t *o, const char *name, const json_t *value)
{
	if (is_said(value))
		json_object_set_new(o, name, as_text(value));
}

json_t *settings__of(const json_t *settings, const json_t *environment, const json_t *fields)
{
	json_t *o = json_object(), *value;
	const char *name;

	put(o, "fields", fields);
	for (size_t i = 0; i < COUNT(of_environment); i++)
		put(o, of_environment[i], json_object_get(environment, of_environment[i]));
	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)settings, name, value)
		if (!json_key__is_reason(name) && !is_among(name, varied, COUNT(varied)))
			put(o, name, value);
	return o;
}

static bool is_listed(const char *name, const char *list)
{
	size_t len = strlen(name), n;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == len && !strncmp(list, name, n))
			return true;
	}
	return false;
}

bool settings__differs(const char *name, const json_t *value, const json_t *b, const char *ignored)
{
	const json_t *other = json_object_get(b, name);

	return other && !json_equal(value, other) && !is_listed(name, ignored);
}

const char *settings__difference(const json_t *a, const json_t *b, const char *ignored)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)a, name, value)
		if (settings__differs(name, value, b, ignored))
			return name;
	return NULL;
}
