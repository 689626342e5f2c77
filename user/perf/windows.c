/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the CPU counters that BPF programs read inside stages. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event.h"
#include "windows.h"
#include "common/cpu_mask.h"
#include "common/units.h"

struct perf_stage {
	size_t fds_nr;
	int fds[];
};

static const struct perf_spec default_events[NIO_PERF_EVENT_NR] = {
	[NIO_PERF_CYCLES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
	[NIO_PERF_LLC_MISSES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CACHE_MISSES},
};

struct cpu_set_of {
	unsigned int cpu[CPUS_MAX];
	size_t nr;
};

static void add_cpu(unsigned int cpu, void *arg)
{
	struct cpu_set_of *set = arg;

	if (set->nr < CPUS_MAX)
		set->cpu[set->nr++] = cpu;
}

static int online_cpus(struct cpu_set_of *set)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	char text[1024];
	int err = -EIO;

	if (!f)
		return -errno;
	set->nr = 0;
	if (fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		err = parse_cpu_list(text, CPUS_MAX, add_cpu, set);
	}
	fclose(f);
	return err;
}

/* The events of a CPU are one group, so that they count at the same time. */
static int open_cpu(struct perf_stage *s, const struct perf_spec *events, const int *map_fds,
		    unsigned int cpu)
{
	int leader = -1, fd;
	uint32_t key = cpu;

	for (int i = 0; i < NIO_PERF_EVENT_NR; i++) {
		if (map_fds[i] < 0)
			continue;
		fd = perf_event__open_cpu(&events[i], (int)cpu, true, leader);
		if (fd < 0)
			return fd;
		s->fds[s->fds_nr++] = fd;
		if (leader < 0)
			leader = fd;
		if (bpf_map_update_elem(map_fds[i], &key, &fd, BPF_ANY))
			return -errno;
	}
	return 0;
}

int perf_stage__open(struct perf_stage **out, const struct perf_spec events[NIO_PERF_EVENT_NR],
		     const int map_fds[NIO_PERF_EVENT_NR])
{
	struct cpu_set_of *cpus = calloc(1, sizeof(*cpus));
	struct perf_stage *s = NULL;
	int err = cpus ? online_cpus(cpus) : -ENOMEM;

	*out = NULL;
	if (!err) {
		s = calloc(1, sizeof(*s) + cpus->nr * NIO_PERF_EVENT_NR * sizeof(*s->fds));
		err = s ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !err && i < cpus->nr; i++)
		err = open_cpu(s, events ? events : default_events, map_fds, cpus->cpu[i]);
	free(cpus);
	if (err)
		perf_stage__close(s);
	else
		*out = s;
	return err;
}

/* The maps keep the events until the maps are closed (perf_event_fd_array_release()). */
void perf_stage__close(struct perf_stage *s)
{
	if (!s)
		return;
	while (s->fds_nr)
		close(s->fds[--s->fds_nr]);
	free(s);
}
