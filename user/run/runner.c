/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening what rounds need, and making them; see runner.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>

#include "base/log.h"
#include "base/resource_limits.h"
#include "base/privileges.h"
#include "base/stats.h"
#include "common/xalloc.h"
#include "runner.h"
#include "watched_sockets.h"
#include "host/machine.h"
#include "host/tap.h"
#include "kernel/btf_lookup.h"
#include "probe_setup.h"
#include "load/loadgen_args.h"
#include "model/ledger.h"
#include "model/figures.h"
#include "model/verdict.h"
#include "round_phases.h"
#include "aux_round.h"

int runner__check_privileges(const struct options *o)
{
	if (o->backend != BACKEND_NONE && !privileges__may_trace()) {
		log_error(
			"watching the kernel needs root (or CAP_BPF and CAP_PERFMON): run it with "
			"sudo, or with --backend none for the load generator alone.");
		return EXIT_PRIVILEGES;
	}
	if (o->path == NETPATH_VETH &&
	    !(privileges__have(CAP_SYS_ADMIN) && privileges__have(CAP_NET_ADMIN))) {
		log_error(
			"--path veth makes network namespaces, which needs root: run it with sudo, "
			"or use --path loopback.");
		return EXIT_PRIVILEGES;
	}
	return EXIT_DONE;
}

int runner__resolve(struct runner *runner, const struct options *o)
{
	const char *why;

	if (!o->remote)
		return EXIT_DONE;
	runner->connect = o->connect;
	if (!address__resolve(&runner->connect, false, &runner->remote, &why))
		return serve_token__read(&runner->token, o->token);
	log_error("no address is known for --connect %s: %s.", o->connect.host, why);
	return EXIT_RUN_FAILED;
}

int runner__check_congestion(const struct runner *runner, const char *asked)
{
	struct congestion tried = runner->result.env.congestion;
	char why[512];

	if (!congestion__choose(&tried, asked, !runner->o->remote, why, sizeof(why)))
		return EXIT_DONE;
	log_error("%s.", why);
	return EXIT_USAGE;
}

static int open_path(struct runner *runner)
{
	const struct options *o = runner->o;
	const char *step = "";
	int err;

	if (o->remote)
		err = netpath__open_remote(&runner->path, &runner->connect, &runner->remote, &step);
	else
		err = netpath__open(&runner->path, o->path, o->mtu, o->ipv6, &step);
	if (err) {
		log_error("cannot make the %s path (%s): %s.",
			  netpath__name(o->remote ? NETPATH_REMOTE : o->path), step,
			  limits__strerror(err));
		return err == -EPERM        ? EXIT_PRIVILEGES
		       : err == -EOPNOTSUPP ? EXIT_KERNEL
					    : EXIT_RUN_FAILED;
	}
	environment__read(&runner->result.env, runner->path, btf_lookup__irq_time());
	tap__begin(&runner->result.env.taps, runner->path,
		   btf_lookup__has_member("net", "ptype_all"));
	return runner__check_congestion(runner, o->workload.congestion);
}

void runner__use(struct runner *runner, const struct options *o)
{
	struct result *res = &runner->result;
	char why[512];

	runner->o = o;
	machine__times(&runner->cpu_begin);
	cgroup_cpu__read(&runner->cgroup);
	congestion__choose(&res->env.congestion, o->workload.congestion, !o->remote, why,
			   sizeof(why));
	res->version = NETIOTRACE_VERSION;
	res->argc = o->argc;
	res->argv = o->argv;
	runner->workload = o->workload;
	runner->workload.congestion =
		res->env.congestion.chosen[0] ? res->env.congestion.chosen : NULL;
	res->workload = runner->workload;
	res->modes_nr = o->modes_nr;
	memcpy(res->modes, o->modes, sizeof(res->modes));
	res->rounds = o->workload.rounds;
	res->round_duration_ns = workload__round_ns(&o->workload);
	res->messages = o->workload.messages;
	probe_setup__describe(runner);
}

int runner__round(struct runner *runner, enum mode mode, unsigned int index)
{
	struct run_result *r;
	int err;

	runner->result.runs = xgrow(runner->result.runs, runner->result.runs_nr, sizeof(*r));
	r = &runner->result.runs[runner->result.runs_nr];
	run_result__init(r);
	err = round_phases__run(runner, mode, index, r);
	if (err || !r->duration_ns) {
		run_result__clear(r);
		return err;
	}
	runner->result.runs_nr++;
	if (runner->stopped)
		cpu_time__none(&r->cpu, "the run was ended before its samples were taken");
	else
		aux_round__sample(runner, r);
	aux_round__time(runner, r);
	aux_round__follow(runner, r);
	return 0;
}

