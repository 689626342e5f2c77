/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks that an invented kernel lacks: what the plan loses, and the reason it gives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/probe_results.h"
#include "support/test.h"

TEST(missing_hook_costs_its_stage_only)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct stage_source stage;
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	withdraw(probe_results, PROBE_DEFERRED_COPY, ANSWER_NO, -EPERM);
	plan = plan_of(probe_results, &req);
	stage = plan__stage(&plan, NIO_STAGE_DEFERRED_COPY);
	assert_int_equal(stage.quality, QUALITY_UNAVAILABLE);
	assert_non_null(strstr(stage.reason, "permission denied"));
	stage = plan__stage(&plan, NIO_STAGE_RX_COPY);
	assert_int_equal(stage.quality, QUALITY_EXACT);
	assert_null(stage.reason);
}

TEST(locked_down_kernel_uses_tracepoints)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct stage_source stage;
	struct plan plan;

	withdraw_backend(probe_results, BACKEND_FENTRY, -EPERM);
	withdraw_backend(probe_results, BACKEND_KPROBE, -ENOENT);
	plan = plan_of(probe_results, &req);
	assert_int_equal(plan.chosen[PROBE_SEND_RETURN]->backend, BACKEND_TRACEPOINT);
	assert_string_equal(plan.chosen[PROBE_COMPLETION]->programs, "nio_at_report");
	assert_false(plan__completions_by_kernel(&plan));
	/* There is no meter. */
	assert_false(plan__keeps_events(&plan));
	/* Of two refusals the more informative one is the reason. */
	stage = plan__stage(&plan, NIO_STAGE_OTHER_COPY);
	assert_non_null(strstr(stage.reason, "permission denied"));
	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_non_null(plan__no_path_time(&plan, part));
	stage = plan__stage(&plan, NIO_STAGE_TX_PIN);
	assert_int_equal(stage.quality, QUALITY_EXACT);
}

/* A part is unknown if its end is not seen or it would include another part's time. */
TEST(missing_event_costs_the_parts_that_it_ends)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	withdraw(probe_results, PROBE_TRANSMIT_TIME, ANSWER_NO, -ENOENT);
	plan = plan_of(probe_results, &req);
	assert_non_null(strstr(plan__no_path_time(&plan, NIO_PATH_COPY), "no such hook"));
	assert_non_null(plan__no_path_time(&plan, NIO_PATH_TRANSMIT));
	assert_non_null(plan__no_path_time(&plan, NIO_PATH_OTHER));
	assert_null(plan__no_path_time(&plan, NIO_PATH_LOCK));
	assert_null(plan__no_path_time(&plan, NIO_PATH_WAIT));
	offer_all_hooks(probe_results);
	withdraw(probe_results, PROBE_PREEMPTED_TIME, ANSWER_NO, -ENOENT);
	plan = plan_of(probe_results, &req);
	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_non_null(strstr(plan__no_path_time(&plan, part), "no such hook"));
	assert_non_null(plan__no_stage_time(&plan, NIO_STAGE_TX_COPY));
	offer_all_hooks(probe_results);
	withdraw(probe_results, PROBE_CALL_TIME, ANSWER_NO, -EPERM);
	plan = plan_of(probe_results, &req);
	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_non_null(strstr(plan__no_path_time(&plan, part), "permission denied"));
	assert_null(plan.chosen[PROBE_INLINE_TIME]);
}

/* If several events are missing, the first one in the order of a call is the reason. */
TEST(first_missing_event_is_the_reason)
{
	static const enum probe_id release[] = {PROBE_CALL_TIME, PROBE_PREEMPTED_TIME},
				   wait[] = {PROBE_CALL_TIME, PROBE_PREEMPTED_TIME,
					     PROBE_WAIT_TIME},
				   copy[] = {PROBE_CALL_TIME, PROBE_PREEMPTED_TIME, PROBE_COPY_TIME,
					     PROBE_WAIT_TIME, PROBE_TRANSMIT_TIME},
				   pin[] = {PROBE_CALL_TIME, PROBE_PREEMPTED_TIME, PROBE_PIN_TIME},
				   transmit[] = {PROBE_CALL_TIME, PROBE_PREEMPTED_TIME,
						 PROBE_TRANSMIT_TIME, PROBE_INLINE_TIME};
	static const struct {
		enum nio_path_part part;
		const enum probe_id *needs;
		size_t n;
	} parts[] = {{NIO_PATH_RELEASE, release, 2}, {NIO_PATH_PREEMPTED, release, 2},
		     {NIO_PATH_WAIT, wait, 3},       {NIO_PATH_COPY, copy, 5},
		     {NIO_PATH_PIN, pin, 3},         {NIO_PATH_TRANSMIT, transmit, 4}};
	static const char *const reasons[] = {"first", "second", "third", "fourth", "fifth"};
	static const struct alternative there;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		for (size_t from = 0; from <= parts[i].n; from++) {
			struct plan plan = {0};
			const char *why;

			for (size_t k = 0; k < parts[i].n; k++) {
				plan.chosen[parts[i].needs[k]] = k < from ? &there : NULL;
				plan.reason[parts[i].needs[k]] = reasons[k];
			}
			why = plan__no_path_time(&plan, parts[i].part);
			if (from == parts[i].n)
				assert_null(why);
			else
				assert_string_equal(why, reasons[from]);
		}
	}
}

