/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs this process may use, and where they are. */
#ifndef NETIOTRACE_TOPOLOGY_H
#define NETIOTRACE_TOPOLOGY_H

#include "model/placement.h"

/*
 * Reads the CPUs of the process's affinity, with their cores and NUMA nodes
 * (Documentation/admin-guide/cputopology.rst; what is not told there is a core of its own, on node
 * 0), into *cpus, *n of them; owned by the caller. 0 or -errno.
 */
int topology__read(struct cpu_place **cpus, size_t *n);

#endif
