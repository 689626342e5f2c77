/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine, kernel and path of a result document; docs/OUTPUT.md describes every field. */
#include <string.h>

#include "json.h"

/* Text of the environment is empty, and a count 0, when it could not be read. */
static const char unreadable[] = "could not be read";

static int put_read_text(json_t *o, const char *key, const char *text)
{
	if (*text)
		return json_put(o, key, json_value__text(text));
	return json_put(o, key, json_null()) + json_put_reason(o, key, unreadable);
}

static int put_read_count(json_t *o, const char *key, unsigned int n)
{
	return json_put_num(o, key, (struct num){.value = n, .known = n, .reason = unreadable});
}

static int put_limit(json_t *o, const char *key, struct num n)
{
	if (n.known && n.value == UINT64_MAX)
		n = (struct num){.reason = "unlimited"};
	return json_put_num(o, key, n);
}

static int put_flag(json_t *o, const char *key, struct flag f)
{
	if (f.known)
		return json_put(o, key, json_boolean(f.value));
	return json_put(o, key, json_null()) + json_put_reason(o, key, f.reason);
}

static const char *side_of(const struct tap *t)
{
	return t->elsewhere               ? "elsewhere"
	       : t->sender && t->receiver ? "both"
	       : t->receiver              ? "receiver"
					  : "sender";
}

static json_t *tap_json(const struct tap *t)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "device", json_value__text(t->device[0] ? t->device : "*"));
	err |= json_put(o, "side", json_value__text(side_of(t)));
	err |= json_put(o, "process", t->process[0] ? json_value__text(t->process) : json_null());
	err |= json_put_num(o, "pid", t->pid);
	err |= json_put(o, "function",
			t->function[0] ? json_value__text(t->function) : json_null());
	err |= json_put(o, "at_start", json_boolean(t->at_start));
	err |= json_put(o, "at_end", json_boolean(t->open));
	return json_finish(o, err);
}

/* The list is a list even when nothing is known, so that it never becomes a column of CSV. */
static int put_taps(json_t *o, const struct taps *taps)
{
	json_t *list = json_array();
	struct num n = {
		.value = taps->nr + taps->more, .known = taps->known, .reason = taps->reason};
	int err = json_put_num(o, "packet_taps", n);

	for (unsigned int i = 0; i < taps->nr; i++)
		err |= json_array_append_new(list, tap_json(&taps->list[i]));
	return err | json_put(o, "taps", list);
}

static json_t *offloads_json(const struct environment *env)
{
	json_t *o = json_object();
	int err = 0;

	err |= put_flag(o, "tso", env->tso);
	err |= put_flag(o, "gso", env->gso);
	err |= put_flag(o, "gro", env->gro);
	return json_finish(o, err);
}

static const char *const congestion_choices[] = {
	[CONGESTION_SYSTEM] = "system",
	[CONGESTION_ASKED] = "asked",
	[CONGESTION_UNPACED] = "unpaced",
};

static int put_congestion(json_t *o, const struct congestion *c)
{
	int err = 0;

	err |= put_read_text(o, "congestion_control", congestion__name(c));
	err |= put_flag(o, "paces", congestion__paces(congestion__name(c)));
	err |= put_read_text(o, "system_congestion_control", c->system);
	err |= json_put(o, "congestion_choice", json_value__text(congestion_choices[c->choice]));
	return err;
}

static int put_named(json_t *o, const char *key, const char *text, const char *without)
{
	if (*text)
		return json_put(o, key, json_value__text(text));
	return json_put(o, key, json_null()) + json_put_reason(o, key, without);
}

static int put_machine(json_t *o, const struct machine *m)
{
	int err = 0;

	err |= put_named(o, "preemption", m->preemption ? m->preemption : "",
			 "neither debugfs nor the kernel's version and configuration tell it");
	err |= put_named(o, "governor", m->governor, "the CPUs' frequency has no governor here");
	err |= put_named(o, "huge_pages", m->huge_pages,
			 "this kernel has no transparent huge pages");
	if (m->mitigations_known)
		err |= json_put(o, "mitigations", json_value__text(m->mitigations));
	else
		err |= put_read_text(o, "mitigations", "");
	err |= json_put_num(o, "numa_nodes", m->numa_nodes);
	err |= json_put_real(o, "load_average", m->load);
	err |= json_put_real(o, "cpu_steal", m->steal);
	return err;
}

json_t *json_document__environment(const struct environment *env)
{
	json_t *o = json_object();
	int err = 0;

	err |= put_read_text(o, "host", env->machine.host);
	err |= put_read_text(o, "started", env->machine.started);
	err |= put_read_text(o, "kernel", env->kernel);
	err |= put_read_text(o, "cpu", env->cpu);
	err |= put_read_count(o, "cpus", env->cpus);
	err |= put_read_text(o, "path", env->path);
	err |= put_read_text(o, "device", env->device);
	err |= put_read_count(o, "mtu", env->mtu);
	err |= put_flag(o, "device_scatter_gather", env->device_scatter_gather);
	err |= put_flag(o, "device_tx_checksum", env->device_tx_checksum);
	err |= json_put(o, "offloads", offloads_json(env));
	err |= put_read_text(o, "qdisc", env->qdisc);
	err |= put_congestion(o, &env->congestion);
	err |= put_taps(o, &env->taps);
	err |= json_put(o, "ipv6", json_boolean(env->ipv6));
	err |= put_read_text(o, "clocksource", env->clocksource);
	err |= json_put_num(o, "optmem_max", env->optmem_max);
	err |= put_limit(o, "memlock", env->memlock);
	err |= put_read_text(o, "virtualization", env->virtualization);
	err |= put_read_text(o, "lockdown", env->lockdown);
	err |= put_machine(o, &env->machine);
	return json_finish(o, err);
}

static const char *const passing[] = {
	"started",          "load_average", "load_average_reason", "cpu_steal",
	"cpu_steal_reason", "packet_taps",  "packet_taps_reason",  "taps"};
#define PASSING_NR (sizeof(passing) / sizeof(passing[0]))

bool json_environment__passes(const char *key)
{
	size_t i = 0;

	while (i < PASSING_NR && strcmp(key, passing[i]))
		i++;
	return i < PASSING_NR;
}

json_t *json_environment__steady(const json_t *environment)
{
	json_t *steady = json_copy_object(environment);

	for (size_t i = 0; steady && i < PASSING_NR; i++)
		json_object_del(steady, passing[i]);
	return steady;
}
