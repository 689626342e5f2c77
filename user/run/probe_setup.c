/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans, and the programs they ask for; see probe_setup.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/privileges.h"
#include "common/xalloc.h"
#include "kernel/loader.h"
#include "kernel/refusal.h"
#include "probe_setup.h"
#include "watched_sockets.h"

static const char only_messages[] =
	"not used: with --messages there is no separate timed round; --times measures in the round "
	"itself";
static const char stays_attached[] = "not used: before Linux 5.13 a program cannot be attached a "
				     "second time, which a separate timed round needs; --times "
				     "measures in each round";

/* For one size: the plans of rounds by mode, then of timed rounds. */
#define PLANS_NR (2 * MODE_NR)

unsigned int probe_setup__takes(enum receive way)
{
	static const struct {
		enum receive_feature feature;
		enum nio_stage stage;
	} rows[] = {
		{RECEIVE_COPIES, NIO_STAGE_RX_COPY},
		{RECEIVE_MAPS, NIO_STAGE_RX_MAP},
		{RECEIVE_DISCARDS, NIO_STAGE_RX_DISCARD},
		{RECEIVE_SPLICES, NIO_STAGE_RX_SPLICE},
	};
	unsigned int stages = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (receive__has(way, rows[i].feature))
			stages |= 1U << rows[i].stage;
	return stages == 1U << NIO_STAGE_RX_COPY ? 0 : stages;
}

static struct plan_request plan_request(const struct runner *runner, enum mode mode, uint64_t size)
{
	const struct options *o = runner->o;

	return (struct plan_request){
		.backend = o->backend,
		.mode = mode,
		.size = size,
		/* A fixed number of messages is asked for to be counted. */
		.count_calls = o->count_calls || o->workload.messages,
		.times = o->times,
		.takes = probe_setup__takes(o->workload.receive),
		.decrypts_directly = o->workload.tls == WORKLOAD_TLS_1_2,
	};
}

static int make_timed_plan(const struct runner *runner, struct plan_request req, struct plan *plan,
			   struct plan *timed, bool *any)
{
	const char *none;
	int err;

	req.times = TIMES_ON;
	err = plan__make(timed, runner->probe_results, &req);
	none = plan__times_by_fentry(timed) ? runner->timing.none : NULL;
	if (runner->o->workload.messages)
		none = only_messages;
	*any = plan__set_apart(plan, timed, none);
	return err;
}

/* Makes the plans of each mode of e->o for messages of this size. pointers: NULL if not used. */
static int make_plans(const struct runner *runner, uint64_t size, struct plan plans[PLANS_NR],
		      const struct plan *pointers[PLANS_NR])
{
	const struct options *o = runner->o;

	for (size_t i = 0; i < o->without_nr; i++)
		plan__withhold(OBJECT_RUN, runner->probe_results, o->without[i]);
	for (size_t i = 0; i < o->modes_nr; i++) {
		enum mode mode = o->modes[i];
		struct plan *plan = &plans[mode], *timed = &plans[MODE_NR + mode];
		struct plan_request req = plan_request(runner, mode, size);
		bool any = false;
		int err = plan__make(plan, runner->probe_results, &req);

		if (!err && req.times == TIMES_APART)
			err = make_timed_plan(runner, req, plan, timed, &any);
		if (err)
			return err;
		pointers[mode] = plan;
		pointers[MODE_NR + mode] = any ? timed : NULL;
	}
	return 0;
}

/* Loads the programs that any of the sizes needs, as far as the kernel has them. */
static int load_programs(struct runner *runner, const uint64_t *sizes, size_t sizes_nr)
{
	size_t n = sizes_nr * PLANS_NR;
	struct plan *plans = xcalloc(n, sizeof(*plans));
	const struct plan **pointers = xcalloc(n, sizeof(*pointers));
	int err = 0;

	for (size_t i = 0; i < sizes_nr && !err; i++)
		err = make_plans(runner, sizes[i], &plans[i * PLANS_NR], &pointers[i * PLANS_NR]);
	if (!err)
		err = watched_sockets__open(runner, pointers, n);
	free(pointers);
	free(plans);
	return err;
}

