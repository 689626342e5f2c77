/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan on invented kernels: chosen hooks, and reasons and remedies of refusals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/probe_results.h"
#include "support/test.h"

TEST(table_of_alternatives_is_consistent)
{
	assert_in_range(plan_alternatives_nr, 1, OFFERS_MAX);
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *a = &plan_alternatives[i];

		assert_in_range(a->probe, 0, PROBE_NR - 1);
		assert_non_null(plan_probes[a->probe].name);
		assert_true(!a->declared || a->object == OBJECT_ATTACH);
		if (a->probe == PROBE_SOCKETS || a->probe == PROBE_EARLIER_SOCKETS)
			assert_int_equal(a->backend, BACKEND_ITERATOR);
		else
			assert_in_range(a->backend, 0, BACKEND_NR - 1);
		assert_non_null(strchr(a->hook, '/'));
		/* Only exact quality has no caveat. */
		assert_true((a->quality == QUALITY_EXACT) == (a->caveat == NULL));
		/* With several programs, the row names the function for the arguments. */
		if (a->args && strchr(a->programs, ' ') && strstr(a->programs, "nio_tp_"))
			assert_non_null(a->function);
	}
}

/* A tracepoint can be detached, and is used at any size. */
TEST(small_messages_have_no_program_on_the_send_function)
{
	static const struct {
		uint64_t size;
		enum backend backend;
		bool count_calls, calls;
	} cases[] = {
		{PLAN_COUNT_CALLS_SIZE, BACKEND_FENTRY, false, true},
		{PLAN_COUNT_CALLS_SIZE - 1, BACKEND_AUTO, false, true},
		{PLAN_COUNT_CALLS_SIZE - 1, BACKEND_FENTRY, false, false},
		{PLAN_COUNT_CALLS_SIZE - 1, BACKEND_KPROBE, false, false},
		{64, BACKEND_KPROBE, true, true},
	};

	for_each_case(c, cases) {
		struct plan_request req = request(MODE_TWOCOPY, c->size);
		struct probe_result *probe_results = all_probe_results();
		struct plan plan;

		req.backend = c->backend;
		req.count_calls = c->count_calls;
		plan__withhold(OBJECT_RUN, probe_results,
			       c->backend == BACKEND_AUTO ? "none" : "sock_send_length");
		plan = plan_of(probe_results, &req);
		assert_int_equal(plan.chosen[PROBE_SEND_RETURN] != NULL, c->calls);
		if (!c->calls)
			assert_non_null(strstr(plan.reason[PROBE_SEND_RETURN], "several percent"));
	}
}

/* The order of the table, from its first row on. */
TEST(first_alternative_of_a_probe_is_chosen_if_all_work)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct plan plan;

	req.backend = BACKEND_FENTRY;
	plan = plan_of(all_probe_results(), &req);
	assert_ptr_equal(plan.chosen[plan_alternatives[0].probe], &plan_alternatives[0]);
}

/* The socket iteration alone gives the bytes, with any backend. */
TEST(socket_iteration_is_used_with_every_backend)
{
	struct probe_result *probe_results = all_probe_results();

	withdraw(probe_results, PROBE_SEND_RETURN, ANSWER_NO, -ENOENT);
	for (int b = 0; b <= BACKEND_AUTO; b++) {
		struct plan_request req = request(MODE_ZEROCOPY, 65536);
		struct plan plan;

		req.backend = b;
		plan = plan_of(probe_results, &req);
		assert_string_equal(plan.chosen[PROBE_SOCKETS]->hook, "iter/task_file");
	}
}

/* The probe would run for every packet, to count 0. */
TEST(copy_modes_have_no_deferred_copies_by_construction)
{
	struct stage_source stage;
	struct plan plan = plan_of_mode(MODE_ONECOPY);

	assert_null(plan.chosen[PROBE_DEFERRED_COPY]);
	stage = plan__stage(&plan, NIO_STAGE_DEFERRED_COPY);
	assert_int_equal(stage.quality, QUALITY_DERIVED);
	assert_ptr_equal(stage.reason, plan__by_construction);
	assert_null(plan__no_stage_time(&plan, NIO_STAGE_DEFERRED_COPY));
	plan = plan_of_mode(MODE_ZEROCOPY);
	assert_non_null(plan.chosen[PROBE_DEFERRED_COPY]);
}

