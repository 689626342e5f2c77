/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a PMU, "cpu/event=0xd1,umask=0x20/", by what the kernel says of the PMU's fields and
 * aliases in /sys/bus/event_source/devices. For names.c.
 */
#ifndef NETIOTRACE_PMU_EVENT_H
#define NETIOTRACE_PMU_EVENT_H

#include "names.h"

/* name has a slash. 0, or -EINVAL with a sentence in message. */
int pmu_event__find(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		    char *message, size_t len);

/* A whole number, all of text; base as of strtoull(). */
bool perf_parse_number(const char *text, int base, uint64_t *out);

/* Writes the sentence; returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int perf_refuse(char *message, size_t len, const char *fmt,
						      ...);

#endif
