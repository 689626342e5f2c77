/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans of rounds that are compared and of those beside them, and what is shown of both. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/offers.h"
#include "support/test.h"

TEST(times_are_taken_of_every_size_when_asked)
{
	struct plan_request req = request(MODE_ONECOPY, 64);
	struct probe_result *offers = all_offers();
	struct plan plan;

	assert_int_equal(plan__make(&plan, offers, &req), 0);
	for (int part = 0; part < NIO_PATH_NR; part++)
		assert_null(plan__no_path_time(&plan, part));
	assert_null(plan__no_stage_time(&plan, NIO_STAGE_RX_COPY));
	assert_true(plan__times_by_fentry(&plan));
	req.times = TIMES_OFF;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_non_null(strstr(plan__no_path_time(&plan, NIO_PATH_LOCK), "--no-times"));
	assert_false(plan__times_by_fentry(&plan));
}

/* Both plans of a mode: of its rounds, and of those for its times. */
static bool make_apart(struct probe_result offers[OFFERS_MAX], enum mode mode, uint64_t size,
		       const char *none, struct plan plans[2])
{
	struct plan_request req = request(mode, size);

	assert_int_equal(plan__make(&plans[1], offers, &req), 0);
	req.times = TIMES_APART;
	assert_int_equal(plan__make(&plans[0], offers, &req), 0);
	return plan__set_apart(&plans[0], &plans[1], none);
}

TEST(times_cost_the_rounds_that_are_compared_nothing)
{
	static const char none[] = "no such round";
	struct probe_result offers[OFFERS_MAX] = {{0}};
	struct plan plans[2];

	for (int mode = 0; mode < MODE_NR; mode++) {
		for (uint64_t size = 64; size <= 16 << 20; size *= 16) {
			offer_all(offers);
			assert_true(make_apart(offers, mode, size, NULL, plans));
			for (int p = PROBE_CALL_TIME; p <= PROBE_RX_TIME; p++) {
				assert_null(plans[0].chosen[p]);
				assert_ptr_equal(plans[0].reason[p], plan__apart);
				assert_non_null(plans[1].chosen[p]);
			}
			/* In everything else they are one. */
			for (int p = 0; p < PROBE_CALL_TIME; p++)
				assert_ptr_equal(plans[0].chosen[p], plans[1].chosen[p]);
		}
	}
	assert_false(make_apart(offers, MODE_ONECOPY, 65536, none, plans));
	assert_ptr_equal(plans[0].reason[PROBE_CALL_TIME], none);
	/* What cannot be had there either says so. */
	withdraw(offers, PROBE_PIN_TIME, ANSWER_NO, -ENOENT);
	assert_true(make_apart(offers, MODE_ONECOPY, 65536, NULL, plans));
	assert_non_null(strstr(plans[0].reason[PROBE_PIN_TIME], "no such hook"));
	for (int p = PROBE_CALL_TIME; p <= PROBE_RX_TIME; p++)
		withdraw(offers, p, ANSWER_NO, -EPERM);
	assert_false(make_apart(offers, MODE_ONECOPY, 65536, none, plans));
	assert_non_null(strstr(plans[0].reason[PROBE_CALL_TIME], "permission denied"));
}

/* By tracepoints a completion is a notification read, and needs no send to be looked up. */
TEST(zero_copy_by_tracepoints_rests)
{
	struct probe_result *offers = all_offers();
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct plan plan, rest;

	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].backend == BACKEND_FENTRY ||
		    plan_alternatives[i].backend == BACKEND_KPROBE)
			offers[i] = (struct probe_result){ANSWER_NO, -EPERM};
	req.times = TIMES_OFF;
	req.in_slices = true;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_string_equal(plan.chosen[PROBE_COMPLETION]->programs, "nio_tp_rx_copy");
	assert_false(plan__notifications_apart(&plan));
	assert_string_equal(plan.chosen[PROBE_RX_COPY]->programs, "nio_tp_rx_copy");
	assert_true(plan__can_rest(&plan, &rest));
	assert_null(rest.chosen[PROBE_SEND_RETURN]);
	assert_null(rest.chosen[PROBE_RX_COPY]);
	assert_null(rest.chosen[PROBE_COMPLETION]);
	assert_null(rest.chosen[PROBE_DEFERRED_COPY]);
	assert_ptr_equal(rest.chosen[PROBE_SOCKETS], plan.chosen[PROBE_SOCKETS]);
	/* skb_copy_ubufs itself counts exactly: it is not left for a while. */
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_DEFERRED_COPY)
			offers[i] = (struct probe_result){ANSWER_YES, 0};
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	assert_int_not_equal(plan.chosen[PROBE_DEFERRED_COPY]->backend, BACKEND_TRACEPOINT);
	assert_false(plan__can_rest(&plan, &rest));
}

/*
 * Where events are looked at in slices, the function backends have receive copies by a tracepoint,
 * which nothing is left of at rest; all of them are looked at by their return.
 */
