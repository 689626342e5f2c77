/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens, controls and reads perf events. */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/read_file.h"
#include "common/cpu_mask.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "event.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define PMUS     "/sys/bus/event_source/devices"

struct perf_events {
	const struct perf_plan *plan;
	unsigned int threads;
	size_t fds_nr;
	int *fds; /* by thread, then group, then member */
};

static int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void attr_of(struct perf_event_attr *attr, const struct perf_spec *spec)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = spec->type;
	attr->config = spec->config;
	attr->config1 = spec->config1;
	attr->config2 = spec->config2;
	attr->exclude_user = spec->exclude_user;
	attr->exclude_kernel = spec->exclude_kernel;
	/* exclude_kernel alone would count the hypervisor; software events refuse exclude_hv. */
	attr->exclude_hv = perf_spec__is_hardware(spec) && spec->exclude_kernel;
	attr->read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* Only the leader is disabled: members count when the leader does. */
static int open_slot(const struct perf_spec *spec, pid_t pid, int group_fd)
{
	struct perf_event_attr attr;

	attr_of(&attr, spec);
	attr.disabled = group_fd < 0;
	return event_open(&attr, pid, -1, group_fd);
}

int perf_event__open_sampling(bool cycles, unsigned int hz, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.freq = cycles,
		.disabled = 1,
		.exclude_hv = cycles,
	};

	/* Different periods: CPUs sampled together could show the wait for each other's locks. */
	if (cycles)
		attr.sample_freq = hz;
	else
		attr.sample_period = 1000000000ULL / hz * (98 + (unsigned int)cpu % 5) / 100;
	return event_open(&attr, -1, cpu, -1);
}

static int read_group(int leader, unsigned int nr, struct perf_reading *out)
{
	uint64_t buf[PERF_READ_WORDS];
	ssize_t len = read(leader, buf, sizeof(buf));

	if (len < 0)
		return -errno;
	return perf_read__decode(buf, (size_t)len, nr, out);
}

/* Whether a group of n such events gets on the CPU: the kernel accepts groups that never run. */
static bool group_runs(const struct perf_spec *spec, unsigned int n)
{
	struct perf_reading reading = {.running_ns = 0};
	int fds[PERF_REGISTERS_MAX];
	unsigned int open = 0;

	while (open < n) {
		fds[open] = open_slot(spec, 0, open ? fds[0] : -1);
		if (fds[open] < 0)
			break;
		open++;
	}
	if (open == n && !ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0))
		read_group(fds[0], n, &reading);
	while (open)
		close(fds[--open]);
	return reading.running_ns;
}

/* General-purpose counters. Probes with branches if possible: the event has no fixed counter. */
static unsigned int count_registers(const struct perf_plan *plan)
{
	const struct perf_slot *probe = NULL;
	unsigned int n = 0;

	for (size_t i = 0; i < plan->slots_nr; i++) {
		const struct perf_slot *s = &plan->slots[i];

		if (s->err || perf_spec__pmu(&s->spec) != PERF_PMU_CPU)
			continue;
		if (!probe || s->quantity == PERF_BRANCHES)
			probe = s;
	}
	while (probe && n < PERF_REGISTERS_MAX && group_runs(&probe->spec, n + 1))
		n++;
	/* The event opens, so a counter may become free later. */
	return probe && !n ? 1 : n;
}

static int read_paranoid(void)
{
	char line[32];
	int level;

	if (read_file__line(PARANOID, line, sizeof(line)) || sscanf(line, "%d", &level) != 1)
		return INT_MIN;
	return level;
}

/* The driver names the PMU of a CPU: cpu, cpu_core, cpum_cf, armv8_pmuv3_0, apple_... */
static bool has_pmu(void)
{
	glob_t found;
	bool has = !glob(PMUS "/{cpu,arm,apple}*", GLOB_BRACE | GLOB_NOSORT, NULL, &found);

	globfree(&found);
	return has;
}

