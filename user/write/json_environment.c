/* SPDX-License-Identifier: GPL-2.0-only */
/* Machine, kernel, path and options of a document: docs/reference/run.md, "Environment" and
 * "Settings". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/read_file.h"
#include "common/units.h"
#include "field.h"
#include "json.h"
#include "model/remote.h"

/* Text of the environment is empty, and a count 0, when it could not be read. */
static const char unreadable[] = "could not be read";

static struct num if_read(unsigned int n)
{
	return num_or(n, n, unreadable);
}

static struct num limit(struct num n)
{
	return n.value == UINT64_MAX ? num_or(false, 0, n.known ? "unlimited" : n.reason) : n;
}

static const char *side_of(const struct tap *t)
{
	return t->elsewhere               ? "elsewhere"
	       : t->sender && t->receiver ? "both"
	       : t->receiver              ? "receiver"
					  : "sender";
}

static const struct environment nothing;

static struct flag flag_or(struct flag f, const char *why)
{
	return (struct flag){f.value, f.known, f.reason ? f.reason : why};
}

static struct real quota_or(struct real quota, const char *why)
{
	return (struct real){quota.value, quota.known, quota.reason ? quota.reason : why};
}

static struct real in_seconds(struct num ns)
{
	return (struct real){(double)ns.value / 1e9, ns.known, ns.reason};
}

static const char *no_receiver(const struct environment *e)
{
	if (e->receiver)
		return "could not be read on the receiver's machine";
	if (strcmp(e->path, "remote"))
		return "this is no run between two machines";
	return REMOTE_REASON ", which said nothing of itself: netio-loadgen, an older "
			     "netiotrace serve, or a run that ended early";
}

static const char *const congestion_choices[] = {
	[CONGESTION_SYSTEM] = "system",
	[CONGESTION_ASKED] = "asked",
	[CONGESTION_UNPACED] = "unpaced",
};

/* No mitigation in force is known, and is not the same as an unreadable list. */
static void json_put_mitigations(json_t *o, const char *key, const struct machine *m,
				 const char *why)
{
	if (m->mitigations_known)
		json_put(o, key, json_value__text(m->mitigations));
	else
		json_put_text_or(o, key, NULL, why);
}

static void json_put_sysctl_text(json_t *o, const char *key, const struct sysctl *s,
				 const char *why)
{
	json_put_text_or(o, key, s->text, s->reason ? s->reason : why);
}

static void json_put_sysctl_num(json_t *o, const char *key, const struct sysctl *s, const char *why)
{
	const char *reason = s->text[0] ? "is not a number" : s->reason ? s->reason : why;
	uint64_t n = 0;
	bool known = !parse_count(s->text, 0, UINT64_MAX, &n);

	json_put_num(o, key, num_or(known, n, reason));
}

/* clang-format off */
#define FIELD_ROW_mitigations(key, unit, ...) FIELD_ROW_VALUE(key, unit)
#define FIELD_PUT_mitigations(key, unit, ...) json_put_mitigations(o, key, __VA_ARGS__);

