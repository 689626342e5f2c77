/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf events with a BPF program on each CPU; see sampler.h. */
#include "sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "libbpf_output.h"
#include "pidns.h"
#include "model/cpu_time.h"
#include "perf/event.h"
#include "sample_fold.h"
#include "samples.skel.h"
#include "symbols.h"

/* Room for a second of samples of deep stacks (about 500 bytes each) on a CPU. */
#define RING_PER_CPU (512 << 10)
#define RING_MAX     (64 << 20)

struct sampler {
	struct symbols *symbols;
	struct samples_bpf *skel;
	struct ring_buffer *ring;
	int cpus;
	struct bpf_program *program;
	struct bpf_link **links; /* by CPU; NULL: none */
	int *fds;                /* by CPU, of the links' */
	bool cycles;
	char no_cycles[CPU_NO_CYCLES_MAX]; /* of the last start; "": by cycles */
	unsigned int hz;                   /* asked for at the last start */
	int (*handle)(const struct nio_sample *sample, void *arg);
	void *arg;
	uint64_t lost[NIO_SAMPLE_OWNER_NR]; /* before the last start */
};

__attribute__((format(printf, 4, 5))) static int reject(int err, char *why, size_t len,
							const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, len, format, args);
	va_end(args);
	append__text(why, len, ": %s", strerror(-err));
	return err;
}

static int on_sample(void *ctx, void *data, size_t size)
{
	struct sampler *s = ctx;
	const struct nio_sample *sample = sample_fold__decode(data, size);

	return sample ? s->handle(sample, s->arg) : -EPROTO;
}

static unsigned int ring_size(int cpus)
{
	unsigned int size = RING_PER_CPU;

	while (size < (unsigned int)RING_MAX && size < (unsigned int)cpus * RING_PER_CPU)
		size *= 2;
	return size;
}

/* How to recognize TCP softirq work on top of an unrelated task, and work that receives. */
static void find_codes(struct samples_bpf *skel, const struct symbols *symbols)
{
	/* A thread of NAPI has __napi_poll only; before Linux 5.12 it is in net_rx_action. */
	static const char *const names[NIO_CODES] = {"tcp_v4_rcv",     "tcp_v6_rcv",
						     "skb_copy_ubufs", "tcp_tsq_handler",
						     "net_rx_action",  "__napi_poll"};

	for (int i = 0; i < NIO_CODES; i++) {
		uint64_t from, to;

		if (!symbols__range(symbols, names[i], &from, &to))
			continue;
		skel->rodata->nio_codes[i].from = from;
		skel->rodata->nio_codes[i].to = to;
	}
}

static int load_programs(struct sampler *s, int tasks, bool sees_packets)
{
	struct stat ns;

	s->skel = samples_bpf__open();
	if (!s->skel || stat("/proc/self/ns/pid", &ns))
		return -errno;
	s->skel->rodata->nio_pidns_dev = ns.st_dev;
	s->skel->rodata->nio_pidns_ino = ns.st_ino;
	s->skel->rodata->nio_pidns = pidns__own();
	find_codes(s->skel, s->symbols);
	s->program = tasks < 0 ? s->skel->progs.nio_sample : s->skel->progs.nio_sample_task;
	bpf_program__set_autoload(s->program, true);
	bpf_program__set_autoload(s->skel->progs.nio_receive, sees_packets);
	bpf_program__set_autoload(s->skel->progs.nio_end_poll, sees_packets);
	if (tasks >= 0 && bpf_map__reuse_fd(s->skel->maps.nio_sampled_tasks, tasks))
		return -errno;
	bpf_map__set_max_entries(s->skel->maps.nio_samples, ring_size(s->cpus));
	return samples_bpf__load(s->skel);
}

static int load(struct sampler *s, int tasks)
{
	int err;

	s->cpus = libbpf_num_possible_cpus();
	if (s->cpus < 0)
		return s->cpus;
	s->links = xcalloc((size_t)s->cpus, sizeof(struct bpf_link *));
	s->fds = xcalloc((size_t)s->cpus, sizeof(*s->fds));
	err = load_programs(s, tasks, tasks < 0);
	if (err && tasks < 0) {
		/* A refused program that sees packets takes all others with it. */
		samples_bpf__destroy(s->skel);
		err = load_programs(s, tasks, false);
	}
	if (err)
		return err;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.nio_samples), on_sample, s, NULL);
	return s->ring ? 0 : -errno;
}

int sampler__open(struct sampler **out, int tasks, char *why, size_t len)
{
	struct sampler *s = xcalloc(1, sizeof(*s));
	int err = symbols__load(&s->symbols);

	if (err) {
		symbols__explain(err, why, len);
	} else {
		libbpf_output__set();
		err = load(s, tasks);
		if (err)
			reject(err, why, len, "the program that samples was refused");
	}
	if (err)
		sampler__close(s);
	else
		*out = s;
	return err;
}

