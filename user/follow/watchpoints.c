/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the BPF programs and the watchpoints; see watchpoints.h. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/exit_code.h"
#include "common/xalloc.h"
#include "kernel/libbpf_output.h"
#include "kernel/refusal.h"
#include "watchpoints.h"
#include "follow.skel.h"

#define SLOTS_MIN 2      /* where the byte is, and its copy */
#define HOLD_NS   300000 /* longest time that a thread waits for its stop */

struct watchpoints {
	struct follow_bpf *skel;
	struct bpf_link *calls, *ends;
	struct ring_buffer *events;
	unsigned int slots, cpus;
	bool reads; /* watchpoints are touched by reads, too */
	int *fds;   /* of slot s on CPU c: [s * cpus + c]; -1: none */
	watchpoints_handler handle;
	void *ctx;
};

static struct perf_event_attr watchpoint(uint64_t address, bool reads, bool enabled)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(struct perf_event_attr),
		.bp_type = reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W,
		.bp_addr = address,
		.bp_len = HW_BREAKPOINT_LEN_1,
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = !enabled,
	};
}

static int open_watchpoint(const struct watchpoints *w, unsigned int cpu)
{
	struct perf_event_attr attr = watchpoint(0, true, false);
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(w->skel->progs.nio_follow_touch)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* One debug register of every CPU; an offline CPU has no threads. 0 or -errno. */
static int open_slot(struct watchpoints *w, unsigned int slot)
{
	int *fds = w->fds + (size_t)slot * w->cpus, opened = 0;

	for (unsigned int cpu = 0; cpu < w->cpus; cpu++) {
		fds[cpu] = open_watchpoint(w, cpu);
		if (fds[cpu] >= 0)
			opened++;
		else if (fds[cpu] != -ENODEV)
			return fds[cpu];
	}
	return opened ? 0 : -ENODEV;
}

static void close_slot(struct watchpoints *w, unsigned int slot)
{
	for (unsigned int cpu = 0; cpu < w->cpus; cpu++) {
		int *fd = &w->fds[(size_t)slot * w->cpus + cpu];

		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

static int open_slots(struct watchpoints *w)
{
	size_t nr;
	int err = 0;

	w->cpus = (unsigned int)libbpf_num_possible_cpus();
	nr = (size_t)w->cpus * NIO_FOLLOW_PLACES;
	w->fds = xcalloc(nr, sizeof(*w->fds));
	memset(w->fds, 0xff, nr * sizeof(*w->fds));
	for (; w->slots < NIO_FOLLOW_PLACES && !err; w->slots += !err) {
		err = open_slot(w, w->slots);
		if (err)
			close_slot(w, w->slots);
	}
	w->reads = true;
	return w->slots >= SLOTS_MIN ? 0 : err;
}

/* A limit or a missing mount; 0: none of these. */
static int refuse_moment(char why[FOLLOW_WHY], int err)
{
	const char *cause = refusal__of_moment(err);

	if (!cause)
		return EXIT_DONE;
	snprintf(why, FOLLOW_WHY, "follow cannot watch: %s", cause);
	return EXIT_RUN_FAILED;
}

static int refuse_slots(char why[FOLLOW_WHY], int err)
{
	if (err == -ENOSPC || err == -EBUSY) {
		snprintf(why, FOLLOW_WHY,
			 "follow needs two debug registers of each CPU: others use them (a "
			 "debugger with watchpoints, perf record -e mem:, another follow)");
		return EXIT_KERNEL;
	}
	if (err == -EPERM || err == -EACCES) {
		snprintf(why, FOLLOW_WHY,
			 "hardware watchpoints are refused (%s): follow needs CAP_PERFMON, and no "
			 "lockdown",
			 strerror(-err));
		return EXIT_PRIVILEGES;
	}
	if (refuse_moment(why, err))
		return EXIT_RUN_FAILED;
	snprintf(why, FOLLOW_WHY, "this kernel or hypervisor has no hardware watchpoints: %s",
		 strerror(-err));
	return EXIT_KERNEL;
}

static int load(struct watchpoints *w, const uint16_t *ports, size_t ports_nr)
{
	int err;

	libbpf_output__set();
	w->skel = follow_bpf__open();
	if (!w->skel)
		return -errno;
	w->skel->rodata->nio_follow_ports_nr = (uint32_t)ports_nr;
	for (size_t i = 0; i < ports_nr && i < NIO_FOLLOW_PORTS; i++)
		*(uint16_t *)&w->skel->rodata->nio_follow_ports[i] = ports[i];
	err = follow_bpf__load(w->skel);
	if (err)
		return err;
	w->skel->bss->nio_follow.hold_ns = HOLD_NS;
	w->ends = bpf_program__attach(w->skel->progs.nio_follow_exit);
	return w->ends ? 0 : -errno;
}

static int on_event(void *ctx, void *data, size_t len)
{
	struct watchpoints *w = ctx;

	if (w->handle && len >= sizeof(struct nio_follow_event))
		w->handle(w->ctx, data);
	return 0;
}

/* A hypervisor may accept watchpoints that never stop anything: watch a byte of our own. */
static bool try_slots(struct watchpoints *w)
{
	static volatile char byte;
	volatile struct nio_follow *shared = watchpoints__shared(w);
	uint64_t before = shared->touches;
	bool works = true;

	shared->mm = 0;
	shared->tgid = (uint32_t)getpid();
	shared->stepped = (uint32_t)syscall(SYS_gettid);
	for (unsigned int s = 0; s < w->slots && works; s++, before++) {
		works = watchpoints__set(w, s, (uintptr_t)&byte);
		byte = 1;
		watchpoints__clear(w, s);
		works = works && shared->touches == before + 1;
	}
	shared->tgid = shared->stepped = 0;
	return works;
}

static int refuse_load(char why[FOLLOW_WHY], int err)
{
	if (refuse_moment(why, err))
		return EXIT_RUN_FAILED;
	snprintf(why, FOLLOW_WHY,
		 "follow cannot load its BPF programs: %s; it needs Linux 5.17 or later with BTF; "
		 "-vv prints the kernel's message",
		 strerror(-err));
	return EXIT_KERNEL;
}

int watchpoints__open(struct watchpoints **w, const uint16_t *ports, size_t ports_nr,
		      char why[FOLLOW_WHY])
{
	int err;

	*w = xcalloc(1, sizeof(**w));
	err = load(*w, ports, ports_nr);
	if (!err) {
		(*w)->events = ring_buffer__new(bpf_map__fd((*w)->skel->maps.nio_follow_events),
						on_event, *w, NULL);
		err = (*w)->events ? 0 : -errno;
	}
	if (err)
		return refuse_load(why, err);
	err = open_slots(*w);
	if (err)
		return refuse_slots(why, err);
	if (try_slots(*w))
		return EXIT_DONE;
	snprintf(why, FOLLOW_WHY,
		 "a hardware watchpoint on this machine does not stop a program: the hypervisor "
		 "does not virtualize the debug registers");
	return EXIT_KERNEL;
}

void watchpoints__close(struct watchpoints *w)
{
	if (!w)
		return;
	watchpoints__detach(w);
	bpf_link__destroy(w->ends);
	for (unsigned int s = 0; w->fds && s < NIO_FOLLOW_PLACES; s++)
		close_slot(w, s);
	ring_buffer__free(w->events);
	follow_bpf__destroy(w->skel);
	free(w->fds);
	free(w);
}

unsigned int watchpoints__slots(const struct watchpoints *w)
{
	return w->slots;
}

volatile struct nio_follow *watchpoints__shared(const struct watchpoints *w)
{
	return &w->skel->bss->nio_follow;
}

int watchpoints__add_process(struct watchpoints *w, pid_t pid)
{
	const uint32_t key = (uint32_t)pid;
	const uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(w->skel->maps.nio_follow_tgids), &key, &one,
				   BPF_ANY);
}

void watchpoints__remove_process(struct watchpoints *w, pid_t pid)
{
	const uint32_t key = (uint32_t)pid;

	bpf_map_delete_elem(bpf_map__fd(w->skel->maps.nio_follow_tgids), &key);
}

int watchpoints__attach(struct watchpoints *w)
{
	w->calls = bpf_program__attach(w->skel->progs.nio_follow_call);
	return w->calls ? 0 : -errno;
}

void watchpoints__detach(struct watchpoints *w)
{
	bpf_link__destroy(w->calls);
	w->calls = NULL;
}

static int modify_slot(struct watchpoints *w, unsigned int slot, struct perf_event_attr attr)
{
	for (unsigned int cpu = 0; cpu < w->cpus; cpu++) {
		int fd = w->fds[(size_t)slot * w->cpus + cpu];

		if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr))
			return -errno;
	}
	return 0;
}

/* The kernel waits if the type changes (bp_constraints_lock()), not if the address does. */
int watchpoints__choose(struct watchpoints *w, bool reads)
{
	int err = 0;

	for (unsigned int s = 0; s < w->slots && reads != w->reads && !err; s++)
		err = modify_slot(w, s, watchpoint(0, reads, false));
	w->reads = reads;
	return err;
}

/* The programs see the address before the first touch. */
bool watchpoints__set(struct watchpoints *w, unsigned int slot, uint64_t address)
{
	watchpoints__shared(w)->place[slot] = address;
	return !modify_slot(w, slot, watchpoint(address, w->reads, true));
}

void watchpoints__clear(struct watchpoints *w, unsigned int slot)
{
	if (!watchpoints__shared(w)->place[slot])
		return;
	watchpoints__shared(w)->place[slot] = 0;
	for (unsigned int cpu = 0; cpu < w->cpus; cpu++) {
		int fd = w->fds[(size_t)slot * w->cpus + cpu];

		if (fd >= 0)
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

int watchpoints__read_events(struct watchpoints *w, watchpoints_handler handle, void *ctx)
{
	w->handle = handle;
	w->ctx = ctx;
	return ring_buffer__consume(w->events);
}
