// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters between two BPF programs on the running kernel: sends datagrams to itself and prints the
 * samples. The event is one that every kernel has (the CPU clock) instead of cycles, or cycles and,
 * instead of last-level misses, instructions.
 *
 *   perf_stage_run EVERY             windows samples discarded ns ns
 *   perf_stage_run EVERY hardware    windows samples discarded cycles instructions
 *   perf_stage_run refused           events left in the maps after the second event is refused
 *   perf_stage_run perfmon           1: CAP_PERFMON alone counts as permission for perf events
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <cap-ng.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perf_stage.skel.h"
#include "user/perf/event.h"
#include "perf/event.h"

#define DATAGRAMS 2000

static int send_datagrams(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), i;
	char buf[64] = "";

	if (fd < 0 || bind(fd, (void *)&to, sizeof(to)) || getsockname(fd, (void *)&to, &len))
		return -1;
	for (i = 0; i < DATAGRAMS; i++)
		if (sendto(fd, buf, sizeof(buf), 0, (void *)&to, sizeof(to)) < 0 ||
		    recv(fd, buf, sizeof(buf), 0) < 0)
			return -1;
	return close(fd);
}

static int print_cells(struct perf_stage_bpf *o)
{
	struct nio_perf_cell sum = {0}, cell;

	for (__u32 c = 0; c < (__u32)libbpf_num_possible_cpus(); c++) {
		__u32 i = c * NIO_PERF_WINDOW_NR + NIO_PERF_RX_COPY;

		if (bpf_map_lookup_elem(bpf_map__fd(o->maps.nio_perf_cells), &i, &cell))
			return -1;
		sum.windows += cell.windows;
		sum.samples += cell.samples;
		sum.moved += cell.moved + cell.multiplexed + cell.unread;
		sum.counts[0] += cell.counts[0];
		sum.counts[1] += cell.counts[1];
	}
	printf("%llu %llu %llu %llu %llu\n", sum.windows, sum.samples, sum.moved, sum.counts[0],
	       sum.counts[1]);
	return 0;
}

/* A failed opening must leave no event in the maps: it would occupy a counter of its CPU. */
static int print_left_over(struct perf_stage_bpf *o)
{
	static const struct perf_spec second_is_none[NIO_PERF_EVENT_NR] = {
		{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK},
		{.type = PERF_TYPE_SOFTWARE, .config = 0xffff},
	};
	const int maps[NIO_PERF_EVENT_NR] = {
		[NIO_PERF_CYCLES] = bpf_map__fd(o->maps.nio_perf_cycles),
		[NIO_PERF_LLC_MISSES] = bpf_map__fd(o->maps.nio_perf_llc),
	};
	struct perf_stage *stage = NULL;
	int left = 0;

	if (!perf_stage__open(&stage, second_is_none, maps)) {
		perf_stage__close(stage);
		return -1;
	}
	/* -ENOENT: the map has no such event. */
	for (int m = 0; m < NIO_PERF_EVENT_NR; m++)
		for (__u32 cpu = 0; cpu < (__u32)libbpf_num_possible_cpus(); cpu++)
			left += !bpf_map_delete_elem(maps[m], &cpu);
	printf("%d\n", left);
	return 0;
}

static int print_permission(void)
{
	struct perf_facts facts = {0};
	struct perf_plan plan;

	capng_clear(CAPNG_SELECT_CAPS);
	if (capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, CAP_PERFMON) ||
	    capng_apply(CAPNG_SELECT_CAPS))
		return -1;
	perf_plan__init(&plan, NULL, 0);
	perf_event__probe(&plan, &facts);
	printf("%d\n", facts.may_perf);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct perf_spec clocks[NIO_PERF_EVENT_NR] = {
		{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK},
		{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK},
	};
	static const struct perf_spec hardware[NIO_PERF_EVENT_NR] = {
		{.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
		{.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
	};
	struct perf_stage_bpf *o = perf_stage_bpf__open();
	struct perf_stage *stage = NULL;
	int maps[NIO_PERF_EVENT_NR], err;

	if (argc < 2 || argc > 3 || !o)
		return 2;
	if (!strcmp(argv[1], "perfmon"))
		return print_permission() ? 1 : 0;
	o->rodata->nio_perf_every = (unsigned int)atoi(argv[1]);
	err = bpf_map__set_max_entries(o->maps.nio_perf_cells,
				       NIO_PERF_WINDOW_NR * (__u32)libbpf_num_possible_cpus());
	if (!err)
		err = perf_stage_bpf__load(o);
	if (!err && !strcmp(argv[1], "refused")) {
		err = print_left_over(o);
		perf_stage_bpf__destroy(o);
		return err ? 1 : 0;
	}
	if (!err) {
		maps[NIO_PERF_CYCLES] = bpf_map__fd(o->maps.nio_perf_cycles);
		maps[NIO_PERF_LLC_MISSES] = bpf_map__fd(o->maps.nio_perf_llc);
		err = perf_stage__open(&stage, argc == 3 ? hardware : clocks, maps);
	}
	if (!err)
		err = perf_stage_bpf__attach(o);
	if (!err)
		err = send_datagrams();
	if (!err)
		err = print_cells(o);
	if (err)
		fprintf(stderr, "perf_stage_run: %s\n", strerror(err < 0 ? -err : err));
	perf_stage__close(stage);
	perf_stage_bpf__destroy(o);
	return err ? 1 : 0;
}