static int try_slot(const struct perf_spec *spec)
{
	int fd = open_slot(spec, 0, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void perf_event__probe(struct perf_plan *plan, struct perf_facts *facts)
{
	facts->paranoid = read_paranoid();
	facts->has_pmu = has_pmu();
	facts->may_perf = privileges__have(CAP_PERFMON) || privileges__have(CAP_SYS_ADMIN);
	for (size_t i = 0; i < plan->slots_nr; i++)
		plan->slots[i].err = try_slot(&plan->slots[i].spec);
	plan->registers = count_registers(plan);
	perf_plan__pack(plan);
}

/* Threads times events can exceed the hard limit, which needs CAP_SYS_RESOURCE. */
static void raise_files(size_t needed)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = needed;
	if (limit.rlim_max < needed)
		limit.rlim_max = needed;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_thread(struct perf_events *e, pid_t tid)
{
	/* As many for the other process, and 256 for other descriptors. */
	raise_files(2 * (e->fds_nr + PERF_SLOTS_MAX) + 256);
	for (size_t g = 0; g < e->plan->groups_nr; g++) {
		const struct perf_group *group = &e->plan->groups[g];
		int leader = -1;

		for (unsigned int i = 0; i < group->nr; i++) {
			int fd = open_slot(&e->plan->slots[group->slot[i]].spec, tid, leader);

			if (fd < 0)
				return fd;
			e->fds = xgrow(e->fds, e->fds_nr, sizeof(*e->fds));
			e->fds[e->fds_nr++] = fd;
			if (!i)
				leader = fd;
		}
	}
	e->threads++;
	return 0;
}

int perf_events__open(struct perf_events **out, const struct perf_plan *plan, pid_t pid)
{
	struct perf_events *e;
	const struct dirent *d;
	char path[64];
	int err = 0;
	DIR *dir;

	*out = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	e = xcalloc(1, sizeof(*e));
	e->plan = plan;
	while (!err && (d = readdir(dir)))
		if (atoi(d->d_name) > 0)
			err = open_thread(e, atoi(d->d_name));
	closedir(dir);
	if (!err && !e->threads)
		err = -ESRCH;
	if (err)
		perf_events__close(e);
	else
		*out = e;
	return err;
}

void perf_events__close(struct perf_events *e)
{
	if (!e)
		return;
	while (e->fds_nr)
		close(e->fds[--e->fds_nr]);
	free(e->fds);
	free(e);
}

unsigned int perf_events__threads(const struct perf_events *e)
{
	return e->threads;
}

static int control(const struct perf_events *e, unsigned long request)
{
	const int *leader = e->fds;

	for (unsigned int t = 0; t < e->threads; t++)
		for (size_t g = 0; g < e->plan->groups_nr; g++) {
			if (ioctl(*leader, request, 0))
				return -errno;
			leader += e->plan->groups[g].nr;
		}
	return 0;
}

int perf_events__enable(struct perf_events *e)
{
	return control(e, PERF_EVENT_IOC_ENABLE);
}

int perf_events__disable(struct perf_events *e)
{
	return control(e, PERF_EVENT_IOC_DISABLE);
}

static int add_group(int leader, const struct perf_group *g, struct perf_sum *sums)
{
	struct perf_reading r;
	int err = read_group(leader, g->nr, &r);

	for (unsigned int i = 0; i < g->nr && !err; i++)
		perf_sum__add(&sums[g->slot[i]], r.values[i], r.enabled_ns, r.running_ns);
	return err;
}

int perf_events__read(const struct perf_events *e, struct perf_sum sums[PERF_SLOTS_MAX])
{
	const int *leader = e->fds;
	int err = 0;

	memset(sums, 0, PERF_SLOTS_MAX * sizeof(*sums));
	for (unsigned int t = 0; t < e->threads; t++)
		for (size_t g = 0; g < e->plan->groups_nr && !err; g++) {
			err = add_group(*leader, &e->plan->groups[g], sums);
			leader += e->plan->groups[g].nr;
		}
	return err;
}

static const char scaled[] = "counters took turns: scaled up from the part of the time counted";
static const char never_ran[] =
	"the counter never had a register while threads ran: end what else counts (perf, "
	"sysctl kernel.nmi_watchdog=0)";

int perf_read__decode(const void *buf, size_t len, unsigned int nr, struct perf_reading *out)
{
	uint64_t words[PERF_READ_WORDS];

	if (nr > PERF_GROUP_MAX || len != (PERF_READ_HEAD + nr) * sizeof(uint64_t))
		return -EPROTO;
	memcpy(words, buf, len);
	if (words[0] != nr || words[2] > words[1])
		return -EPROTO;
	*out = (struct perf_reading){.enabled_ns = words[1], .running_ns = words[2]};
	memcpy(out->values, words + PERF_READ_HEAD, nr * sizeof(uint64_t));
	return 0;
}

void perf_sum__add(struct perf_sum *sum, uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	sum->enabled_ns += enabled_ns;
	sum->running_ns += running_ns;
	if (!running_ns)
		return;
	sum->counted += (double)value * ((double)enabled_ns / (double)running_ns);
	sum->counted_ns += (double)enabled_ns;
}

struct num perf_sum__count(const struct perf_sum *sum, struct real *running)
{
	*running = real__known(1);
	if (!sum->enabled_ns)
		return num__known(0);
	if (!sum->running_ns) {
		*running = real__known(0);
		return num__unknown(never_ran);
	}
	running->value = (double)sum->running_ns / (double)sum->enabled_ns;
	return (struct num){
		.value = (uint64_t)llround(sum->counted *
					   ((double)sum->enabled_ns / sum->counted_ns)),
		.known = true,
		.reason = sum->running_ns == sum->enabled_ns ? NULL : scaled,
	};
}

struct parts {
	struct num part[PERF_PART_NR];
	struct real running[PERF_PART_NR];
};

/* The counts of one quantity, or why there are none. */
static void collect(struct parts *p, unsigned int quantity, const struct perf_plan *plan,
		    const struct perf_sum *sums, const struct perf_facts *facts)
{
	for (int part = 0; part < PERF_PART_NR; part++) {
		const char *reason = perf_plan__missing(plan, quantity, part, facts);

		if (!reason)
			reason = "/proc does not show it any more: the process ended";
		p->part[part] = num__unknown(reason);
		p->running[part] = real__unknown(reason);
	}
	for (size_t i = 0; i < plan->slots_nr; i++) {
		const struct perf_slot *s = &plan->slots[i];

		if (s->quantity == quantity && perf_plan__has_slot(plan, i))
			p->part[s->part] = perf_sum__count(&sums[i], &p->running[s->part]);
	}
}

/* The counted whole, or the sum of user and kernel mode. */
static struct num whole_of(const struct parts *p, struct real *running)
{
	const struct num *user = &p->part[PERF_USER], *kernel = &p->part[PERF_KERNEL];
	const struct real *ru = &p->running[PERF_USER], *rk = &p->running[PERF_KERNEL];

	*running = p->running[PERF_WHOLE];
	if (p->part[PERF_WHOLE].known || (!user->known && !kernel->known && !ru->known))
		return p->part[PERF_WHOLE];
	*running = ru->known && (!rk->known || ru->value < rk->value) ? *ru : *rk;
	return num__sum(*user, *kernel);
}

void perf_read__book(struct run_result *r, enum nio_side side, const struct perf_plan *plan,
		     const struct perf_sum sums[PERF_SLOTS_MAX], const struct perf_facts *facts)
{
	struct parts p;

	for (unsigned int c = 0; c < PERF_NR; c++) {
		struct perf_detail *d = &r->perf_detail[side][c];

		collect(&p, c, plan, sums, facts);
		r->perf[side][c] = whole_of(&p, &d->running);
		d->user = p.part[PERF_USER];
		d->kernel = p.part[PERF_KERNEL];
	}
	for (unsigned int i = 0; i < r->perf_asked_nr; i++) {
		collect(&p, PERF_NR + i, plan, sums, facts);
		r->perf_asked[i].count[side] = whole_of(&p, &r->perf_asked[i].running[side]);
	}
}

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
	struct perf_event_attr attr;
	int leader = -1, fd;

	for (int i = 0; i < NIO_PERF_EVENT_NR; i++) {
		if (map_fds[i] < 0)
			continue;
		attr_of(&attr, &events[i]);
		attr.pinned = leader < 0; /* always has a counter, or none */
		fd = event_open(&attr, -1, (int)cpu, leader);
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
