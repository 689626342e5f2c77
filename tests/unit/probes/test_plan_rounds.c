/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans of compared rounds and of the timed rounds beside them, and the rows of both. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/probe_results.h"
#include "support/test.h"

/* The last mode, ktls, has no events. */
#define EVENTS_NR MODE_KTLS

TEST(times_of_every_size_are_taken_if_asked_for)
{
	struct plan_request req = request(MODE_ONECOPY, 64);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan = plan_of(probe_results, &req);

	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_null(plan__no_path_time(&plan, part));
	assert_null(plan__no_stage_time(&plan, NIO_STAGE_RX_COPY));
	assert_true(plan__times_by_fentry(&plan));
	req.times = TIMES_OFF;
	plan = plan_of(probe_results, &req);
	assert_non_null(strstr(plan__no_path_time(&plan, NIO_PATH_LOCK), "--no-times"));
	assert_false(plan__times_by_fentry(&plan));
}

/* A completion is timed from its call, which a kretprobe may miss. */
TEST(completions_by_kprobes_are_timed_as_far_as_calls_are_seen)
{
	static const enum probe_id timed[] = {PROBE_CALL_TIME, PROBE_COMPLETION_TIME};
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct plan plan;

	for_each_case(p, timed) {
		req.backend = BACKEND_FENTRY;
		plan = plan_of(all_probe_results(), &req);
		assert_int_equal(plan.chosen[*p]->quality, QUALITY_EXACT);
		req.backend = BACKEND_KPROBE;
		plan = plan_of(all_probe_results(), &req);
		assert_int_equal(plan.chosen[*p]->quality, QUALITY_SAMPLED);
	}
}

/* Both plans of a mode: of its compared rounds and of its timed rounds. */
static bool make_apart(struct probe_result probe_results[OFFERS_MAX], enum mode mode, uint64_t size,
		       const char *none, struct plan plans[2])
{
	struct plan_request req = request(mode, size);

	plans[1] = plan_of(probe_results, &req);
	req.times = TIMES_APART;
	plans[0] = plan_of(probe_results, &req);
	return plan__set_apart(&plans[0], &plans[1], none);
}

TEST(separate_times_add_no_program_to_compared_rounds)
{
	static const char none[] = "no such round";
	struct probe_result probe_results[OFFERS_MAX] = {{0}};
	struct plan plans[2];

	for (int mode = 0; mode < EVENTS_NR; mode++) {
		for (uint64_t size = 64; size <= 16 << 20; size *= 16) {
			offer_all_hooks(probe_results);
			assert_true(make_apart(probe_results, mode, size, NULL, plans));
			for (int p = PROBE_CALL_TIME; p <= PROBE_COMPLETION_TIME; p++) {
				assert_null(plans[0].chosen[p]);
				if (p == PROBE_COMPLETION_TIME && !mode__has(mode, MODE_TAKES_IDS))
					continue;
				assert_ptr_equal(plans[0].reason[p], plan__reason_timed_separately);
				assert_non_null(plans[1].chosen[p]);
			}
			/* All other probes are the same. */
			for (int p = 0; p < PROBE_CALL_TIME; p++)
				assert_ptr_equal(plans[0].chosen[p], plans[1].chosen[p]);
		}
	}
	assert_false(make_apart(probe_results, MODE_ONECOPY, 65536, none, plans));
	assert_ptr_equal(plans[0].reason[PROBE_CALL_TIME], none);
	/* A part that no round can have says why. */
	withdraw(probe_results, PROBE_PIN_TIME, ANSWER_NO, -ENOENT);
	assert_true(make_apart(probe_results, MODE_ONECOPY, 65536, NULL, plans));
	assert_non_null(strstr(plans[0].reason[PROBE_PIN_TIME], "no such hook"));
	for (int p = PROBE_CALL_TIME; p <= PROBE_COMPLETION_TIME; p++)
		withdraw(probe_results, p, ANSWER_NO, -EPERM);
	assert_false(make_apart(probe_results, MODE_ONECOPY, 65536, none, plans));
	assert_non_null(strstr(plans[0].reason[PROBE_CALL_TIME], "permission denied"));
}

/* With tracepoints, a completion is a notification that is read: events are a sample. */
TEST(zero_copy_by_tracepoints_samples_its_events)
{
	struct probe_result *probe_results = all_probe_results();
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct plan plan, base_plan;

	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == BACKEND_FENTRY ||
		    plan_alternatives[i].backend == BACKEND_KPROBE)
			probe_results[i] = (struct probe_result){ANSWER_NO, -EPERM};
	req.times = TIMES_OFF;
	plan = plan_of(probe_results, &req);
	assert_true(plan__can_detach(&plan, &base_plan));
	assert_null(base_plan.chosen[PROBE_SEND_RETURN]);
	assert_null(base_plan.chosen[PROBE_RX_COPY]);
	assert_null(base_plan.chosen[PROBE_COMPLETION]);
	assert_null(base_plan.chosen[PROBE_DEFERRED_COPY]);
	assert_ptr_equal(base_plan.chosen[PROBE_SOCKETS], plan.chosen[PROBE_SOCKETS]);
	/* skb_copy_ubufs() counts exactly, so its program stays attached. */
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_DEFERRED_COPY)
			probe_results[i] = (struct probe_result){ANSWER_YES, 0};
	plan = plan_of(probe_results, &req);
	assert_int_not_equal(plan.chosen[PROBE_DEFERRED_COPY]->backend, BACKEND_TRACEPOINT);
	assert_false(plan__can_detach(&plan, &base_plan));
}

