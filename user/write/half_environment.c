/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what the receiver's machine says of itself in its half; see half_document.h. No I/O. */
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "half_internal.h"
#include "json_value.h"

/*
 * Reasons and names are static texts, and other machines give few different ones: they are kept
 * until the end, up to a limit.
 */
const char *half__keep(const char *text)
{
	static char kept[64][192];
	static unsigned int nr;
	char printed[sizeof(kept[0])];

	printable(printed, sizeof(printed), text);
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(kept[i], printed))
			return kept[i];
	if (nr == sizeof(kept) / sizeof(kept[0]))
		return "the receiver's machine gives one more reason";
	return strcpy(kept[nr++], printed);
}

const char *half__keep_reason(const char *reason)
{
	char text[192];

	snprintf(text, sizeof(text), "on the receiver's machine: %s",
		 reason ? reason : "not measured");
	return half__keep(text);
}

static struct flag flag_of(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return (struct flag){.value = json_is_true(value),
			     .known = json_is_boolean(value),
			     .reason = half__keep_reason(json_value__reason(o, key))};
}

static unsigned int small(const json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n > 0 && n < 1000000 ? (unsigned int)n : 0;
}

/* "unlimited" stays as it is. */
static struct real quota_of(const json_t *o)
{
	const json_t *value = json_object_get(o, "cpu_quota");
	const char *reason = json_value__reason(o, "cpu_quota");

	if (json_is_number(value) && json_number_value(value) > 0)
		return real__known(json_number_value(value));
	return real__unknown(reason && !strcmp(reason, QUOTA_UNLIMITED)
				     ? QUOTA_UNLIMITED
				     : half__keep_reason(reason));
}

static void read_sysctl(const json_t *o, const char *key, struct sysctl *to)
{
	const json_t *value = json_object_get(o, key);

	HALF_TEXT(to->text, o, key);
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		snprintf(to->text, sizeof(to->text), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
	to->reason = to->text[0] ? NULL : half__keep_reason(json_value__reason(o, key));
}

#define READ_SYSCTL(o, kind, key, path, unit) read_sysctl(o, #key, &env->sysctls[SYSCTL_##key]);

void half_environment__read(const json_t *o, struct environment *env)
{
	const json_t *offloads = json_object_get(o, "offloads");

	memset(env, 0, sizeof(*env));
	HALF_TEXT(env->machine.host, o, "host");
	HALF_TEXT(env->kernel, o, "kernel");
	HALF_TEXT(env->cpu, o, "cpu");
	HALF_TEXT(env->device, o, "device");
	HALF_TEXT(env->driver, o, "driver");
	HALF_TEXT(env->qdisc, o, "qdisc");
	HALF_TEXT(env->virtualization, o, "virtualization");
	HALF_TEXT(env->machine.governor, o, "governor");
	env->cpus = small(o, "cpus");
	env->mtu = small(o, "mtu");
	env->machine.numa_nodes = num_or(small(o, "numa_nodes"), small(o, "numa_nodes"),
					 half__keep_reason(json_value__reason(o, "numa_nodes")));
	env->tso = flag_of(offloads, "tso");
	env->gso = flag_of(offloads, "gso");
	env->gro = flag_of(offloads, "gro");
	env->arfs = flag_of(o, "arfs");
	HALF_TEXT(env->congestion.system, o, "system_congestion_control");
	HALF_TEXT(env->machine.mitigations, o, "mitigations");
	env->machine.mitigations_known = text_at(o, "mitigations");
	env->machine.irq_time = flag_of(o, "irq_time_accounting");
	env->machine.quota = quota_of(o);
	read_sysctl(o, "rps_cpus", &env->rps);
	SYSCTLS(READ_SYSCTL, o)
}
