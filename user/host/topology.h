/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the list of CPUs that this process may use, with their cores and NUMA nodes. */
#ifndef NETIOTRACE_TOPOLOGY_H
#define NETIOTRACE_TOPOLOGY_H

#include "model/placement.h"

/* Reads the CPUs of our affinity into *cpus, *n of them; the caller frees *cpus. 0 or -errno. */
int topology__read(struct cpu_place **cpus, size_t *n);

#endif