#define FIELD_ROW_sysctl_text(key, unit, ...) FIELD_ROW_VALUE(key, unit)
#define FIELD_PUT_sysctl_text(key, unit, ...) json_put_sysctl_text(o, key, __VA_ARGS__);
#define FIELD_ROW_sysctl_num(key, unit, ...)  FIELD_ROW_VALUE(key, unit)
#define FIELD_PUT_sysctl_num(key, unit, ...)  json_put_sysctl_num(o, key, __VA_ARGS__);
#define SYSCTL_FIELD(X, why, kind, key, path, unit) \
	X(sysctl_##kind, #key, unit, &e->sysctls[SYSCTL_##key], why)

#define TAP_FIELDS(X)                                                        \
	X(text, "device",   "text",       t->device[0] ? t->device : "*")    \
	X(text, "side",     "text",       side_of(t))                        \
	X(text, "process",  "text",       t->process[0] ? t->process : NULL) \
	X(num,  "pid",      "",           t->pid)                            \
	X(text, "function", "text",       t->function[0] ? t->function : NULL) \
	X(bool, "at_start", "true/false", t->at_start)                       \
	X(bool, "at_end",   "true/false", t->open)
FIELDS(tap, (const struct tap *t), TAP_FIELDS)

#define OFFLOADS_FIELDS(X)                                                   \
	X(flag, "tso", "true/false", e->tso)                                 \
	X(flag, "gso", "true/false", e->gso)                                 \
	X(flag, "gro", "true/false", e->gro)
FIELDS(offloads, (const struct environment *e), OFFLOADS_FIELDS)

/* The receiver's machine. why: the reason for what is unknown. */
#define RECEIVER_FIELDS(X)                                                             \
	X(text_or, "host",           "text",  e->machine.host, why)                    \
	X(text_or, "kernel",         "text",  e->kernel, why)                          \
	X(text_or, "cpu",            "text",  e->cpu, why)                             \
	X(num,     "cpus",           "count", num_or(e->cpus, e->cpus, why))           \
	X(text_or, "device",         "text",  e->device, why)                          \
	X(text_or, "driver",         "text",  e->driver, why)                          \
	X(num,     "mtu",            "bytes", num_or(e->mtu, e->mtu, why))             \
	X(flag,    "tso",            "true/false", flag_or(e->tso, why))               \
	X(flag,    "gso",            "true/false", flag_or(e->gso, why))               \
	X(flag,    "gro",            "true/false", flag_or(e->gro, why))               \
	X(flag,    "arfs",           "true/false", flag_or(e->arfs, why))              \
	X(text_or, "qdisc",          "text",  e->qdisc, why)                           \
	X(text_or, "virtualization", "text",  e->virtualization, why)                  \
	X(text_or, "governor",       "text",  e->machine.governor, why)                \
	X(text_or, "system_congestion_control", "text", e->congestion.system, why)     \
	X(mitigations, "mitigations", "text", &e->machine, why)                        \
	X(flag,    "irq_time_accounting", "true/false", flag_or(e->machine.irq_time, why)) \
	X(real,    "cpu_quota",      "CPUs",  quota_or(e->machine.quota, why))         \
	X(sysctl_text, "rps_cpus",   "text",  &e->rps, why)                            \
	SYSCTLS(SYSCTL_FIELD, X, why)
FIELDS(receiver, (const struct environment *e, const char *why), RECEIVER_FIELDS)

#define ENVIRONMENT_FIELDS(X)                                                                   \
	X(text_or, "host",                  "text",       e->machine.host, unreadable)          \
	X(text_or, "started",               "text",       e->machine.started, unreadable)       \
	X(text_or, "kernel",                "text",       e->kernel, unreadable)                \
	X(text_or, "cpu",                   "text",       e->cpu, unreadable)                   \
	X(num,     "cpus",                  "count",      if_read(e->cpus))                     \
	X(text_or, "path",                  "text",       e->path, unreadable)                  \
	X(text_or, "device",                "text",       e->device, unreadable)                \
	X(text_or, "driver",                "text",       e->driver, unreadable)                \
	X(num,     "mtu",                   "bytes",      if_read(e->mtu))                      \
	X(flag,    "device_scatter_gather", "true/false", e->device_scatter_gather)             \
	X(flag,    "device_tx_checksum",    "true/false", e->device_tx_checksum)                \
	X(object,  "offloads",              offloads, e)                                        \
	X(flag,    "arfs",                  "true/false", e->arfs)                              \
	X(text_or, "qdisc",                 "text",       e->qdisc, unreadable)                 \
	X(text_or, "congestion_control",    "text",       congestion__name(&e->congestion), unreadable) \
	X(flag,    "paces",                 "true/false", congestion__paces(congestion__name(&e->congestion))) \
	X(text_or, "system_congestion_control", "text",   e->congestion.system, unreadable)     \
	X(text,    "congestion_choice",     "text",       congestion_choices[e->congestion.choice]) \
	X(num,     "packet_taps",           "count",                                              \
	  num_or(e->taps.known, e->taps.nr + e->taps.more, e->taps.reason))                     \
	X(list,    "taps",                  tap, e->taps.nr, &e->taps.list[i])                  \
	X(bool,    "ipv6",                  "true/false", e->ipv6)                              \
	X(text_or, "clocksource",           "text",       e->clocksource, unreadable)           \
	X(num,     "optmem_max",            "bytes",      e->optmem_max)                        \
	X(num,     "memlock",               "bytes",      limit(e->memlock))                    \
	X(text_or, "virtualization",        "text",       e->virtualization, unreadable)        \
	X(text_or, "lockdown",              "text",       e->lockdown, unreadable)              \
	X(text_or, "preemption",            "text",       e->machine.preemption,                \
	  "neither debugfs nor the kernel's version and configuration show it")                 \
	X(text_or, "governor",              "text",       e->machine.governor,                  \
	  "the CPUs' frequency has no governor here")                                           \
	X(text_or, "huge_pages",            "text",       e->machine.huge_pages,                \
	  "this kernel has no transparent huge pages")                                          \
	X(mitigations, "mitigations",       "text",       &e->machine, unreadable)              \
	X(num,     "numa_nodes",            "count",      e->machine.numa_nodes)                \
	X(text_or, "caches",                "text",       e->machine.caches, unreadable)        \
	X(num,     "memory",                "bytes",      e->machine.memory)                    \
	X(real,    "load_average",          "",           e->machine.load)                      \
	X(real,    "cpu_steal",             "0 to 1",     e->machine.steal)                     \
	X(object,  "receiver",              receiver, e->receiver ? e->receiver : &nothing, no_receiver(e)) \
	X(real,    "load_average_end",      "",           e->machine.load_end)                  \
	X(real,    "cpu_others",            "0 to 1",     e->machine.others)                    \
	X(flag,    "irq_time_accounting",   "true/false", e->machine.irq_time)                  \
	X(real,    "cpu_quota",             "CPUs",       e->machine.quota)                     \
	X(num,     "cpu_periods",           "count",      e->machine.throttling.periods)        \
	X(num,     "cpu_throttled_periods", "count",      e->machine.throttling.throttled)      \
	X(real,    "cpu_throttled_s",       "s",          in_seconds(e->machine.throttling.ns)) \
	X(sysctl_text, "rps_cpus",          "text",       &e->rps, unreadable)                  \
	SYSCTLS(SYSCTL_FIELD, X, unreadable)
DOCUMENT_FIELDS(environment, (const struct environment *e), ENVIRONMENT_FIELDS)
/* clang-format on */

/* The kernel computes tcp_mem from the memory that is free at boot. */
static const char *const passing[] = {"started",
				      "load_average",
				      "load_average_end",
				      "cpu_steal",
				      "cpu_others",
				      "cpu_periods",
				      "cpu_throttled_periods",
				      "cpu_throttled_s",
				      "packet_taps",
				      "taps",
				      "memory",
				      "tcp_mem"};
#define PASSING_NR (sizeof(passing) / sizeof(passing[0]))

json_t *json_environment__steady(const json_t *environment)
{
	json_t *steady = json_copy((json_t *)environment);

	for (size_t i = 0; i < PASSING_NR; i++) {
		char reason[64];

		snprintf(reason, sizeof(reason), "%s_reason", passing[i]);
		json_object_del(steady, passing[i]);
		json_object_del(steady, reason);
	}
	return steady;
}

/* Cells of a sweep differ in these, and rounds only add to one: they are not in the fingerprint. */
static const char *const not_printed[] = {"modes", "size", "threads", "rounds"};

/* Results with different fingerprints were made differently and are not pooled. */
static json_t *fingerprint(json_t *settings)
{
	json_t *printed = json_copy(settings);
	char *text;
	json_t *hex;

	for (size_t i = 0; i < sizeof(not_printed) / sizeof(not_printed[0]); i++)
		json_object_del(printed, not_printed[i]);
	text = json_dumps(printed, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	hex = json_sprintf("%016" PRIx64, text__hash(text));
	free(text);
	json_decref(printed);
	return hex;
}

static json_t *modes_json(const struct result *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->modes_nr; i++)
		json_array_append_new(array, json_value__text(mode__name(r->modes[i])));
	return array;
}

/* clang-format off */
#define WORKLOAD_FIELD(X, member, kind, name, arg, use, needs, min, max, range, json, ...) \
	WORKLOAD_FIELD_##json(X, t->member, __VA_ARGS__)
#define WORKLOAD_FIELD_none(...)
#define WORKLOAD_FIELD_u64(X, value, key, unit, help)     X(u64, key, unit, value)
#define WORKLOAD_FIELD_or_null(X, value, key, unit, help) X(or_null, key, unit, value)
#define WORKLOAD_FIELD_flag(X, value, key, unit, help)    X(bool, key, unit, value)
#define WORKLOAD_FIELD_text(X, value, key, unit, help)    X(text, key, unit, value)
#define WORKLOAD_FIELD_way(X, value, key, unit, help)     X(text, key, unit, receive__name(value))
#define WORKLOAD_FIELD_tls(X, value, key, unit, help)     X(text, key, unit, workload__tls_name(value))
/* 0 means the kernel's default or no limit: null. */
#define SETTINGS_FIELDS(X)                                                                      \
	X(json,      "modes",              "list of text", modes_json(r))                       \
	WORKLOAD_OPTIONS(WORKLOAD_FIELD, X)                                                     \
	X(bare_real, "round_duration_s",   "s",          real_if(r->round_duration_ns, (double)r->round_duration_ns / 1e9)) \
	X(bare_real, "warmup_s",           "s",          real_if(true, (double)t->warmup_ns / 1e9))        \
	X(text,      "path",               "text",       r->env.path)                           \
	X(u64,       "mtu",                "bytes",      r->env.mtu)                            \
	X(bool,      "ipv6",               "true/false", r->env.ipv6)                           \
	X(text,      "congestion_control", "text",       congestion__name(&r->env.congestion))  \
	X(json,      "fingerprint",        "text",       fingerprint(o))
DOCUMENT_FIELDS(settings, (const struct result *r, const struct workload *t), SETTINGS_FIELDS)
/* clang-format on */
