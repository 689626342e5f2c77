/* SPDX-License-Identifier: GPL-2.0-only */
/* PMU events like "cpu/event=0xd1/", by formats and aliases in sysfs. For names.c. */
#ifndef NETIOTRACE_PMU_EVENT_H
#define NETIOTRACE_PMU_EVENT_H

#include "names.h"

/* name must contain a slash. 0; -EINVAL with a sentence in message. */
int pmu_event__find(const char *name, const struct perf_lookup *lookup, struct perf_spec *out,
		    char *message, size_t len);

/* All of text must be a number without sign; base as of strtoull(). */
bool perf_parse_number(const char *text, int base, uint64_t *out);

/* Formats the sentence into message. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int perf_refuse(char *message, size_t len, const char *fmt,
						      ...);

#endif