/* Without a hook that shows messages, the mode says how bytes were sent; arrivals are not known. */
TEST(requests_of_io_uring_are_followed_from_their_message)
{
	struct plan_request req = request(MODE_URINGZC, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct stage_source stage;
	struct plan plan;

	for (int b = 0; b <= BACKEND_AUTO; b++) {
		req.backend = b;
		plan = plan_of(probe_results, &req);
		assert_non_null(plan.chosen[PROBE_MESSAGE]);
		assert_non_null(plan.chosen[PROBE_DEFERRED_COPY]);
		assert_string_equal(plan.chosen[PROBE_REQUEST]->programs, "nio_at_completion");
		assert_null(plan.chosen[PROBE_COMPLETION]);
		assert_null(plan.chosen[PROBE_REFUSAL]);
		assert_null(plan.chosen[PROBE_PLACES]);
		assert_null(plan__no_completions(&plan));
		assert_int_equal(plan__stage(&plan, NIO_STAGE_TX_PIN).quality, QUALITY_EXACT);
	}
	plan__withhold(OBJECT_RUN, probe_results, "tcp_sendmsg_locked");
	plan__withhold(OBJECT_RUN, probe_results, "kprobe/tcp_push");
	req.backend = BACKEND_AUTO;
	plan = plan_of(probe_results, &req);
	assert_string_equal(plan.chosen[PROBE_SEND_RETURN]->programs, "nio_at_send");
	stage = plan__stage(&plan, NIO_STAGE_TX_PIN);
	assert_int_equal(stage.quality, QUALITY_DERIVED);
	assert_non_null(strstr(stage.reason, "by the mode"));
	assert_null(plan.chosen[PROBE_DEFERRED_COPY]);
	assert_null(plan.chosen[PROBE_REQUEST]);
	assert_non_null(plan__no_completions(&plan));
}

/* Messages tell nothing that the mode does not. */
TEST(other_modes_watch_no_messages_and_no_requests)
{
	for (enum mode mode = 0; mode < MODE_NR; mode++) {
		struct plan plan = plan_of_mode(mode);
		bool requests = mode__has(mode, MODE_PINS_BY_URING);

		assert_int_equal(plan.chosen[PROBE_MESSAGE] != NULL, requests);
		assert_int_equal(plan.chosen[PROBE_REQUEST] != NULL, requests);
		/* It also shows what a sockmap sends, in any mode. */
		assert_int_equal(plan.chosen[PROBE_SENDPAGE] != NULL,
				 !mode__has(mode, MODE_ENCRYPTS));
		assert_int_equal(plan.chosen[PROBE_COMPLETION] != NULL,
				 mode__has(mode, MODE_TAKES_IDS) != 0);
		assert_null(plan__no_completions(&plan));
	}
}

/*
 * Events would show records: the sockets count them, with any backend. Only what kTLS does not
 * decrypt directly has events, which are never sampled.
 */
TEST(kTLS_needs_the_sockets_and_no_event)
{
	for (enum backend b = 0; b <= BACKEND_AUTO; b++) {
		struct plan_request req = request(MODE_KTLS, 65536);
		struct plan plan, base_plan;

		req.backend = b;
		plan = plan_of(all_probe_results(), &req);
		assert_int_equal(plan__probes(&plan), 1);
		assert_non_null(plan.chosen[PROBE_SOCKETS]);
		assert_non_null(plan__no_path_time(&plan, NIO_PATH_COPY));
		assert_false(plan__can_detach(&plan, &base_plan));
		req.decrypts_directly = true;
		plan = plan_of(all_probe_results(), &req);
		assert_int_equal(plan__probes(&plan), 2);
		assert_string_equal(plan.chosen[PROBE_RX_COPY]->programs,
				    "nio_at_receive nio_at_receive_notices nio_at_receive_alone");
		assert_false(plan__can_detach(&plan, &base_plan));
	}
}

TEST(backend_without_hooks_is_refused_with_a_remedy)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	withdraw_backend(probe_results, BACKEND_KPROBE, -EPERM);
	req.backend = BACKEND_KPROBE;
	assert_int_equal(plan__make(&plan, probe_results, &req), -EOPNOTSUPP);
	assert_non_null(strstr(plan.reason[PROBE_CALL_TIME], "permission denied"));
	assert_non_null(plan.remedy[PROBE_CALL_TIME]);
}

