/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gathers the facts of doctor: reads /proc and /sys, opens the path, tries every hook; see
 * diagnosis.h. An unreadable file is a fact as well.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "diagnosis.h"
#include "host/environment.h"
#include "host/machine.h"
#include "host/tap.h"
#include "base/privileges.h"
#include "base/read_file.h"
#include "kernel/btf_lookup.h"
#include "kernel/loader.h"

#define BTF_FILE     "/sys/kernel/btf/vmlinux"
#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define SYSCTL       "/proc/sys/"

#define CLOCK_BATCHES  20
#define CLOCK_READINGS 500

static struct num btf_size(void)
{
	struct stat st;

	if (stat(BTF_FILE, &st))
		return (struct num){.reason = "there is no " BTF_FILE};
	return (struct num){.value = st.st_size, .known = true};
}

/* The fastest of many batches: what a reading takes when nothing interrupts it. */
static struct real clock_cost(void)
{
	struct timespec begin, end;
	double best = 1e18, ns;

	for (int batch = 0; batch < CLOCK_BATCHES; batch++) {
		if (clock_gettime(CLOCK_MONOTONIC, &begin))
			return (struct real){.reason = "CLOCK_MONOTONIC cannot be read"};
		for (int i = 0; i < CLOCK_READINGS; i++)
			clock_gettime(CLOCK_MONOTONIC, &end);
		ns = ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
		      (double)(end.tv_nsec - begin.tv_nsec)) /
		     CLOCK_READINGS;
		best = ns < best ? ns : best;
	}
	return (struct real){.value = best, .known = true};
}

/* Unlike other sysctls read here this one may be negative. */
static struct real paranoia(void)
{
	char line[32], *end;
	long value;

	if (read_file__line(SYSCTL "kernel/perf_event_paranoid", line, sizeof(line)))
		return (struct real){.reason = "the file does not exist"};
	value = strtol(line, &end, 10);
	if (end == line || *end)
		return (struct real){.reason = "is not a number"};
	return (struct real){.value = (double)value, .known = true};
}

static void gather_path(struct facts *f, const struct options *o)
{
	const struct cpu_times boot = {.known = true};
	struct netpath *path = NULL;
	struct cpu_times now;

	f->path = netpath__name(o->path);
	f->path_step = "";
	f->path_err = netpath__open(&path, o->path, o->mtu, o->ipv6, &f->path_step);
	if (f->path_err)
		path = NULL;
	environment__read(&f->env, path, btf_lookup__irq_time());
	tap__begin(&f->env.taps, path, btf_lookup__has_member("net", "ptype_all"));
	machine__times(&now);
	f->env.machine.steal = machine__steal(&boot, &now);
	netpath__close(path);
}

static void gather(struct facts *f, const struct options *o)
{
	gather_path(f, o);
	f->root = !geteuid();
	limits__read(&f->limits);
	f->namespaced = privileges__in_user_namespace();
	f->no_sys = !mounts__has_sys();
	f->btf_size = btf_size();
	read_file__line(CLOCKSOURCES, f->clocksources, sizeof(f->clocksources));
	f->clock_ns = clock_cost();
	f->unprivileged_bpf_disabled = read_file__num(SYSCTL "kernel/unprivileged_bpf_disabled");
	f->has_tls = !access("/proc/net/tls_stat", F_OK);
	f->bpf_jit_enable = read_file__num(SYSCTL "net/core/bpf_jit_enable");
	f->perf_event_paranoid = paranoia();
	for (size_t i = 0; i < DOCTOR_CAPABILITIES; i++)
		f->held[i] = privileges__have(doctor_capabilities[i].number);
	follow__examine(f->no_follow, &f->follow_slots);
}

static bool any_possible(const struct probe_result *probe_results)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (probe_results[i].answer == ANSWER_YES)
			return true;
	return false;
}

/* The remedy for stages without a hook; NULL: that of the rows. */
static const char *remedy(const struct diagnosis *d)
{
	if (!d->tried)
		return "run sudo netiotrace doctor";
	return d->facts.namespaced && !d->facts.loaded ? doctor__leave_namespace : NULL;
}