/* Programs stay attached if they book bytes that sequence numbers do not have. */
TEST(copy_modes_can_sample_their_events)
{
	struct probe_result probe_results[OFFERS_MAX] = {{0}};
	struct plan plans[2], base_plan;

	for (int mode = 0; mode < EVENTS_NR; mode++) {
		offer_all_hooks(probe_results);
		make_apart(probe_results, mode, 65536, NULL, plans);
		assert_int_equal(plan__can_detach(&plans[0], &base_plan),
				 !mode__has(mode, MODE_PINS));
		assert_null(base_plan.chosen[PROBE_SEND_RETURN]);
		assert_null(base_plan.chosen[PROBE_RX_COPY]);
		assert_ptr_equal(base_plan.chosen[PROBE_OTHER_COPY],
				 plans[0].chosen[PROBE_OTHER_COPY]);
		assert_ptr_equal(base_plan.chosen[PROBE_SOCKETS], plans[0].chosen[PROBE_SOCKETS]);
	}
}

static const struct plan_row *row_named(const struct plan_row *rows, size_t n, const char *probe)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].probe, probe) == 0)
			return &rows[i];
	fail_msg("no row %s", probe);
	return NULL;
}

TEST(rows_name_the_modes_they_serve)
{
	const struct plan *plans[MODE_NR] = {NULL}, *timed[MODE_NR] = {NULL},
			  *none[MODE_NR] = {NULL};
	struct plan_row rows[PLAN_ROWS_MAX];
	struct probe_result *probe_results = all_probe_results();
	struct plan made[MODE_NR][2];
	unsigned int ids = 0;
	size_t n;

	for (int mode = 0; mode < EVENTS_NR; mode++) {
		ids |= (unsigned int)(mode__has(mode, MODE_TAKES_IDS) != 0) << mode;
		assert_true(make_apart(probe_results, mode, 1024, NULL, made[mode]));
		plans[mode] = &made[mode][0];
		timed[mode] = &made[mode][1];
	}
	n = plan__rows(plans, timed, rows);
	assert_int_equal(n, PROBE_SOCKETS + 1); /* the probes of run */
	assert_int_equal(row_named(rows, n, "send_return")->modes, 0);
	assert_int_equal(row_named(rows, n, "completion")->modes, ids);
	assert_int_equal(row_named(rows, n, "request")->modes, 1U << MODE_URINGZC);
	assert_int_equal(row_named(rows, n, "rx_copy")->modes, 0);
	assert_false(row_named(rows, n, "rx_copy")->apart);
	assert_true(row_named(rows, n, "call_time")->apart);
	assert_string_equal(row_named(rows, n, "call_time")->hook, "fentry,fexit/tcp_sendmsg");
	assert_string_equal(row_named(rows, n, "send_return")->stage, "tx_copy, tx_pin, tx_splice");
	assert_string_equal(row_named(rows, n, "rx_copy")->stage, "rx_copy");
	n = plan__rows(plans, none, rows);
	assert_null(row_named(rows, n, "call_time")->hook);
	assert_non_null(row_named(rows, n, "call_time")->reason);
}

/* A plan that takes times itself has no timed rounds and keeps its reasons. */
TEST(plan_that_takes_times_is_not_split)
{
	struct plan plan = plan_of_mode(MODE_ZEROCOPY), before = plan;

	assert_false(plan__set_apart(&plan, &before, NULL));
	assert_memory_equal(&plan, &before, sizeof(plan));
}

/* A missing probe that counts bytes does not move to the timed round. */
TEST(only_times_move_to_the_timed_round)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan, before, timed;

	withdraw(probe_results, PROBE_DEFERRED_COPY, ANSWER_NO, 0);
	timed = plan_of(probe_results, &req);
	req.times = TIMES_APART;
	before = plan = plan_of(probe_results, &req);
	assert_true(plan__set_apart(&plan, &timed, NULL));
	for (int p = 0; p < PROBE_NR; p++) {
		if (probe__measures_times(p))
			continue;
		assert_ptr_equal(plan.reason[p], before.reason[p]);
		assert_ptr_equal(plan.remedy[p], before.remedy[p]);
	}
}
