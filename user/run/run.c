/* SPDX-License-Identifier: GPL-2.0-only */
/* The run command: sets up path, plan and programs, runs the rounds, writes what came out. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/machine.h"
#include "kernel/kernel_btf.h"
#include "load/loadgen_args.h"
#include "model/ledger.h"
#include "base/log.h"
#include "outputs.h"
#include "base/privileges.h"
#include "run.h"
#include "base/stats.h"
#include "host/tap.h"
#include "model/verdict.h"

int run__check_privileges(const struct options *o)
{
	if (o->backend != BACKEND_NONE && !privileges__may_trace()) {
		log_error(
			"watching the kernel needs root (or CAP_BPF and CAP_PERFMON): run it with "
			"sudo, or with --backend none for the load generator alone.");
		return EXIT_PRIVILEGES;
	}
	if (o->path == NETPATH_VETH && !privileges__may_make_path()) {
		log_error(
			"--path veth makes network namespaces, which needs root: run it with sudo, "
			"or use --path loopback.");
		return EXIT_PRIVILEGES;
	}
	return EXIT_DONE;
}

/* Before anything starts, and while Ctrl-C still ends the program by itself. */
static int resolve_remote(struct run *run)
{
	const char *why;

	if (!run->o->remote)
		return EXIT_DONE;
	run->connect = run->o->connect;
	if (!address__resolve(&run->connect, false, &run->remote, &why))
		return EXIT_DONE;
	log_error("no address is known for --connect %s: %s.", run->o->connect.host, why);
	return EXIT_RUN_FAILED;
}

static int choose_congestion(struct run *run)
{
	char why[512];

	if (!congestion__choose(&run->result.env.congestion, run->o->congestion, !run->o->remote,
				why, sizeof(why)))
		return EXIT_DONE;
	log_error("%s.", why);
	return EXIT_USAGE;
}

static int open_path(struct run *run)
{
	const struct options *o = run->o;
	const char *step = "";
	int err;

	if (o->remote)
		err = netpath__open_remote(&run->path, &run->connect, &run->remote, &step);
	else
		err = netpath__open(&run->path, o->path, o->mtu, o->ipv6, &step);
	if (err) {
		log_error("cannot make the %s path (%s): %s.",
			  netpath__name(o->remote ? NETPATH_REMOTE : o->path), step,
			  strerror(-err));
		return err == -EPERM        ? EXIT_PRIVILEGES
		       : err == -EOPNOTSUPP ? EXIT_KERNEL
					    : EXIT_RUN_FAILED;
	}
	environment__read(&run->result.env, run->path, kernel_btf__has_member("net", "ptype_all"));
	machine__times(&run->cpu_begin);
	return choose_congestion(run);
}

static void plan_request(const struct options *o, enum mode mode, uint64_t size,
			 struct plan_request *req)
{
	*req = (struct plan_request){
		.backend = o->backend,
		.mode = mode,
		.size = size,
		/* A fixed number of messages is asked for to be counted. */
		.count_calls = o->count_calls || o->traffic.messages,
		.times = o->times,
	};
}

/* One plan for each mode of o, by mode, for messages of this size; *pointers: those made. */
static int make_plans(const struct options *o, uint64_t size, struct offer *offers,
		      struct plan plans[MODE_NR], const struct plan *pointers[MODE_NR])
{
	for (size_t i = 0; i < o->without_nr; i++)
		plan__withhold(offers, o->without[i]);
	for (size_t i = 0; i < o->modes_nr; i++) {
		enum mode mode = o->modes[i];
		struct plan_request req;
		int err;

		plan_request(o, mode, size, &req);
		err = plan__make(&plans[mode], offers, &req);
		if (err)
			return err;
		pointers[mode] = &plans[mode];
	}
	return 0;
}

/* Attaches what each plan chose, once: so that a refusal is met before anything runs. */
static int try_attaching(struct run *run, const struct plan *const *plans, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		if (plans[i])
			err = session__attach(run->session, plans[i]);
	if (err) {
		session__close(run->session);
		run->session = NULL;
	}
	return err;
}