/* The plan of a mode's rounds; timed: that of its timed rounds, if they can measure any time. */
static int make_plan(struct diagnosis *d, const struct options *o, enum mode mode,
		     struct plan *timed, bool *any)
{
	struct plan_request req = {
		.backend = o->backend,
		.mode = mode,
		.size = o->workload.size,
		.count_calls = o->count_calls,
		.times = o->times,
		/* What --receive can ask for. */
		.takes = 1U << NIO_STAGE_RX_COPY | 1U << NIO_STAGE_RX_MAP |
			 1U << NIO_STAGE_RX_DISCARD | 1U << NIO_STAGE_RX_SPLICE,
	};
	int err = plan__make(&d->plans[mode], d->probe_results, &req);
	const char *none = err ? "no probe plan for this mode" : NULL;

	*any = false;
	if (o->times != TIMES_APART)
		return err;
	req.times = TIMES_ON;
	if (!plan__make(timed, d->probe_results, &req) || err)
		*any = plan__set_apart(&d->plans[mode], timed, none);
	return err;
}

static void make_run_plans(struct diagnosis *d, const struct options *o)
{
	const struct plan *plans[MODE_NR] = {NULL}, *timed[MODE_NR] = {NULL};
	struct plan apart[MODE_NR];

	d->usable = true;
	for (int mode = 0; mode < MODE_NR; mode++) {
		bool any;

		/* It has no events: the sockets' record numbers count its bytes. */
		if (mode__has(mode, MODE_ENCRYPTS))
			continue;
		if (make_plan(d, o, mode, &apart[mode], &any))
			d->usable = false;
		plans[mode] = &d->plans[mode];
		timed[mode] = any ? &apart[mode] : NULL;
	}
	d->rows_nr = plan__rows(plans, timed, d->rows);
}

/* attach always watches the kernel: --backend none is auto. */
static void make_attach_plan(struct diagnosis *d, const struct options *o)
{
	const struct plan_request req = {
		.object = OBJECT_ATTACH,
		.backend = o->backend == BACKEND_NONE ? BACKEND_AUTO : o->backend,
	};
	const struct plan *none[MODE_NR] = {NULL}, *plans[MODE_NR] = {NULL};
	struct plan plan;

	d->attach_usable = !plan__make(&plan, d->probe_results, &req);
	plans[0] = &plan;
	d->attach_rows_nr = plan__rows(plans, none, d->attach_rows);
}

/* If no run is possible: is the reason a resource limit and not the kernel? */
static int probe_err(const struct diagnosis *d)
{
	for (size_t i = 0; d->tried && !d->usable && i < plan_alternatives_nr; i++)
		if (d->probe_results[i].answer == ANSWER_UNKNOWN && d->probe_results[i].err)
			return d->probe_results[i].err;
	return 0;
}

void diagnosis__make(struct diagnosis *d, const struct options *o)
{
	const struct probe_result *probe_results;

	memset(d, 0, sizeof(*d));
	d->probe_results = xcalloc(plan_alternatives_nr, sizeof(*d->probe_results));
	gather(&d->facts, o);
	d->tried = privileges__may_trace();
	/* Errors are in the offers. */
	if (d->tried)
		loader__try_all(d->probe_results);
	for (int id = 0; d->tried && id < OBJECT_NR; id++)
		for (size_t i = 0; i < o->without_nr; i++)
			plan__withhold(id, d->probe_results, o->without[i]);
	d->facts.loaded = any_possible(d->probe_results);
	d->checks_nr = doctor__check(&d->facts, d->checks);
	make_run_plans(d, o);
	make_attach_plan(d, o);
	d->probe_err = probe_err(d);
	probe_results = d->tried ? d->probe_results : NULL;
	d->stages_nr = doctor__stages(d->rows, d->rows_nr, probe_results, remedy(d), d->stages);
	doctor__attach_lines(d->attach_rows, d->attach_rows_nr, probe_results, remedy(d),
			     d->attach_lines);
}

void diagnosis__clear(struct diagnosis *d)
{
	free(d->probe_results);
	d->probe_results = NULL;
}