/* Times have no other hook; events that functions do not show come from tracepoints. */
TEST(forced_backend_excludes_the_other_functions)
{
	struct probe_result *probe_results = all_probe_results();

	for (int b = 0; b < BACKEND_NR; b++) {
		struct plan_request req = request(MODE_ZEROCOPY, 65536);
		struct plan plan;

		req.backend = b;
		plan = plan_of(probe_results, &req);
		assert_int_equal(plan.chosen[PROBE_SEND_RETURN]->backend, b);
		assert_int_equal(plan.chosen[PROBE_DEFERRED_COPY]->backend, b);
		assert_int_equal(plan.chosen[PROBE_RX_COPY]->backend, BACKEND_TRACEPOINT);
		for (int p = 0; p < PROBE_NR; p++)
			if (plan.chosen[p] && p != PROBE_SOCKETS &&
			    plan.chosen[p]->backend != BACKEND_TRACEPOINT)
				assert_int_equal(plan.chosen[p]->backend, b);
	}
}

TEST(backend_names_are_parsed_or_refused)
{
	static const struct {
		const char *text;
		int err;
		enum backend backend;
	} cases[] = {
		{"none", 0, BACKEND_NONE},         {"auto", 0, BACKEND_AUTO},
		{"fentry", 0, BACKEND_FENTRY},     {"trampoline", -EINVAL, BACKEND_NR},
		{"fprobe", -EINVAL, BACKEND_NR},   {"", -EINVAL, BACKEND_NR},
		{"iterator", -EINVAL, BACKEND_NR},
	};

	for_each_case(c, cases) {
		enum backend b = BACKEND_NR;

		assert_int_equal(backend__parse(c->text, &b), c->err);
		assert_int_equal(b, c->backend);
	}
}

TEST(temporary_errors_leave_the_result_unknown)
{
	static const int moment[] = {-ENOMEM, -EMFILE, -ENFILE, -EAGAIN, -EINTR, -EBUSY};
	static const int kernel[] = {-ENOENT, -EOPNOTSUPP, -EPERM, -EINVAL, -EPROTOTYPE};

	assert_int_equal(probe_result__from_error(0).answer, ANSWER_YES);
	for (size_t i = 0; i < ARRAY_LEN(moment); i++)
		assert_int_equal(probe_result__from_error(moment[i]).answer, ANSWER_UNKNOWN);
	for (size_t i = 0; i < ARRAY_LEN(kernel); i++)
		assert_int_equal(probe_result__from_error(kernel[i]).answer, ANSWER_NO);
}

static struct plan attach_plan(const struct probe_result *probe_results, enum backend backend,
			       int expected)
{
	const struct plan_request req = {.object = OBJECT_ATTACH, .backend = backend};
	struct plan plan;

	assert_int_equal(plan__make(&plan, probe_results, &req), expected);
	for (int p = 0; p < PROBE_NR; p++)
		assert_true(!plan.chosen[p] || plan.chosen[p]->object == OBJECT_ATTACH);
	return plan;
}

static const char *program_of(const struct plan *plan, enum probe_id probe)
{
	return plan->chosen[probe] ? plan->chosen[probe]->programs : "";
}

/* The row of an alternative of attach, by its programs. */
static size_t row_of(enum probe_id probe, const char *programs)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].object == OBJECT_ATTACH &&
		    plan_alternatives[i].probe == probe &&
		    !strcmp(plan_alternatives[i].programs, programs))
			return i;
	fail_msg("no alternative %s", programs);
	return 0;
}

