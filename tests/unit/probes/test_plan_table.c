/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan for many invented kernels and requests, a line each, as a golden file: hooks by their
 * number in the table, reasons by a letter that is explained at the end (a remedy after a slash).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/golden.c"
#include "support/legend.h"
#include "support/probe_results.h"
#include "support/test.h"

static void record_probes(const struct plan *plan)
{
	for (int p = 0; p <= PROBE_SOCKETS; p++) {
		if (plan->chosen[p])
			record(" %d", (int)(plan->chosen[p] - plan_alternatives));
		else
			record(" %c", legend__letter(plan->reason[p]));
		if (plan->remedy[p])
			record("/%c", legend__letter(plan->remedy[p]));
	}
}

static void record_stages(const struct plan *plan)
{
	record(" |");
	for (enum nio_stage s = 0; s < NIO_STAGE_NR; s++) {
		struct stage_source stage = plan__stage(plan, s);

		record(" %c%c%c%c", *quality__name(stage.quality), legend__letter(stage.event),
		       legend__letter(stage.reason), legend__letter(plan__no_stage_time(plan, s)));
	}
	record(" |");
	for (enum nio_path_part part = 0; part < NIO_PATH_NR; part++)
		record("%c", legend__letter(plan__no_path_time(plan, part)));
}

static void record_plan(const struct plan *plan, int err)
{
	struct plan base_plan;
	bool can_detach = plan__can_detach(plan, &base_plan);

	record(" %d:", err);
	record_probes(plan);
	record_stages(plan);
	record(" | %u %d%d%d%d%d%d", plan__probes(plan), plan__completions_by_kernel(plan),
	       plan__notifications_apart(plan), plan__keeps_events(plan), plan__pairs_events(plan),
	       plan__times_by_fentry(plan), can_detach);
	if (can_detach)
		record(" %u", plan__probes(&base_plan));
	record("\n");
}

static void make(const struct probe_result *probe_results, const struct plan_request *req)
{
	struct plan plan;
	int err = plan__make(&plan, probe_results, req);

	record_plan(&plan, err == -EOPNOTSUPP ? 1 : err);
}

/* Sizes around the one from which calls are counted; a forced backend has two of them. */
static void record_sizes(const struct probe_result *probe_results, const struct plan_request *req)
{
	struct plan_request one = *req;

	for (int how = 0; how < 8; how += req->backend == BACKEND_AUTO ? 1 : 5) {
		one.size = PLAN_COUNT_CALLS_SIZE - (how & 1 ? 0 : 1);
		one.count_calls = how & 2;
		one.in_slices = how & 4;
		record("%s %s %d%d%d%d", mode__name(req->mode), backend__name(req->backend),
		       (int)req->times, how & 1, one.count_calls, one.in_slices);
		make(probe_results, &one);
	}
}

TEST(every_request_is_recorded)
{
	struct probe_result probe_results[OFFERS_MAX] = {{0}};
	struct plan_request req = {0};

	offer_all_hooks(probe_results);
	for (req.mode = 0; req.mode < MODE_NR; req.mode++)
		for (req.backend = 0; req.backend <= BACKEND_AUTO; req.backend++)
			for (req.times = TIMES_APART; req.times <= TIMES_OFF; req.times++)
				record_sizes(probe_results, &req);
}

/* A backend, a probe or one hook is missing, for each of these errors. */
TEST(every_missing_hook_is_recorded)
{
	static const int errors[] = {0,           -ENOENT, -ESRCH,  -ECANCELED, -EPROTOTYPE,
				     -EPERM,      -EACCES, -ENOMEM, -EAGAIN,    -EBUSY,
				     -EOPNOTSUPP, -524,    -EINVAL};
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result probe_results[OFFERS_MAX] = {{0}};

	for (size_t e = 0; e < ARRAY_LEN(errors); e++) {
		offer_all_hooks(probe_results);
		withdraw(probe_results, PROBE_OTHER_COPY, ANSWER_NO, errors[e]);
		record("other_copy %d", errors[e]);
		make(probe_results, &req);
	}
	for (enum backend b = 0; b < BACKEND_NR; b++) {
		offer_all_hooks(probe_results);
		withdraw_backend(probe_results, b, -EPERM);
		record("no %s", backend__name(b));
		make(probe_results, &req);
	}
	for (enum probe_id p = 0; p <= PROBE_SOCKETS; p++)
		for (enum mode mode = 0; mode < MODE_NR; mode++) {
			req.mode = mode;
			offer_all_hooks(probe_results);
			withdraw(probe_results, p, ANSWER_NO, -EPERM);
			record("%s no %s", mode__name(mode), plan_probes[p].name);
			make(probe_results, &req);
		}
	req.mode = MODE_ZEROCOPY;
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		if (plan_alternatives[i].object != OBJECT_RUN)
			continue;
		offer_all_hooks(probe_results);
		probe_results[i] = (struct probe_result){.answer = ANSWER_NO, .err = -EPERM};
		record("not %zu", i);
		make(probe_results, &req);
	}
}

/* Both hooks of a probe are refused, with each pair of errors. */
TEST(every_pair_of_refusals_is_recorded)
{
	static const int errors[] = {-ENOENT, -ESRCH, -EPROTOTYPE, -EPERM, -ENOMEM, -ECANCELED};
	const size_t n = ARRAY_LEN(errors);
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result probe_results[OFFERS_MAX] = {{0}};

	for (size_t pair = 0; pair < n * n; pair++) {
		struct plan plan;
		int first = errors[pair / n], second = errors[pair % n];
		bool met = false;

		offer_all_hooks(probe_results);
		for (size_t i = 0; i < plan_alternatives_nr; i++) {
			if (plan_alternatives[i].probe != PROBE_COALESCE)
				continue;
			probe_results[i] = (struct probe_result){ANSWER_NO, met ? second : first};
			met = true;
		}
		plan = plan_of(probe_results, &req);
		record("%d %d: %c%c\n", first, second, legend__letter(plan.reason[PROBE_COALESCE]),
		       legend__letter(plan.remedy[PROBE_COALESCE]));
	}
}

/* A timed round without one of its probes. */
TEST(every_missing_probe_of_a_timed_round_is_recorded)
{
	static const char *const none[] = {NULL, "no such round"};
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result probe_results[OFFERS_MAX] = {{0}};
	struct plan plan, timed;

	for (enum probe_id p = PROBE_CALL_TIME; p <= PROBE_SOCKETS + 1; p++)
		for (int why = 0; why < 2; why++) {
			offer_all_hooks(probe_results);
			withdraw(probe_results, p, ANSWER_NO, -EPERM);
			req.times = TIMES_ON;
			timed = plan_of(probe_results, &req);
			req.times = TIMES_APART;
			plan = plan_of(probe_results, &req);
			record("apart %d %d", (int)p, why);
			record_plan(&plan, plan__set_apart(&plan, &timed, none[why]));
		}
}

/* A pass of iter/tcp can damage kernels from 5.15 on (docs/KERNELS.md). */
TEST(no_plan_uses_the_iterator_over_TCP_sockets)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		assert_false(!strncmp(plan_alternatives[i].hook, "iter/", 5) &&
			     strstr(plan_alternatives[i].hook, "tcp"));
}

TEST(recorded_plans_match_the_golden_file)
{
	legend__record();
	record__check("plans");
}
