/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan on invented kernels: what is chosen, what is refused and in which words. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/plan.h"

#define OFFERS_MAX 128

static void offer_all(struct offer *offers)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i] = (struct offer){.answer = ANSWER_YES};
}

static void withdraw(struct offer *offers, enum probe_id probe, enum answer answer, int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == probe)
			offers[i] = (struct offer){.answer = answer, .err = err};
}

static void withdraw_backend(struct offer *offers, enum backend backend, int err)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == backend)
			offers[i] = (struct offer){.answer = ANSWER_NO, .err = err};
}

static struct plan_request request(enum mode mode, uint64_t size)
{
	return (struct plan_request){
		.backend = BACKEND_AUTO, .mode = mode, .size = size, .times = TIMES_ON};
}

static void table_is_sound(void **state)
{
	(void)state;
	assert_in_range(plan_alternatives_nr, 1, OFFERS_MAX);
	for (size_t i = 0; i < plan_alternatives_nr; i++) {
		const struct alternative *a = &plan_alternatives[i];

		assert_in_range(a->probe, 0, PROBE_NR - 1);
		if (a->probe == PROBE_SOCKETS)
			assert_int_equal(a->backend, BACKEND_ITERATOR);
		else
			assert_in_range(a->backend, 0, BACKEND_NR - 1);
		assert_non_null(strchr(a->hook, '/'));
		/* Exact needs no excuse, everything else has one. */
		assert_true((a->quality == QUALITY_EXACT) == (a->caveat == NULL));
		/* Which of several hooks a number of arguments speaks of has to be said. */
		if (a->args && a->backend == BACKEND_TRAMPOLINE && strstr(a->programs, "nio_tp_"))
			assert_non_null(a->function);
	}
}

static void large_messages_are_counted_by_call(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, PLAN_COUNT_CALLS_SIZE);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_SEND_RETURN]);
	assert_null(plan.chosen[PROBE_TRANSMIT]);
	req.size--;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_null(plan.chosen[PROBE_SEND_RETURN]);
	assert_non_null(plan.chosen[PROBE_TRANSMIT]);
}

static void never_both_ways_at_once(void **state)
{
	struct offer offers[OFFERS_MAX] = {{0}};

	(void)state;
	offer_all(offers);
	for (int mode = 0; mode < MODE_NR; mode++) {
		for (uint64_t size = 64; size <= 16 << 20; size *= 4) {
			struct plan_request req = request(mode, size);
			struct plan plan;

			assert_int_equal(plan__make(&plan, offers, &req), 0);
			assert_true(!plan.chosen[PROBE_SEND_RETURN] !=
				    !plan.chosen[PROBE_TRANSMIT]);
		}
	}
}

static void zerocopy_is_always_counted_by_call(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 64);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_SEND_RETURN]);
	assert_non_null(plan.chosen[PROBE_COMPLETION]);
}

static void small_messages_fall_back_to_calls(void **state)
{
	struct plan_request req = request(MODE_TWOCOPY, 64);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw(offers, PROBE_TRANSMIT, ANSWER_NO, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_SEND_RETURN]);
}

static void a_missing_hook_costs_its_stage_only(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct stage_result stage = {0};
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw(offers, PROBE_DEFERRED_COPY, ANSWER_NO, -EPERM);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	plan__stage(&plan, NIO_STAGE_DEFERRED_COPY, &stage);
	assert_int_equal(stage.quality, QUALITY_UNAVAILABLE);
	assert_non_null(strstr(stage.reason, "permission denied"));
	plan__stage(&plan, NIO_STAGE_RX_COPY, &stage);
	assert_int_equal(stage.quality, QUALITY_EXACT);
	assert_null(stage.reason);
}

static void could_not_tell_is_not_no(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw(offers, PROBE_COMPLETION, ANSWER_UNKNOWN, -ENOMEM);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan__no_probe(&plan, PROBE_COMPLETION));
	assert_non_null(strstr(plan.reason[PROBE_COMPLETION], "could not be tried"));
	withdraw(offers, PROBE_COMPLETION, ANSWER_UNKNOWN, 0);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_string_equal(plan.reason[PROBE_COMPLETION], "not tried");
}

static void without_bytes_there_is_no_plan(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw(offers, PROBE_SOCKETS, ANSWER_NO, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	withdraw(offers, PROBE_SEND_RETURN, ANSWER_NO, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), -EOPNOTSUPP);
	assert_non_null(strstr(plan.reason[PROBE_SEND_RETURN], "no such hook"));
	assert_non_null(plan.remedy[PROBE_SEND_RETURN]);
	offer_all(offers);
	withdraw(offers, PROBE_SOCKETS, ANSWER_NO, -ENOENT);
	withdraw(offers, PROBE_RX_COPY, ANSWER_NO, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), -EOPNOTSUPP);
}