TEST(attach_uses_these_programs_for_each_backend)
{
	static const struct {
		enum backend asked;
		const char *send, *message, *mptcp, *completion;
	} cases[] = {
		{BACKEND_AUTO, "nio_at_send", "nio_at_turn", "nio_at_send", "nio_ae_ended"},
		{BACKEND_TRACEPOINT, "nio_at_send", "nio_at_turn", "nio_at_send", "nio_at_report"},
		{BACKEND_FENTRY, "nio_ae_send nio_ax_send", "nio_ae_send", "nio_ax_mptcp",
		 "nio_ae_ended"},
		{BACKEND_KPROBE, "nio_ak_message nio_ak_pages nio_ak_push",
		 "nio_ak_message nio_ak_pages nio_ak_push", "nio_ak_mptcp", "nio_ak_ended"},
	};
	struct probe_result *probe_results = all_probe_results();

	for_each_case(c, cases) {
		struct plan plan = attach_plan(probe_results, c->asked, 0);
		bool by_notice;

		assert_string_equal(program_of(&plan, PROBE_SEND_RETURN), c->send);
		assert_string_equal(program_of(&plan, PROBE_MESSAGE), c->message);
		assert_string_equal(program_of(&plan, PROBE_MPTCP_SEND), c->mptcp);
		assert_string_equal(program_of(&plan, PROBE_COMPLETION), c->completion);
		assert_string_equal(program_of(&plan, PROBE_TAKEN), "nio_at_taken");
		/* Receives have a tracepoint only; notifications are read only if they count. */
		by_notice = !strcmp(c->completion, "nio_at_report");
		assert_int_equal(plan__wants(&plan, "nio_at_receive_notices"), by_notice);
		assert_int_equal(plan__wants(&plan, "nio_at_receive"), !by_notice);
	}
}

/* Linux 5.10 has no tracepoint where notifications are reported: the application reads them. */
TEST(run_counts_notifications_where_they_are_read)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	req.backend = BACKEND_TRACEPOINT;
	plan = plan_of(probe_results, &req);
	assert_true(plan__wants(&plan, "nio_at_receive_notices"));
	assert_false(plan__wants(&plan, "nio_at_receive_alone"));
	plan__withhold(OBJECT_RUN, probe_results, "inet_sk_error_report");
	plan = plan_of(probe_results, &req);
	assert_true(plan__wants(&plan, "nio_at_receive_alone"));
	assert_false(plan__wants(&plan, "nio_at_receive_notices"));
	assert_false(plan__wants(&plan, "nio_at_receive"));
	plan = attach_plan(probe_results, BACKEND_TRACEPOINT, 0);
	assert_null(plan.chosen[PROBE_COMPLETION]);
}

/* A run declares its sockets and what their calls are: it can do without events. */
TEST(run_needs_an_iterator_and_nothing_else)
{
	static const enum probe_id found[] = {PROBE_SOCKET_END, PROBE_TASKS, PROBE_EARLIER_SOCKETS,
					      PROBE_RINGS, PROBE_MPTCP_SEND};
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct probe_result *probe_results = all_probe_results();
	struct plan plan = attach_plan(probe_results, BACKEND_TRACEPOINT, 0);
	char text[256];

	assert_string_equal(program_of(&plan, PROBE_SOCKETS), "nio_at_read");
	plan = plan_of(probe_results, &req);
	assert_string_equal(program_of(&plan, PROBE_SOCKETS), "nio_at_declared");
	for (size_t i = 0; i < ARRAY_LEN(found); i++)
		assert_true(!plan.chosen[found[i]] && !plan.reason[found[i]]);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe != PROBE_SOCKETS)
			probe_results[i] = probe_result__from_error(-ENOENT);
	plan = plan_of(probe_results, &req);
	assert_int_equal(plan__probes(&plan), 1);
	plan__withhold(OBJECT_RUN, probe_results, "iter/task_file");
	assert_int_equal(plan__make(&plan, probe_results, &req), -EOPNOTSUPP);
	plan__missing(&plan, text, sizeof(text));
	assert_non_null(strstr(text, "it would take iter/task_file"));
	assert_null(strstr(text, " or "));
}

