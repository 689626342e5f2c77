/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of performance events as perf(1) spells them, and what they are to perf_event_open(2):
 *
 *   cycles, cache-misses, context-switches, LLC-load-misses    the kernel's own names
 *   r01c2                                                      a raw code of the CPU, hexadecimal
 *   cpu/event=0xd1,umask=0x20/, cpu/cache-misses/              of a PMU, by fields or by alias
 *   sched:sched_switch                                         a tracepoint
 *
 * each with ":u" (in user mode only), ":k" (in the kernel only) or both behind it. Pure: what only
 * this machine knows (PMUs, tracepoints) is asked for through struct perf_lookup.
 */
#ifndef NETIOTRACE_PERF_NAMES_H
#define NETIOTRACE_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_NAME_MAX 96

/* An event, in the words of struct perf_event_attr. */
struct perf_spec {
	char name[PERF_NAME_MAX];
	uint32_t type;
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel;
};

/* What the running kernel knows. Both fill what they are given and return 0 or -errno. */
struct perf_lookup {
	/* The text of /sys/bus/event_source/devices/PMU/FILE: "type", "format/umask", "events/x".
	 */
	int (*pmu)(const char *pmu, const char *file, char *text, size_t len);
	/* The id of a tracepoint. */
	int (*tracepoint)(const char *system, const char *name, uint64_t *id);
};

extern const struct perf_lookup perf_lookup_sysfs; /* sysfs.c */

/*
 * One event. 0; -EINVAL with a sentence in message when there is no such event, or its name cannot
 * be read.
 */
int perf_names__parse(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		      char *message, size_t len);

/*
 * A list of events, apart by commas (not those between slashes). Fills up to max specs and *nr.
 * Errors as above.
 */
int perf_names__parse_list(const char *list, const struct perf_lookup *lookup,
			   struct perf_spec *specs, size_t max, size_t *nr, char *message,
			   size_t len);

/* Uses up registers of a PMU: all but software events and tracepoints. */
bool perf_spec__is_hardware(const struct perf_spec *spec);

/*
 * Events of which pmu can be in one group: 0 software, PERF_PMU_CPU the CPU's own, else the number
 * of another PMU ("msr"), which has registers of its own.
 */
#define PERF_PMU_CPU 4 /* PERF_TYPE_RAW, which is also x86's "cpu" */
unsigned int perf_spec__pmu(const struct perf_spec *spec);

#endif