/* The socket pass alone gives the bytes, of whatever backend the rest is. */
static void the_socket_pass_stands_beside_every_backend(void **state)
{
	struct offer offers[OFFERS_MAX] = {{0}};

	(void)state;
	offer_all(offers);
	withdraw(offers, PROBE_SEND_RETURN, ANSWER_NO, -ENOENT);
	for (int b = 0; b <= BACKEND_AUTO; b++) {
		struct plan_request req = request(MODE_ZEROCOPY, 65536);
		struct plan plan;

		req.backend = b;
		assert_int_equal(plan__make(&plan, offers, &req), 0);
		assert_string_equal(plan.chosen[PROBE_SOCKETS]->hook, "iter/tcp");
	}
}

static void the_iterator_is_no_backend_to_ask_for(void **state)
{
	enum backend b;

	(void)state;
	assert_string_equal(backend__name(BACKEND_ITERATOR), "iterator");
	assert_int_equal(backend__parse("iterator", &b), -EINVAL);
}

/* The probe would stand in the path of every packet, to say 0. */
static void copy_modes_defer_nothing_by_construction(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct stage_result stage = {0};
	struct plan plan;

	(void)state;
	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_null(plan.chosen[PROBE_DEFERRED_COPY]);
	plan__stage(&plan, NIO_STAGE_DEFERRED_COPY, &stage);
	assert_int_equal(stage.quality, QUALITY_DERIVED);
	assert_ptr_equal(stage.reason, plan__by_construction);
	assert_null(plan__no_stage_time(&plan, NIO_STAGE_DEFERRED_COPY));
	req.mode = MODE_ZEROCOPY;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_DEFERRED_COPY]);
}

static void a_backend_without_hooks_is_refused(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw_backend(offers, BACKEND_KPROBE, -EPERM);
	req.backend = BACKEND_KPROBE;
	assert_int_equal(plan__make(&plan, offers, &req), -EOPNOTSUPP);
	assert_non_null(strstr(plan.reason[PROBE_SEND_RETURN], "permission denied"));
	assert_non_null(plan.remedy[PROBE_SEND_RETURN]);
}

/* Forced, a backend is alone; left to choose, the best of all is taken. */
static void a_forced_backend_is_the_only_one(void **state)
{
	struct offer offers[OFFERS_MAX] = {{0}};

	(void)state;
	offer_all(offers);
	for (int b = 0; b < BACKEND_NR; b++) {
		struct plan_request req = request(MODE_ZEROCOPY, 65536);
		struct plan plan;

		req.backend = b;
		assert_int_equal(plan__make(&plan, offers, &req), 0);
		for (int p = 0; p < PROBE_NR; p++)
			if (plan.chosen[p] && p != PROBE_SOCKETS)
				assert_int_equal(plan.chosen[p]->backend, b);
	}
}

static void a_locked_down_kernel_keeps_its_tracepoints(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct stage_result stage = {0};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw_backend(offers, BACKEND_TRAMPOLINE, -EPERM);
	withdraw_backend(offers, BACKEND_KPROBE, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_int_equal(plan.chosen[PROBE_SEND_RETURN]->backend, BACKEND_TRACEPOINT);
	assert_string_equal(plan.chosen[PROBE_COMPLETION]->programs, "nio_tp_rx_copy");
	assert_false(plan__completions_by_kernel(&plan));
	/* A notification is what there is of a completion: it is held against no send. */
	assert_false(plan__pairs_events(&plan));
	assert_false(plan__keeps_events(&plan));
	/* Of two refusals the one that says more is given. */
	plan__stage(&plan, NIO_STAGE_OTHER_COPY, &stage);
	assert_non_null(strstr(stage.reason, "permission denied"));
	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_non_null(plan__no_path_time(&plan, part));
	plan__stage(&plan, NIO_STAGE_TX_PIN, &stage);
	assert_int_equal(stage.quality, QUALITY_EXACT);
}

static void without_zero_copy_tracepoints_pair_nothing(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw_backend(offers, BACKEND_TRAMPOLINE, -EPERM);
	withdraw_backend(offers, BACKEND_KPROBE, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_false(plan__pairs_events(&plan));
}

/* Two programs on one tracepoint would book received bytes twice. */
static void notifications_are_not_read_by_a_program_that_books_bytes(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_COMPLETION &&
		    plan_alternatives[i].backend != BACKEND_TRACEPOINT)
			offers[i] = (struct offer){.answer = ANSWER_NO, .err = -ENOENT};
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_int_equal(plan.chosen[PROBE_RX_COPY]->backend, BACKEND_TRAMPOLINE);
	assert_string_equal(plan.chosen[PROBE_COMPLETION]->programs, "nio_tp_notification");
}

/* Of functions that differ between kernels the one with the right number of arguments is taken. */
static void prototypes_decide(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_PIN_TIME && plan_alternatives[i].args == 5)
			offers[i] = (struct offer){.answer = ANSWER_NO, .err = -EPROTOTYPE};
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_string_equal(plan.chosen[PROBE_PIN_TIME]->programs,
			    "nio_fe_pin_time nio_fx_binding_pin_time");
}

