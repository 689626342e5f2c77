/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of runs; see run_conditions.h. */
#include <stdlib.h>
#include <string.h>

#include "run_conditions.h"
#include "write/json.h"

static const char *const of_environment[] = {
	"path",          "mtu",
	"ipv6",          "congestion_control",
	"paces",         "qdisc",
	"offloads",      "kernel",
	"cpu",           "cpus",
	"host",          "governor",
	"mitigations",   "virtualization",
	"receiver.host", "receiver.kernel",
	"receiver.cpu",
};

/* Of these, a property of the machine. */
static const char of_machine[] = "kernel,cpu,cpus,host,governor,mitigations,virtualization,"
				 "receiver.host,receiver.kernel,receiver.cpu";

/* Members of "settings" that a data set varies, or that do not shape the traffic. */
static const char varied[] = "mode,modes,size,sizes,threads,round,rounds,duration_s,warmup_s,"
			     "round_duration_s,messages,seed,interval_s,fingerprint,argv";

/* Settings that older results lack, and the value that these results had. */
static const char *const added[][2] = {
	{"receive", "recv"}, {"tls", "1.3"}, {"fixed_buffers", "false"}, {"uring_depth", "1"}};

/* list: names with commas between them; NULL: none. */
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

json_t *run_conditions__text(const json_t *value)
{
	const char *string = json_string_value(value);
	json_t *result;
	char *text;

	if (!value || json_is_null(value) || (string && !*string))
		return NULL;
	if (string)
		return json_string(string);
	text = json_dumps(value,
			  JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(JSON_REAL_DIGITS));
	result = json_string(text);
	free(text);
	return result;
}

static void put(json_t *o, const char *name, const json_t *value)
{
	json_t *text = run_conditions__text(value);

	if (text)
		json_object_set_new(o, name, text);
}

json_t *run_conditions__of(const json_t *conditions, const json_t *environment,
			   const json_t *fields)
{
	json_t *o = json_object(), *value;
	const json_t *parent;
	const char *name;

	put(o, "fields", fields);
	for (size_t i = 0; i < sizeof(of_environment) / sizeof(of_environment[0]); i++)
		put(o, of_environment[i],
		    json_value__at(environment, of_environment[i], &parent, &name));
	/* jansson's iterators take a mutable object and do not change it. */
	json_object_foreach((json_t *)conditions, name, value)
		if (!json_key__is_reason(name) && !is_listed(name, varied))
			put(o, name, value);
	for (size_t i = 0;
	     json_object_get(conditions, "rcvlowat") && i < sizeof(added) / sizeof(added[0]); i++)
		if (!json_object_get(o, added[i][0]))
			json_object_set_new(o, added[i][0], json_string(added[i][1]));
	return o;
}

const char *run_conditions__difference(const json_t *a, const json_t *b, const char *ignored,
				       bool of_traffic)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)a, name, value) {
		const json_t *other = json_object_get(b, name);

		if (other && !json_equal(value, other) && !is_listed(name, ignored) &&
		    !(of_traffic && is_listed(name, of_machine)))
			return name;
	}
	return NULL;
}