TEST(receive_copies_in_slices_leave_no_trampoline)
{
	static const enum backend backends[] = {BACKEND_FENTRY, BACKEND_KPROBE};
	static const char *const all[] = {"nio_fx_rx_copy", "nio_kp_rx_copy"};
	struct probe_result offers[OFFERS_MAX] = {{0}};
	struct plan plan;

	for (int b = 0; b < 2; b++) {
		for (int mode = 0; mode < MODE_NR; mode++) {
			struct plan_request req = request(mode, 65536);

			offer_all(offers);
			req.backend = backends[b];
			assert_int_equal(plan__make(&plan, offers, &req), 0);
			assert_string_equal(plan.chosen[PROBE_RX_COPY]->programs, all[b]);
			req.in_slices = true;
			assert_int_equal(plan__make(&plan, offers, &req), 0);
			assert_string_equal(plan.chosen[PROBE_RX_COPY]->programs,
					    "nio_tp_rx_slices");
			assert_int_equal(plan.chosen[PROBE_RX_COPY]->backend, backends[b]);
			assert_int_equal(plan.chosen[PROBE_RX_COPY]->quality, QUALITY_EXACT);
			/* One who has no such tracepoint has the function. */
			assert_int_equal(plan__withhold(OBJECT_RUN, offers,
							"tp_btf/skb_copy_datagram_iovec") > 0,
					 1);
			assert_int_equal(plan__make(&plan, offers, &req), 0);
			assert_string_equal(plan.chosen[PROBE_RX_COPY]->programs, all[b]);
		}
	}
}

/* What stays attached books bytes that no sequence number tells. */
TEST(copy_modes_can_rest_from_events)
{
	struct probe_result offers[OFFERS_MAX] = {{0}};
	struct plan plans[2], rest;

	for (int mode = 0; mode < MODE_NR; mode++) {
		offer_all(offers);
		make_apart(offers, mode, 65536, NULL, plans);
		assert_int_equal(plan__can_rest(&plans[0], &rest), !mode__has(mode, MODE_PINS));
		assert_null(rest.chosen[PROBE_SEND_RETURN]);
		assert_null(rest.chosen[PROBE_RX_COPY]);
		assert_ptr_equal(rest.chosen[PROBE_OTHER_COPY], plans[0].chosen[PROBE_OTHER_COPY]);
		assert_ptr_equal(rest.chosen[PROBE_SOCKETS], plans[0].chosen[PROBE_SOCKETS]);
		withdraw(offers, PROBE_SOCKETS, ANSWER_NO, -ENOENT);
		make_apart(offers, mode, 65536, NULL, plans);
		assert_false(plan__can_rest(&plans[0], &rest));
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
	const struct plan *plans[MODE_NR], *timed[MODE_NR], *none[MODE_NR] = {NULL};
	struct plan_row rows[PLAN_ROWS_MAX];
	struct probe_result *offers = all_offers();
	struct plan made[MODE_NR][2];
	unsigned int pins = 0;
	size_t n;

	for (int mode = 0; mode < MODE_NR; mode++) {
		pins |= (unsigned int)mode__has(mode, MODE_PINS) << mode;
		assert_true(make_apart(offers, mode, 1024, NULL, made[mode]));
		plans[mode] = &made[mode][0];
		timed[mode] = &made[mode][1];
	}
	n = plan__rows(plans, timed, rows);
	assert_int_equal(n, PROBE_SOCKETS + 1); /* those of run */
	assert_int_equal(row_named(rows, n, "send_return")->modes, pins);
	assert_int_equal(row_named(rows, n, "transmit")->modes, ((1U << MODE_NR) - 1) & ~pins);
	assert_int_equal(row_named(rows, n, "rx_copy")->modes, 0);
	assert_false(row_named(rows, n, "rx_copy")->apart);
	assert_true(row_named(rows, n, "call_time")->apart);
	assert_string_equal(row_named(rows, n, "call_time")->hook, "fentry,fexit/tcp_sendmsg");
	assert_string_equal(row_named(rows, n, "send_return")->stage, "tx_copy, tx_pin");
	assert_string_equal(row_named(rows, n, "splice")->stage, "tx_splice");
	assert_string_equal(row_named(rows, n, "rx_copy")->stage, "rx_copy");
	n = plan__rows(plans, none, rows);
	assert_null(row_named(rows, n, "call_time")->hook);
	assert_non_null(row_named(rows, n, "call_time")->reason);
}

/* A plan that takes times itself has none of rounds of their own, and keeps its reasons. */
TEST(times_that_are_taken_anyway_are_not_set_apart)
{
	struct probe_result *offers = all_offers();
	struct plan_request req = request(MODE_ZEROCOPY, 65536);
	struct plan plan, before;

	assert_int_equal(plan__make(&plan, offers, &req), 0);
	before = plan;
	assert_false(plan__set_apart(&plan, &before, NULL));
	assert_memory_equal(&plan, &before, sizeof(plan));
	/* Nor do probes that count bytes come apart, where there are none. */
	withdraw(offers, PROBE_DEFERRED_COPY, ANSWER_NO, 0);
	req.times = TIMES_APART;
	assert_int_equal(plan__make(&plan, offers, &req), 0);
	before = plan;
	req.times = TIMES_ON;
	struct plan timed;
	assert_int_equal(plan__make(&timed, offers, &req), 0);
	assert_true(plan__set_apart(&plan, &timed, NULL));
	for (int p = 0; p < PROBE_NR; p++)
		if (p < PROBE_CALL_TIME || p > PROBE_RX_TIME) {
			assert_ptr_equal(plan.reason[p], before.reason[p]);
			assert_ptr_equal(plan.remedy[p], before.remedy[p]);
		}
}
