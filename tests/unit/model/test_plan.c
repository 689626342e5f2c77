/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan on invented kernels: what is chosen, what is refused and in which words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/offers.h"
#include "support/test.h"

TEST(table_is_sound)
{
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

TEST(large_messages_are_counted_by_call)
{
	struct plan_request req = request(MODE_ONECOPY, PLAN_COUNT_CALLS_SIZE);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_SEND_RETURN]);
	assert_null(plan.chosen[PROBE_TRANSMIT]);
	req.size--;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_null(plan.chosen[PROBE_SEND_RETURN]);
	assert_non_null(plan.chosen[PROBE_TRANSMIT]);
}

TEST(never_both_ways_at_once)
{
	struct offer offers[OFFERS_MAX] = {{0}};

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

TEST(zerocopy_is_always_counted_by_call)
{
	struct plan_request req = request(MODE_ZEROCOPY, 64);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	offer_all(offers);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_SEND_RETURN]);
	assert_non_null(plan.chosen[PROBE_COMPLETION]);
}

TEST(small_messages_fall_back_to_calls)
{
	struct plan_request req = request(MODE_TWOCOPY, 64);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	offer_all(offers);
	withdraw(offers, PROBE_TRANSMIT, ANSWER_NO, -ENOENT);
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(plan.chosen[PROBE_SEND_RETURN]);
}

/* The socket pass alone gives the bytes, of whatever backend the rest is. */
TEST(the_socket_pass_stands_beside_every_backend)
{
	struct offer offers[OFFERS_MAX] = {{0}};

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

TEST(the_iterator_is_no_backend_to_ask_for)
{
	enum backend b;

	assert_string_equal(backend__name(BACKEND_ITERATOR), "iterator");
	assert_int_equal(backend__parse("iterator", &b), -EINVAL);
}

/* The probe would stand in the path of every packet, to say 0. */
TEST(copy_modes_defer_nothing_by_construction)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct stage_result stage = {0};
	struct plan plan;

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

TEST(a_backend_without_hooks_is_refused)
{
	struct plan_request req = request(MODE_ONECOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	offer_all(offers);
	withdraw_backend(offers, BACKEND_KPROBE, -EPERM);
	req.backend = BACKEND_KPROBE;
	assert_int_equal(plan__make(&plan, offers, &req), -EOPNOTSUPP);
	assert_non_null(strstr(plan.reason[PROBE_SEND_RETURN], "permission denied"));
	assert_non_null(plan.remedy[PROBE_SEND_RETURN]);
}

/* Forced, a backend is alone; left to choose, the best of all is taken. */
TEST(a_forced_backend_is_the_only_one)
{
	struct offer offers[OFFERS_MAX] = {{0}};

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

/* Two programs on one tracepoint would book received bytes twice. */
TEST(notifications_are_not_read_by_a_program_that_books_bytes)
{
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	offer_all(offers);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_COMPLETION &&
		    plan_alternatives[i].backend != BACKEND_TRACEPOINT)
			offers[i] = (struct offer){.answer = ANSWER_NO, .err = -ENOENT};
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_int_equal(plan.chosen[PROBE_RX_COPY]->backend, BACKEND_TRAMPOLINE);
	assert_string_equal(plan.chosen[PROBE_COMPLETION]->programs, "nio_tp_notification");
}

TEST(splicing_is_seen_only_where_calls_are_counted)
{
	struct plan_request req = request(MODE_ONECOPY, 1024);
	struct stage_result stage = {0};
	struct offer offers[OFFERS_MAX] = {{0}};
	struct plan plan;

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

TEST(backends_parse)
{
	enum backend b;

	assert_int_equal(backend__parse("none", &b), 0);
	assert_int_equal(b, BACKEND_NONE);
	assert_int_equal(backend__parse("auto", &b), 0);
	assert_int_equal(b, BACKEND_AUTO);
	assert_int_equal(backend__parse("fentry", &b), -EINVAL);
	assert_int_equal(backend__parse("", &b), -EINVAL);
}
