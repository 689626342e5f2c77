/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was asked for, and a fingerprint of it: two results whose fingerprints differ were not made
 * the same way, so that they are not pooled or compared by mistake.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Cells of a sweep differ in these, and rounds only add to one: they are not in the fingerprint. */
static const char *const not_printed[] = {"modes", "size", "threads", "rounds"};

/* FNV-1a, 64 bits (draft-eastlake-fnv). */
static uint64_t fnv1a(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
}

static int put_fingerprint(json_t *settings)
{
	json_t *printed = json_copy_object(settings);
	char *text, hex[17];

	for (size_t i = 0; printed && i < sizeof(not_printed) / sizeof(not_printed[0]); i++)
		json_object_del(printed, not_printed[i]);
	text = json_text(printed, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	json_decref(printed);
	if (!text)
		return -1;
	snprintf(hex, sizeof(hex), "%016" PRIx64, fnv1a(text));
	free(text);
	return json_put(settings, "fingerprint", json_value__text(hex));
}

static json_t *modes_json(const struct result *r)
{
	json_t *array = json_array();
	int err = 0;

	for (size_t i = 0; i < r->modes_nr; i++)
		err |= json_array_append_new(array, json_value__text(mode__name(r->modes[i])));
	return json_finish(array, err);
}

/* What 0 stands for is not ours to say: the kernel's default. */
static json_t *or_null(uint64_t value)
{
	return value ? json_value__u64(value) : json_null();
}

static int put_amounts(json_t *o, const struct result *r)
{
	int err = 0;

	err |= json_put_u64(o, "rounds", r->rounds);
	err |= json_put(o, "round_duration_s",
			r->round_duration_ns ? json_value__real((double)r->round_duration_ns / 1e9)
					     : json_null());
	err |= json_put(o, "messages", or_null(r->messages));
	err |= json_put(o, "warmup_s", json_value__real((double)r->traffic.warmup_ns / 1e9));
	return err;
}

json_t *json_document__settings(const struct result *r)
{
	const struct traffic *t = &r->traffic;
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "modes", modes_json(r));
	err |= json_put_u64(o, "size", t->size);
	err |= json_put_u64(o, "fields", t->fields);
	err |= json_put_u64(o, "header", t->header);
	err |= json_put_u64(o, "threads", t->threads);
	err |= json_put(o, "connections", or_null(t->connections));
	err |= put_amounts(o, r);
	err |= json_put(o, "path", json_value__text(r->env.path));
	err |= json_put_u64(o, "mtu", r->env.mtu);
	err |= json_put(o, "ipv6", json_boolean(r->env.ipv6));
	err |= json_put(o, "congestion_control",
			json_value__text(congestion__name(&r->env.congestion)));
	err |= json_put(o, "sndbuf", or_null(t->sndbuf));
	err |= json_put(o, "rcvbuf", or_null(t->rcvbuf));
	err |= json_put(o, "nodelay", json_boolean(t->nodelay));
	err |= json_put(o, "rate", or_null(t->rate));
	err |= json_put(o, "request_response", json_boolean(t->request_response));
	err |= json_put(o, "spin_ns", or_null(t->spin_ns));
	err |= json_put(o, "rcvlowat", or_null(t->rcvlowat));
	err |= json_put(o, "verify", json_boolean(t->verify));
	err |= json_put(o, "cpu_sender", json_value__text(t->sender_cpus));
	err |= json_put(o, "cpu_receiver", json_value__text(t->receiver_cpus));
	err |= put_fingerprint(o);
	return json_finish(o, err);
}
