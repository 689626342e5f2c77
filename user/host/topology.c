/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns reading CPUs, cores and NUMA nodes from affinity and sysfs; see topology.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/procfile.h"
#include "common/cpu_mask.h"
#include "topology.h"

#define CPU_DIR "/sys/devices/system/cpu/cpu%u"

/* "0,4" or "0-1": the lowest CPU identifies the core. Without sysfs data, a CPU is a core. */
static unsigned int core_of(unsigned int cpu)
{
	char path[96], line[256], *end;
	unsigned long first;

	snprintf(path, sizeof(path), CPU_DIR "/topology/thread_siblings_list", cpu);
	if (procfile__line(path, line, sizeof(line)))
		return cpu;
	first = strtoul(line, &end, 10);
	return end == line ? cpu : (unsigned int)first;
}

/* A CPU's directory has a link named after its node: "node1". */
static unsigned int node_of(unsigned int cpu)
{
	const struct dirent *entry;
	unsigned int node = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), CPU_DIR, cpu);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "node%u", &node) == 1)
			break;
	if (dir)
		closedir(dir);
	return node;
}

int topology__read(struct cpu_place **cpus, size_t *n)
{
	struct cpu_mask usable;
	size_t room = 1;

	*n = 0;
	if (sched_getaffinity(0, sizeof(usable), cpu_mask__set(&usable)))
		return -errno;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		room += cpu_mask__has(&usable, cpu);
	*cpus = calloc(room, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpu_mask__has(&usable, cpu))
			(*cpus)[(*n)++] = (struct cpu_place){cpu, core_of(cpu), node_of(cpu)};
	return 0;
}