/*
 * Plans by what the kernel seems to have and loads that, which is fast and usually right. After a
 * refusal, tries each hook alone and plans again.
 */
static int open_programs(struct runner *runner, const uint64_t *sizes, size_t sizes_nr)
{
	int err;

	runner->probe_results = xcalloc(plan_alternatives_nr, sizeof(*runner->probe_results));
	if (!loader__attaches_again())
		runner->timing.none = stays_attached;
	loader__presume(OBJECT_RUN, runner->probe_results, runner->o->backend);
	err = load_programs(runner, sizes, sizes_nr);
	if (err && err != -EOPNOTSUPP) {
		log_info("the full set of probes was refused (%s): trying each", strerror(-err));
		loader__try_all(runner->probe_results);
		err = load_programs(runner, sizes, sizes_nr);
	}
	return err;
}

static unsigned int probes_of(const struct plan_row *rows, size_t n)
{
	unsigned int probes = 0;

	for (size_t i = 0; i < n; i++)
		probes += rows[i].hook != NULL && !rows[i].apart;
	return probes;
}

/* An error that left a hook untried, such as too few files or too little memory. 0: none. */
static int error_of_results(const struct runner *runner)
{
	for (size_t i = 0; runner->probe_results && i < plan_alternatives_nr; i++)
		if (runner->probe_results[i].answer == ANSWER_UNKNOWN &&
		    runner->probe_results[i].err)
			return runner->probe_results[i].err;
	return 0;
}

static int reject(const struct runner *runner, int err)
{
	const char *backend = backend__name(runner->o->backend);
	int unknown = err == -EOPNOTSUPP ? error_of_results(runner) : 0;
	const char *why = refusal__of_moment(unknown ? unknown : err);

	if (why) {
		log_error("the kernel cannot be watched: %s; --backend none runs the load "
			  "generator alone.",
			  why);
		return EXIT_RUN_FAILED;
	}
	log_error(
		"this kernel cannot be watched by backend %s (%s): netiotrace doctor says what is "
		"missing; --backend none runs the load generator alone.",
		backend, strerror(-err));
	return EXIT_KERNEL;
}

int probe_setup__open(struct runner *runner, const uint64_t *sizes, size_t sizes_nr)
{
	int err;

	if (runner->o->backend == BACKEND_NONE)
		return EXIT_DONE;
	err = open_programs(runner, sizes, sizes_nr);
	if (err && privileges__in_user_namespace()) {
		log_error("%s: start it outside, or with --backend none for the load generator "
			  "alone.",
			  privileges__namespace_text);
		return EXIT_PRIVILEGES;
	}
	return err ? reject(runner, err) : EXIT_DONE;
}

void probe_setup__describe(struct runner *runner)
{
	const struct plan *pointers[PLANS_NR] = {NULL};
	struct plan plans[PLANS_NR];
	struct result *res = &runner->result;

	res->backend = "none";
	memset(runner->timing.any, 0, sizeof(runner->timing.any));
	if (!runner->probes)
		return;
	/* The same hooks were enough for these sizes when the programs were loaded. */
	if (make_plans(runner, runner->o->workload.size, plans, pointers))
		return;
	for (int mode = 0; mode < MODE_NR; mode++) {
		runner->timing.any[mode] = pointers[MODE_NR + mode];
		if (pointers[mode])
			runner->plans[mode] = plans[mode];
		if (runner->timing.any[mode])
			runner->timing.plans[mode] = plans[MODE_NR + mode];
	}
	res->plan_nr = plan__rows(pointers, pointers + MODE_NR, runner->rows);
	res->plan = runner->rows;
	res->probes = probes_of(runner->rows, res->plan_nr);
	res->backend = plan__backend(runner->rows, res->plan_nr);
}