static void splicing_is_seen_only_where_calls_are_counted(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, 1024);
	struct stage_result stage = {0};
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	plan__stage(&plan, NIO_STAGE_TX_SPLICE, &stage);
	assert_int_equal(stage.quality, QUALITY_UNAVAILABLE);
	req.count_calls = true;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	plan__stage(&plan, NIO_STAGE_TX_SPLICE, &stage);
	assert_int_equal(stage.quality, QUALITY_EXACT);
	assert_int_equal(plan.chosen[PROBE_SPLICE]->backend,
			 plan.chosen[PROBE_SEND_RETURN]->backend);
}

/* A part whose end is not seen, or which would hold another's time, is not given. */
static void a_missing_event_costs_the_parts_it_ends(void **state)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	withdraw(offers, PROBE_TRANSMIT_TIME, ANSWER_NO, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(strstr(plan__no_path_time(&plan, NIO_PATH_COPY), "no such hook"));
	assert_non_null(plan__no_path_time(&plan, NIO_PATH_TRANSMIT));
	assert_non_null(plan__no_path_time(&plan, NIO_PATH_OTHER));
	assert_null(plan__no_path_time(&plan, NIO_PATH_LOCK));
	assert_null(plan__no_path_time(&plan, NIO_PATH_WAIT));
	offer_all(offers);
	withdraw(offers, PROBE_CALL_TIME, ANSWER_NO, -EPERM);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_non_null(strstr(plan__no_path_time(&plan, part), "permission denied"));
	assert_null(plan.chosen[PROBE_INLINE_TIME]);
}

static void a_hook_can_be_withheld_by_name(void **state)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	assert_int_equal(plan__withhold(NULL, "no_such_function"), 0);
	assert_int_equal(plan__withhold(NULL, "tp_btf/net_dev_queue"), 1);
	offer_all(offers);
	/* Both backends' hooks on a function go by its bare name. */
	assert_int_equal(plan__withhold(offers, "tcp_write_xmit"), 2);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_string_equal(plan__no_path_time(&plan, NIO_PATH_TRANSMIT), "withheld by --without");
	assert_null(plan.remedy[PROBE_TRANSMIT_TIME]);
	plan__withhold(offers, "fexit/tcp_sendmsg_locked");
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_string_equal(plan.chosen[PROBE_SEND_RETURN]->hook, "kprobe/tcp_push");
}

/* Every hook but those of the bytes, taken away one at a time, leaves a plan that runs. */
static void any_one_hook_can_go(void **state)
{
	struct offer offers[OFFERS_MAX] = {{0}};

	(void)state;
	for (int gone = PROBE_SPLICE; gone < PROBE_NR; gone++) {
		struct plan_request req = request(MODE_ZEROCOPY, 65536);
		struct plan plan;

		if (gone == PROBE_RX_COPY)
			continue;
		offer_all(offers);
		withdraw(offers, gone, ANSWER_NO, -ENOENT);
		assert_int_equal(plan__make(&plan, offers, &req), 0);
		assert_null(plan.chosen[gone]);
		assert_non_null(plan__no_probe(&plan, gone));
	}
}

static void unavailable_stages_say_why(void **state)
{
	struct plan_request req = request(MODE_TWOCOPY, 64);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	(void)state;
	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		struct stage_result stage = {0};

		plan__stage(&plan, s, &stage);
		assert_true((stage.quality == QUALITY_EXACT) == (stage.reason == NULL));
		assert_non_null(stage.event);
	}
}

static void backends_parse(void **state)
{
	enum backend b;

	(void)state;
	assert_int_equal(backend__parse("none", &b), 0);
	assert_int_equal(b, BACKEND_NONE);
	assert_int_equal(backend__parse("auto", &b), 0);
	assert_int_equal(b, BACKEND_AUTO);
	assert_int_equal(backend__parse("fentry", &b), -EINVAL);
	assert_int_equal(backend__parse("", &b), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(large_messages_are_counted_by_call),
		cmocka_unit_test(never_both_ways_at_once),
		cmocka_unit_test(zerocopy_is_always_counted_by_call),
		cmocka_unit_test(small_messages_fall_back_to_calls),
		cmocka_unit_test(a_missing_hook_costs_its_stage_only),
		cmocka_unit_test(could_not_tell_is_not_no),
		cmocka_unit_test(without_bytes_there_is_no_plan),
		cmocka_unit_test(the_socket_pass_stands_beside_every_backend),
		cmocka_unit_test(the_iterator_is_no_backend_to_ask_for),
		cmocka_unit_test(copy_modes_defer_nothing_by_construction),
		cmocka_unit_test(a_backend_without_hooks_is_refused),
		cmocka_unit_test(a_forced_backend_is_the_only_one),
		cmocka_unit_test(a_locked_down_kernel_keeps_its_tracepoints),
		cmocka_unit_test(without_zero_copy_tracepoints_pair_nothing),
		cmocka_unit_test(notifications_are_not_read_by_a_program_that_books_bytes),
		cmocka_unit_test(prototypes_decide),
		cmocka_unit_test(splicing_is_seen_only_where_calls_are_counted),
		cmocka_unit_test(a_missing_event_costs_the_parts_it_ends),
		cmocka_unit_test(any_one_hook_can_go),
		cmocka_unit_test(a_hook_can_be_withheld_by_name),
		cmocka_unit_test(unavailable_stages_say_why),
		cmocka_unit_test(backends_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