TEST(attach_uses_kprobes_only_if_fentry_is_refused)
{
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	probe_results[row_of(PROBE_COMPLETION, "nio_ae_ended")] = probe_result__from_error(-ENOENT);
	plan = attach_plan(probe_results, BACKEND_AUTO, 0);
	assert_string_equal(program_of(&plan, PROBE_COMPLETION), "nio_ae_sock_ended");
	probe_results[row_of(PROBE_COMPLETION, "nio_ae_sock_ended")] =
		probe_result__from_error(-ENOENT);
	plan = attach_plan(probe_results, BACKEND_AUTO, 0);
	assert_string_equal(program_of(&plan, PROBE_COMPLETION), "nio_at_report");
	withdraw_backend(probe_results, BACKEND_FENTRY, -ENOTSUP);
	assert_int_equal(plan__backend_error(OBJECT_ATTACH, probe_results, BACKEND_FENTRY),
			 -ENOTSUP);
	plan = attach_plan(probe_results, BACKEND_AUTO, 0);
	assert_string_equal(program_of(&plan, PROBE_COMPLETION), "nio_ak_ended");
}

/* Linux 6.3 to 6.15 have a tracepoint at the return of calls but none at their begin. */
TEST(attach_by_kprobes_has_one_program_per_send_call)
{
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	withdraw_backend(probe_results, BACKEND_FENTRY, -ENOTSUP);
	probe_results[row_of(PROBE_MESSAGE, "nio_at_turn")] = probe_result__from_error(-ENOENT);
	plan = attach_plan(probe_results, BACKEND_AUTO, 0);
	assert_string_equal(program_of(&plan, PROBE_SEND_RETURN), "nio_at_send");
	assert_string_equal(program_of(&plan, PROBE_MESSAGE), "nio_ak_message");
}

/* Two programs would count each call twice. */
TEST(attach_by_fentry_without_MPTCP_has_one_program_per_send_call)
{
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;

	probe_results[row_of(PROBE_MPTCP_SEND, "nio_ax_mptcp")] = probe_result__from_error(-ENOENT);
	plan = attach_plan(probe_results, BACKEND_FENTRY, 0);
	assert_true(plan__wants(&plan, "nio_ax_send"));
	assert_false(plan__wants(&plan, "nio_at_send"));
	assert_non_null(plan__no_probe(&plan, PROBE_MPTCP_SEND));
}

TEST(attach_names_its_missing_hooks)
{
	struct probe_result *probe_results = all_probe_results();
	struct plan plan;
	char text[256];

	plan = attach_plan(probe_results, BACKEND_AUTO, 0);
	plan__missing(&plan, text, sizeof(text));
	assert_string_equal(text, "");
	withdraw(probe_results, PROBE_SEND_RETURN, ANSWER_NO, -ENOENT);
	plan = attach_plan(probe_results, BACKEND_AUTO, -EOPNOTSUPP);
	plan__missing(&plan, text, sizeof(text));
	assert_non_null(strstr(
		text, "tp_btf/sock_send_length or fexit/tcp_sendmsg_locked or kprobe/tcp_push or "
		      "kprobe/tcp_sendmsg_locked"));
}

/* Without privileges the kernel refuses all programs, whatever it has. */
TEST(attach_says_why_it_cannot_read_the_sockets)
{
	static const struct {
		int first, second, err;
	} cases[] = {
		{-EPERM, 0, 0},
		{-EPERM, -EPERM, -EPERM},
		{-EPERM, -ECANCELED, -EPERM},
		{-ENOENT, -ENOMEM, -ENOMEM},
		{-ENOENT, -ENOENT, -EOPNOTSUPP},
		{-ECANCELED, -ECANCELED, -EOPNOTSUPP},
	};

	for_each_case(c, cases) {
		struct probe_result *probe_results = all_probe_results();

		probe_results[row_of(PROBE_SOCKETS, "nio_at_read")] =
			probe_result__from_error(c->first);
		probe_results[row_of(PROBE_SOCKETS, "nio_at_maps")] =
			probe_result__from_error(c->second);
		attach_plan(probe_results, BACKEND_AUTO, c->err);
	}
}

