/* SPDX-License-Identifier: GPL-2.0-only */
/* The sampled CPU time of attach as JSON: docs/OUTPUT.md, "What attach writes". New references. */
#ifndef NETIOTRACE_ATTACH_CPU_JSON_H
#define NETIOTRACE_ATTACH_CPU_JSON_H

#include "findings.h"

/* "sampling" of the document: how samples were come by. */
json_t *json_cpu_sampling(const struct cpu_found *found);

/* "cpu" of a process, or of all: shares with their intervals. */
json_t *json_cpu_split(const struct findings *r, const struct cpu_split *cpu);

#endif
