/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the names of performance events as perf(1) spells them:
 *
 *   cycles, cache-misses, context-switches, LLC-load-misses    the kernel's own names
 *   r01c2                                                      a raw code of the CPU, hexadecimal
 *   cpu/event=0xd1,umask=0x20/, cpu/cache-misses/              of a PMU, by fields or by alias
 *   sched:sched_switch                                         a tracepoint
 *
 * A name may end in ":u" (user mode only), ":k" (kernel only) or ":uk".
 */
#ifndef PERF_NAMES_H
#define PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_NAME_MAX 96

/* An event, with the members of struct perf_event_attr. */
struct perf_spec {
	char name[PERF_NAME_MAX];
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel;
};

/* Looks up events of the running kernel. Both return 0 or -errno. */
struct perf_lookup {
	/* /sys/bus/event_source/devices/PMU/FILE, like "type", "format/umask", "events/x". */
	int (*pmu)(const char *pmu, const char *file, char *text, size_t len);
	int (*tracepoint)(const char *system, const char *name, uint64_t *id);
};

extern const struct perf_lookup perf_lookup_sysfs; /* the files of sysfs and tracefs */

/* Parses one event. 0; -EINVAL with a sentence in message. */
int perf_names__parse(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		      char *message, size_t len);

/* Parses a list, separated by commas outside slashes. Errors as of perf_names__parse(). */
int perf_names__parse_list(const char *list, const struct perf_lookup *lookup,
			   struct perf_spec *specs, size_t max, size_t *nr, char *message,
			   size_t len);

/* Whether the event needs a counter of a PMU. */
bool perf_spec__is_hardware(const struct perf_spec *spec);

/* The PMU of a group: 0 software, PERF_PMU_CPU the CPU's, else the type of another (msr). */
#define PERF_PMU_CPU 4 /* PERF_TYPE_RAW, also the type of x86's PMU "cpu" */
unsigned int perf_spec__pmu(const struct perf_spec *spec);

#endif