TEST(attach_samples_events_only_if_they_are_tracepoints)
{
	struct probe_result *probe_results = all_probe_results();
	struct plan plan, base_plan;

	plan = attach_plan(probe_results, BACKEND_TRACEPOINT, 0);
	assert_true(plan__can_detach(&plan, &base_plan));
	assert_true(plan__wants(&plan, "nio_at_send"));
	for (int i = 0; i < 5; i++) {
		static const char *const detached[] = {"nio_at_send", "nio_at_turn",
						       "nio_at_receive", "nio_at_receive_notices",
						       "nio_at_arrival"};

		assert_false(plan__wants(&base_plan, detached[i]));
	}
	assert_true(plan__wants(&base_plan, "nio_at_report"));
	assert_true(plan__wants(&base_plan, "nio_at_destroy2"));
	assert_true(plan__wants(&base_plan, "nio_at_read"));
	plan = attach_plan(probe_results, BACKEND_KPROBE, 0);
	assert_false(plan__can_detach(&plan, &base_plan));
}

TEST(hooks_of_one_command_are_withheld_alone)
{
	struct probe_result *probe_results = all_probe_results();

	assert_int_equal(plan__withhold(OBJECT_RUN, NULL, "tcp_destroy_sock"), 0);
	assert_int_equal(plan__withhold(OBJECT_ATTACH, NULL, "tp_btf/tcp_destroy_sock"), 1);
	assert_int_equal(plan__withhold(OBJECT_ATTACH, NULL, "tcp_write_xmit"), 0);
	assert_int_equal(plan__withhold(OBJECT_RUN, probe_results, "iter/task_file"), 1);
	attach_plan(probe_results, BACKEND_AUTO, 0);
}

/* A pass of iter/tcp can damage kernels from 5.15 on (docs/KERNELS.md). */
TEST(no_plan_uses_the_iterator_over_TCP_sockets)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		assert_false(!strncmp(plan_alternatives[i].hook, "iter/", 5) &&
			     strstr(plan_alternatives[i].hook, "tcp"));
}

/* Whether the calls of a mode say what this probe would show. */
static bool is_declared(enum probe_id probe, enum mode mode)
{
	bool requests = mode == MODE_URINGZC;

	if (mode__has(mode, MODE_ENCRYPTS))
		return false;
	if (probe == PROBE_MESSAGE || probe == PROBE_REQUEST)
		return !requests;
	if (probe == PROBE_COMPLETION)
		return requests || !mode__has(mode, MODE_PINS);
	return probe == PROBE_SENDPAGE && !mode__has(mode, MODE_SPLICES);
}

/* For every request, and without each probe: what is not there has a reason, unless the mode
 * declares it; what is there has none. */
TEST(what_a_plan_lacks_has_a_reason)
{
	struct probe_result probe_results[OFFERS_MAX] = {{0}};
	struct plan_request req = request(0, PLAN_COUNT_CALLS_SIZE);
	struct plan plan;

	for (req.mode = 0; req.mode < MODE_NR; req.mode++)
		for (req.backend = 0; req.backend <= BACKEND_AUTO; req.backend++)
			for (enum probe_id p = 0; p <= PROBE_SOCKETS + 1; p++) {
				offer_all_hooks(probe_results);
				withdraw(probe_results, p, ANSWER_NO, -EPERM);
				if (plan__make(&plan, probe_results, &req))
					continue;
				for (enum probe_id i = 0; i <= PROBE_SOCKETS; i++)
					assert_int_equal(plan.chosen[i] || is_declared(i, req.mode),
							 !plan.reason[i]);
				for (enum nio_stage s = 0; s < NIO_STAGE_NR; s++) {
					struct stage_source stage = plan__stage(&plan, s);

					assert_int_equal(stage.quality == QUALITY_EXACT,
							 !stage.reason);
				}
			}
}