static void spread_of(struct spread *spread, const struct result *res, enum mode mode,
		      figure_of_round *figure)
{
	double *values = xcalloc(res->runs_nr, sizeof(*values));

	*spread = stats__spread(values, figures__rounds(res, mode, figure, values));
	free(values);
}

static struct real copies_of(const struct run_result *r)
{
	return r->copies_per_byte;
}

static void summarise_mode(struct result *res, const struct options *o, enum mode mode)
{
	struct mode_summary *s = &res->summary[res->summary_nr];

	*s = (struct mode_summary){
		.mode = mode, .size = o->workload.size, .threads = o->workload.threads};
	run_result__init(&s->total);
	for (size_t i = 0; i < res->runs_nr; i++) {
		if (res->runs[i].mode != mode)
			continue;
		ledger__add(&s->total, &res->runs[i]);
		s->rounds++;
	}
	if (!s->rounds) {
		run_result__clear(&s->total);
		return;
	}
	ledger__close(&s->total, s->total.balance_known);
	verdict__give(&s->total, &res->env);
	res->summary_nr++;
	spread_of(&s->throughput_gbps, res, mode, run_result__gbps);
	spread_of(&s->copies_per_byte, res, mode, copies_of);
	spread_of(&s->cpu_ns_per_kib, res, mode, figures__cpu);
}

/* Load, steal and throttling until now. */
static void read_machine(struct runner *runner)
{
	struct machine *m = &runner->result.env.machine;
	struct health all = {.machine_ns = 0};
	struct cgroup_cpu cgroup;
	struct cpu_times now;

	machine__times(&now);
	cgroup_cpu__read(&cgroup);
	m->steal = machine__steal(&runner->cpu_begin, &now);
	m->throttling = cgroup_cpu__between(&runner->cgroup, &cgroup);
	m->load_end = machine__load();
	for (size_t i = 0; i < runner->result.runs_nr; i++)
		numbers__add(health__numbers, NUMBER_HERE, &all, &runner->result.runs[i].health);
	m->others = health__others(&all);
}

void runner__summarise(struct runner *runner)
{
	struct taps *taps = &runner->result.env.taps;

	read_machine(runner);
	/* A total is over every run. */
	for (unsigned int i = 0; i < taps->nr; i++)
		taps->list[i].in_run = true;
	runner->result.interrupted = runner->stopped;
	for (size_t i = 0; i < runner->o->modes_nr; i++)
		summarise_mode(&runner->result, runner->o, runner->o->modes[i]);
}

static int set_up(struct runner *runner, const uint64_t *sizes, size_t sizes_nr)
{
	int err, code;

	err = loadgen_args__find(runner->loadgen, sizeof(runner->loadgen));
	if (err) {
		log_error("netio-loadgen is not beside netiotrace: %s.", strerror(-err));
		return EXIT_RUN_FAILED;
	}
	code = loop__open(&runner->loop);
	if (!code)
		code = open_path(runner);
	if (code)
		return code;
	runner->perf.off = runner->o->perf_none;
	perf_watch__init(&runner->perf, runner->o->perf_events, runner->o->perf_events_nr,
			 environment__is_virtual(&runner->result.env));
	return probe_setup__open(runner, sizes, sizes_nr);
}

void runner__init(struct runner *runner)
{
	memset(runner, 0, sizeof(*runner));
	runner->loop = (struct loop)LOOP_INIT;
}

int runner__open(struct runner *runner, const struct options *o, const uint64_t *sizes,
		 size_t sizes_nr)
{
	int code;

	runner->o = o;
	code = set_up(runner, sizes, sizes_nr);
	if (!code)
		runner__use(runner, o);
	return code;
}

void runner__forget(struct runner *runner)
{
	struct result *res = &runner->result;

	for (size_t i = 0; i < res->runs_nr; i++)
		run_result__clear(&res->runs[i]);
	for (size_t i = 0; i < res->summary_nr; i++)
		run_result__clear(&res->summary[i].total);
	free(res->runs);
	res->runs = NULL;
	res->runs_nr = 0;
	res->summary_nr = 0;
	res->followed_nr = 0;
}

void runner__close(struct runner *runner)
{
	display__clear(&runner->display);
	aux_round__close(runner);
	watched_sockets__close(runner);
	netpath__close(runner->path);
	loop__close(&runner->loop);
	free(runner->probe_results);
	runner__forget(runner);
}