void sampler__close(struct sampler *s)
{
	if (!s)
		return;
	sampler__stop(s);
	ring_buffer__free(s->ring);
	samples_bpf__destroy(s->skel);
	symbols__free(s->symbols);
	free(s->links);
	free(s->fds);
	free(s);
}

static int attach(struct sampler *s, int cpu)
{
	int fd = perf_event__open_sampling(s->cycles, s->hz, cpu);
	int err;

	if (fd < 0)
		return fd;
	s->fds[cpu] = fd; /* the link's to close */
	s->links[cpu] = bpf_program__attach_perf_event(s->program, fd);
	if (s->links[cpu])
		return 0;
	err = -errno;
	close(fd);
	return err;
}

/* On all CPUs that are there; -ENODEV: none is. */
static int attach_all(struct sampler *s)
{
	int attached = 0;

	for (int cpu = 0; cpu < s->cpus; cpu++) {
		int err = attach(s, cpu);

		if (err == -ENODEV) /* not online */
			continue;
		if (err) {
			sampler__stop(s);
			return err;
		}
		attached++;
	}
	return attached ? 0 : -ENODEV;
}

/* By cycles, or where they are refused by the clock, and why. */
static int attach_by_any(struct sampler *s)
{
	int err;

	s->cycles = true;
	err = attach_all(s);
	s->no_cycles[0] = '\0';
	if (!err)
		return 0;
	/* ENOENT has this meaning only; strerror() would speak of a file. */
	if (err == -ENOENT)
		snprintf(s->no_cycles, sizeof(s->no_cycles), "no PMU here counts cycles");
	else
		reject(err, s->no_cycles, sizeof(s->no_cycles), "cycles were refused");
	s->cycles = false;
	return attach_all(s);
}

static int ignore(const struct nio_sample *sample, void *arg)
{
	(void)sample;
	(void)arg;
	return 0;
}

/* What the last round left: a CPU may stay marked after its programs are detached. */
static void clear_received(struct sampler *s)
{
	__u32 first = 0, *zeros = xcalloc((size_t)s->cpus, 8);

	bpf_map_update_elem(bpf_map__fd(s->skel->maps.nio_received), &first, zeros, BPF_ANY);
	free(zeros);
}

int sampler__start(struct sampler *s, const pid_t pids[NIO_SIDE_NR], const struct nio_run *run,
		   unsigned int hz, char *why, size_t len)
{
	int err;

	sampler__read(s, ignore, NULL);
	memcpy(s->lost, s->skel->bss->nio_samples_lost, sizeof(s->lost));
	for (int side = 0; side < NIO_SIDE_NR && pids; side++)
		s->skel->bss->nio_watched[side] = pids[side];
	s->skel->bss->nio_run = run ? *run : (struct nio_run){0};
	s->hz = hz;
	clear_received(s);
	err = attach_by_any(s);
	/* The programs that see packets. Without them no softirq is known to work for the run. */
	if (!err && samples_bpf__attach(s->skel))
		samples_bpf__detach(s->skel);
	return err ? reject(err, why, len, "the kernel refused perf events for sampling") : 0;
}

void sampler__stop(struct sampler *s)
{
	for (int cpu = 0; cpu < s->cpus && s->links; cpu++) {
		bpf_link__destroy(s->links[cpu]);
		s->links[cpu] = NULL;
	}
	if (s->skel)
		samples_bpf__detach(s->skel);
}

void sampler__pause(struct sampler *s, bool paused)
{
	for (int cpu = 0; cpu < s->cpus; cpu++)
		if (s->links[cpu])
			ioctl(s->fds[cpu], paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE,
			      0);
}

const struct symbols *sampler__symbols(const struct sampler *s)
{
	return s->symbols;
}

void sampler__describe(const struct sampler *s, struct cpu_result *out)
{
	uint64_t from, to;

	out->known = true;
	out->source = s->cycles ? CPU_SOURCE_CYCLES : CPU_SOURCE_CLOCK;
	snprintf(out->no_cycles, sizeof(out->no_cycles), "%s", s->no_cycles);
	/* In kernel/sched/cputime.c; then no process has the softirqs on top of it. */
	if (symbols__range(s->symbols, "irqtime_account_irq", &from, &to))
		out->softirq_reason = "the kernel accounts interrupts apart "
				      "(CONFIG_IRQ_TIME_ACCOUNTING)";
	out->hz = s->hz;
}

int sampler__read(struct sampler *s, int (*handle)(const struct nio_sample *sample, void *arg),
		  void *arg)
{
	int n;

	s->handle = handle;
	s->arg = arg;
	n = ring_buffer__consume(s->ring);
	return n < 0 ? n : 0;
}

uint64_t sampler__lost(const struct sampler *s, enum nio_sample_owner owner)
{
	return s->skel->bss->nio_samples_lost[owner] - s->lost[owner];
}