/* Loads what any of the sizes needs, according to the offers. */
static int load_programs(struct run *run, const uint64_t *sizes, size_t sizes_nr)
{
	size_t n = sizes_nr * MODE_NR;
	struct plan *plans = calloc(n, sizeof(*plans));
	const struct plan **pointers = calloc(n, sizeof(*pointers));
	int err = plans && pointers ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizes_nr && !err; i++)
		err = make_plans(run->o, sizes[i], run->offers, &plans[i * MODE_NR],
				 &pointers[i * MODE_NR]);
	if (!err)
		err = session__open(&run->session, pointers, n, MODE_NR,
				    &run->result.env.optmem_max, perf_watch__no_stages(&run->perf));
	if (!err)
		err = try_attaching(run, pointers, n);
	free(pointers);
	free(plans);
	return err;
}

/*
 * Plans by what the kernel seems to offer and loads that, which is quick and usually right; only if
 * it is refused is each hook tried by itself and the plan made again from the answers.
 */
static int open_session(struct run *run, const uint64_t *sizes, size_t sizes_nr)
{
	int err;

	run->offers = calloc(plan_alternatives_nr, sizeof(*run->offers));
	if (!run->offers)
		return -ENOMEM;
	session__presume(run->offers, run->o->backend);
	err = load_programs(run, sizes, sizes_nr);
	if (err && err != -EOPNOTSUPP) {
		log_info("the full set of probes was refused (%s): trying each", strerror(-err));
		session__try_all(run->offers);
		err = load_programs(run, sizes, sizes_nr);
	}
	return err;
}

static unsigned int probes_of(const struct plan_row *rows, size_t n)
{
	unsigned int probes = 0;

	for (size_t i = 0; i < n; i++)
		probes += rows[i].hook != NULL;
	return probes;
}

/* The backend of the plan's first hook: a plan is of one backend, unless a later one mixes. */
static const char *backend_of(const struct plan_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].backend)
			return rows[i].backend;
	return "none";
}

static int open_kernel_side(struct run *run, const uint64_t *sizes, size_t sizes_nr)
{
	int err;

	if (run->o->backend == BACKEND_NONE)
		return EXIT_DONE;
	err = open_session(run, sizes, sizes_nr);
	if (err) {
		log_error(
			"this kernel cannot be watched by backend %s (%s): netiotrace doctor says "
			"what is missing; --backend none runs the load generator alone.",
			backend__name(run->o->backend), strerror(-err));
		return EXIT_KERNEL;
	}
	return EXIT_DONE;
}

static void open_counters(struct run *run)
{
	const struct options *o = run->o;

	run->perf.off = o->perf_none;
	perf_watch__init(&run->perf, o->perf_events, o->perf_events_nr,
			 environment__is_virtual(&run->result.env));
}

static void describe_plan(struct run *run)
{
	const struct plan *plans[MODE_NR] = {NULL};
	struct result *res = &run->result;

	res->backend = "none";
	if (!run->session)
		return;
	/* The same offers were enough for these sizes when the programs were loaded. */
	if (make_plans(run->o, run->o->traffic.size, run->offers, run->plans, plans))
		return;
	res->plan_nr = plan__rows(plans, run->rows);
	res->plan = run->rows;
	res->probes = probes_of(run->rows, res->plan_nr);
	res->backend = backend_of(run->rows, res->plan_nr);
}

void run__use(struct run *run, const struct options *o)
{
	struct result *res = &run->result;

	run->o = o;
	res->version = NETIOTRACE_VERSION;
	res->argc = o->argc;
	res->argv = o->argv;
	run->traffic = o->traffic;
	if (res->env.congestion.chosen[0])
		run->traffic.congestion = res->env.congestion.chosen;
	res->traffic = run->traffic;
	res->modes_nr = o->modes_nr;
	memcpy(res->modes, o->modes, sizeof(res->modes));
	res->rounds = o->traffic.rounds;
	res->round_duration_ns = traffic__round_ns(&o->traffic);
	res->messages = o->traffic.messages;
	describe_plan(run);
}

