// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts the sampler once for each argument, on a simulated machine with cycles (the CPU clock
 * replaces them) that refuses them with this error. Prints the event that it samples by, and the
 * reason:
 *
 *   sampler_run [packets] ERRNO...      0: not refused
 *
 * packets: the kernel refuses the programs that see packets.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/sampler.h"
#include "model/cpu_time.h"
#include "perf/event.h"

static int refusal;

int __real_perf_event__open_sampling(bool cycles, unsigned int hz, int cpu);
int __wrap_perf_event__open_sampling(bool cycles, unsigned int hz, int cpu);

int __wrap_perf_event__open_sampling(bool cycles, unsigned int hz, int cpu)
{
	return cycles && refusal ? refusal : __real_perf_event__open_sampling(false, hz, cpu);
}

static bool refuses_packets;

int __real_bpf_object__load_skeleton(struct bpf_object_skeleton *s);
int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s);

int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s)
{
	struct bpf_program *p = bpf_object__find_program_by_name(*s->obj, "nio_receive");

	return refuses_packets && bpf_program__autoload(p) ? -EACCES
							   : __real_bpf_object__load_skeleton(s);
}

static int print_error(const char *why)
{
	fprintf(stderr, "sampler_run: %s\n", why);
	return 1;
}

static void print_source(const struct sampler *s)
{
	struct cpu_result r;

	sampler__describe(s, &r);
	printf("%s: %s\n", r.source, r.no_cycles);
}

int main(int argc, char **argv)
{
	struct sampler *s = NULL;
	char why[192] = "";
	int err;

	refuses_packets = argc > 1 && !strcmp(argv[1], "packets");
	err = sampler__open(&s, -1, why, sizeof(why));
	for (int i = 1 + refuses_packets; i < argc && !err; i++) {
		refusal = -atoi(argv[i]);
		err = sampler__start(s, (pid_t[NIO_SIDE_NR]){0}, NULL, SAMPLER_HZ, why,
				     sizeof(why));
		if (!err)
			print_source(s);
		sampler__stop(s);
	}
	sampler__close(s);
	return err ? print_error(why) : 0;
}
