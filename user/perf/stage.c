/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the CPU counters that BPF programs read inside stages. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/read_file.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "event.h"
#include "stage.h"

struct perf_stage {
	size_t fds_nr;
	struct perf_stage_fd {
		int fd, map;
		uint32_t cpu;
	} fds[];
};

static const struct perf_spec default_events[NIO_PERF_EVENT_NR] = {
	[NIO_PERF_CYCLES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
	[NIO_PERF_LLC_MISSES] = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CACHE_MISSES},
};

struct cpu_list {
	uint32_t cpu[CPUS_MAX];
	size_t nr;
};

static void add_cpu(unsigned int cpu, void *arg)
{
	struct cpu_list *list = arg;

	list->cpu[list->nr++] = cpu;
}

/* The events of a CPU are one group, so that they count at the same time. */
static int open_cpu(struct perf_stage *s, const struct perf_spec *events, const int *map_fds,
		    uint32_t cpu)
{
	int leader = -1, fd;

	for (int i = 0; i < NIO_PERF_EVENT_NR; i++) {
		if (map_fds[i] < 0)
			continue;
		fd = perf_event__open_cpu(&events[i], (int)cpu, true, leader);
		if (fd < 0)
			return fd;
		s->fds[s->fds_nr++] = (struct perf_stage_fd){fd, map_fds[i], cpu};
		if (leader < 0)
			leader = fd;
		if (bpf_map_update_elem(map_fds[i], &cpu, &fd, BPF_ANY))
			return -errno;
	}
	return 0;
}

int perf_stage__open(struct perf_stage **out, const struct perf_spec events[NIO_PERF_EVENT_NR],
		     const int map_fds[NIO_PERF_EVENT_NR])
{
	static struct cpu_list cpus;
	struct perf_stage *s;
	char text[512];
	int err = read_file__line("/sys/devices/system/cpu/online", text, sizeof(text));

	*out = NULL;
	cpus.nr = 0;
	if (!err)
		err = parse_cpu_list(text, CPUS_MAX, add_cpu, &cpus);
	if (err)
		return err;
	s = xcalloc(1, sizeof(*s) + cpus.nr * NIO_PERF_EVENT_NR * sizeof(*s->fds));
	for (size_t i = 0; !err && i < cpus.nr; i++)
		err = open_cpu(s, events ? events : default_events, map_fds, cpus.cpu[i]);
	if (err)
		perf_stage__close(s);
	else
		*out = s;
	return err;
}

/* A map holds its events: without the removal they would keep the counters of their CPUs. */
void perf_stage__close(struct perf_stage *s)
{
	if (!s)
		return;
	while (s->fds_nr) {
		const struct perf_stage_fd *f = &s->fds[--s->fds_nr];

		bpf_map_delete_elem(f->map, &f->cpu);
		close(f->fd);
	}
	free(s);
}