TEST(hook_can_be_withheld_by_name)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result probe_results[OFFERS_MAX] = {{0}};
	struct plan plan;

	assert_int_equal(plan__withhold(OBJECT_RUN, NULL, "no_such_function"), 0);
	assert_int_equal(plan__withhold(OBJECT_RUN, NULL, "tp_btf/tcp_rcv_space_adjust"), 1);
	offer_all_hooks(probe_results);
	/* The bare name withholds the hooks of both backends. */
	assert_int_equal(plan__withhold(OBJECT_RUN, probe_results, "tcp_write_xmit"), 2);
	plan = plan_of(probe_results, &req);
	assert_string_equal(plan__no_path_time(&plan, NIO_PATH_TRANSMIT), "withheld by --without");
	assert_null(plan.remedy[PROBE_TRANSMIT_TIME]);
	plan__withhold(OBJECT_RUN, probe_results, "sock_send_length");
	plan = plan_of(probe_results, &req);
	assert_string_equal(plan.chosen[PROBE_SEND_RETURN]->hook, "fexit/tcp_sendmsg_locked");
}

/* "Copy modes have no such copies" is not a reason for zero-copy. */
TEST(row_without_a_hook_has_the_reason_of_the_mode_that_needs_it)
{
	const struct plan *pointers[MODE_NR], *timed[MODE_NR] = {NULL};
	struct probe_result *probe_results = all_probe_results();
	struct plan_row rows[PLAN_ROWS_MAX];
	struct plan plans[MODE_NR];
	size_t n, seen = 0;

	withdraw(probe_results, PROBE_DEFERRED_COPY, ANSWER_NO, -EPERM);
	for (int m = 0; m < MODE_NR; m++) {
		struct plan_request req = request(m, 65536);

		assert_int_equal(plan__make(&plans[m], probe_results, &req), 0);
		pointers[m] = &plans[m];
	}
	n = plan__rows(pointers, timed, rows);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].stage, "deferred_copy"))
			continue;
		seen++;
		assert_null(rows[i].hook);
		assert_non_null(strstr(rows[i].reason, "permission denied"));
		assert_non_null(rows[i].remedy);
	}
	assert_int_equal(seen, 1);
	/* With copy modes only, that is the reason. */
	pointers[MODE_ZEROCOPY] = pointers[MODE_URINGZC] = NULL;
	n = plan__rows(pointers, timed, rows);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].stage, "deferred_copy"))
			assert_ptr_equal(rows[i].reason, plan__by_construction);
}

/* EMFILE is not a property of the kernel, and another kernel not the remedy. */
TEST(resource_limit_is_not_a_refusal_of_the_kernel)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	withdraw(probe_results, PROBE_COMPLETION, ANSWER_UNKNOWN, -EMFILE);
	plan = plan_of(probe_results, &req);
	assert_non_null(strstr(plan.reason[PROBE_COMPLETION], "could not be tried"));
	assert_non_null(strstr(plan.remedy[PROBE_COMPLETION], "ulimit -n"));
	withdraw(probe_results, PROBE_COMPLETION, ANSWER_UNKNOWN, -ENOMEM);
	plan = plan_of(probe_results, &req);
	assert_null(strstr(plan.remedy[PROBE_COMPLETION], "kernel"));
	withdraw(probe_results, PROBE_COMPLETION, ANSWER_NO, -EPERM);
	plan = plan_of(probe_results, &req);
	assert_non_null(strstr(plan.remedy[PROBE_COMPLETION], "stock kernel"));
}