int run__round(struct run *run, enum mode mode, unsigned int index)
{
	struct run_result *runs, *r;
	int code;

	runs = realloc(run->result.runs, (run->result.runs_nr + 1) * sizeof(*runs));
	if (!runs) {
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	run->result.runs = runs;
	r = &runs[run->result.runs_nr];
	run_result__init(r);
	code = round__run(run, mode, index, r);
	if (code || !r->duration_ns)
		run_result__clear(r);
	else
		run->result.runs_nr++;
	return code;
}

static int show_finished(struct run *run, size_t runs_before)
{
	struct result *res = &run->result;

	if (res->runs_nr == runs_before)
		return EXIT_DONE;
	if (display__finish_round(&run->display, &res->runs[runs_before])) {
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	return EXIT_DONE;
}

/* Rounds interleave the modes, so that a drift of the machine hits all alike. */
static int run_rounds(struct run *run)
{
	const struct options *o = run->o;

	for (unsigned int round = 1; round <= o->traffic.rounds && !run->stopped; round++) {
		for (size_t i = 0; i < o->modes_nr && !run->stopped; i++) {
			size_t before = run->result.runs_nr;
			int code = run__round(run, o->modes[i], round);

			if (!code)
				code = show_finished(run, before);
			if (code)
				return code;
		}
	}
	return EXIT_DONE;
}

static struct spread spread_of(const struct result *res, enum mode mode,
			       struct real (*value)(const struct run_result *r))
{
	double *values = calloc(res->runs_nr + 1, sizeof(*values));
	struct spread spread = {0};
	size_t n = 0;

	if (!values)
		return spread;
	for (size_t i = 0; i < res->runs_nr; i++) {
		struct real v = value(&res->runs[i]);

		if (res->runs[i].mode == mode && v.known)
			values[n++] = v.value;
	}
	spread = stats__spread(values, n);
	free(values);
	return spread;
}

static struct real copies_of(const struct run_result *r)
{
	return r->copies_per_byte;
}

static int summarise_mode(struct run *run, enum mode mode)
{
	struct result *res = &run->result;
	struct mode_summary *s = &res->summary[res->summary_nr];
	unsigned int rounds = 0;

	*s = (struct mode_summary){
		.mode = mode, .size = run->o->traffic.size, .threads = run->o->traffic.threads};
	run_result__init(&s->total);
	for (size_t i = 0; i < res->runs_nr; i++) {
		if (res->runs[i].mode != mode)
			continue;
		if (ledger__add(&s->total, &res->runs[i])) {
			run_result__clear(&s->total);
			return -ENOMEM;
		}
		rounds++;
	}
	if (!rounds) {
		run_result__clear(&s->total);
		return 0;
	}
	s->rounds = rounds;
	ledger__close(&s->total, s->total.balance_known);
	verdict__give(&s->total, &res->env);
	s->throughput_gbps = spread_of(res, mode, run_result__gbps);
	s->copies_per_byte = spread_of(res, mode, copies_of);
	res->summary_nr++;
	return 0;
}

int run__summarise(struct run *run)
{
	struct cpu_times now;

	machine__times(&now);
	run->result.env.machine.steal = machine__steal(&run->cpu_begin, &now);
	tap__recall(&run->result.env.taps); /* a total is over every run */
	for (size_t i = 0; i < run->o->modes_nr; i++) {
		if (summarise_mode(run, run->o->modes[i])) {
			log_error("out of memory.");
			return EXIT_RUN_FAILED;
		}
	}
	run->result.interrupted = run->stopped;
	return EXIT_DONE;
}

static int check_assertions(const struct run *run)
{
	int code = EXIT_DONE;

	for (size_t i = 0; i < run->o->assertions_nr; i++) {
		char message[512];

		if (assertion__check(run->o->assertions[i], &run->result, message, sizeof(message)))
			continue;
		log_error("--assert did not hold: %s", message);
		code = EXIT_ASSERTION;
	}
	return code;
}

static int set_up(struct run *run, const uint64_t *sizes, size_t sizes_nr)
{
	int err, code;

	err = loadgen_args__find(run->loadgen, sizeof(run->loadgen));
	if (err) {
		log_error("netio-loadgen is not beside netiotrace: %s.", strerror(-err));
		return EXIT_RUN_FAILED;
	}
	err = loop__open(&run->loop);
	if (err) {
		log_error("cannot wait for events: %s.", strerror(-err));
		return EXIT_RUN_FAILED;
	}
	code = open_path(run);
	if (code)
		return code;
	open_counters(run);
	return open_kernel_side(run, sizes, sizes_nr);
}

void run__init(struct run *run)
{
	memset(run, 0, sizeof(*run));
	run->loop = (struct loop)LOOP_INIT;
}

int run__open(struct run *run, const struct options *o, const uint64_t *sizes, size_t sizes_nr)
{
	int code;

	run->o = o;
	code = set_up(run, sizes, sizes_nr);
	if (!code)
		run__use(run, o);
	return code;
}

void run__forget(struct run *run)
{
	struct result *res = &run->result;

	for (size_t i = 0; i < res->runs_nr; i++)
		run_result__clear(&res->runs[i]);
	for (size_t i = 0; i < res->summary_nr; i++)
		run_result__clear(&res->summary[i].total);
	free(res->runs);
	res->runs = NULL;
	res->runs_nr = 0;
	res->summary_nr = 0;
}

void run__close(struct run *run)
{
	display__clear(&run->display);
	session__close(run->session);
	netpath__close(run->path);
	loop__close(&run->loop);
	free(run->offers);
	run__forget(run);
}

static int run_watched(struct run *run)
{
	const struct display_settings settings = {
		.traffic = &run->o->traffic,
		.modes = run->o->modes,
		.modes_nr = run->o->modes_nr,
		.env = &run->result.env,
		.backend = run->result.backend,
		.quiet = run->o->quiet,
	};
	int code, fd;

	display__open(&run->display, &settings);
	display__phase(&run->display, LIVE_STARTING);
	fd = display__fd(&run->display);
	if (fd >= 0)
		loop__add(&run->loop, fd);
	code = run_rounds(run);
	if (fd >= 0)
		loop__remove(&run->loop, fd);
	display__close(&run->display);
	return code;
}

static bool verified(const struct run *run)
{
	for (size_t i = 0; i < run->result.summary_nr; i++)
		if (run->result.summary[i].total.app.verify_errors.value)
			return false;
	return true;
}

static int finish(struct run *run, struct outputs *outputs)
{
	int code = run__summarise(run);

	if (!code)
		code = outputs__write(outputs, &run->result);
	if (!code && !verified(run)) {
		log_error("the receiver found messages that are not what was sent.");
		code = EXIT_RUN_FAILED;
	}
	if (!code && run->signo)
		code = EXIT_SIGNAL_BASE + run->signo;
	return code ? code : check_assertions(run);
}

int run__main(const struct options *o)
{
	struct run *run = malloc(sizeof(*run));
	struct outputs outputs = {0};
	int code;

	if (!run) {
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	run__init(run);
	run->o = o;
	code = run__check_privileges(o);
	if (!code)
		code = resolve_remote(run);
	if (!code)
		code = outputs__open(&outputs, o->output, o->quiet);
	if (!code)
		code = run__open(run, o, &o->traffic.size, 1);
	if (!code)
		code = run_watched(run);
	if (!code)
		code = finish(run, &outputs);
	outputs__abort(&outputs);
	run__close(run);
	free(run);
	return code;
}
