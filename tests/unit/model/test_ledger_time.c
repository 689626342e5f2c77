/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times and completions of a phase are what came after its base: every number of both snapshots has
 * a value of its own, so that a base left out, added or taken for the end shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "model/ledger.h"
#include "model/ledger_perf.h"
#include "model/ledger_time.h"

struct fixture {
	struct plan plan;
	struct snapshot base, now;
	struct run_result run;
};

static int set_up(void **state)
{
	struct offer *offers = calloc(plan_alternatives_nr, sizeof(*offers));
	struct plan_request req = {.backend = BACKEND_AUTO, .mode = MODE_ZEROCOPY, .size = 65536};
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(offers);
	assert_non_null(f);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i].answer = ANSWER_YES;
	assert_int_equal(plan__make(&f->plan, offers, &req), 0);
	free(offers);
	run_result__init(&f->run);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	run_result__clear(&f->run);
	free(f);
	return 0;
}

static void book(struct fixture *f)
{
	assert_int_equal(ledger_time__book(&f->run, &f->plan, &f->base, &f->now), 0);
}

static void is(struct num found, uint64_t expected)
{
	assert_true(found.known);
	assert_int_equal(found.value, expected);
}

static void parts_of_send_calls(void **state)
{
	struct fixture *f = *state;

	f->base.path.calls = 100;
	f->now.path.calls = 107;
	for (int p = 0; p < NIO_PATH_NR; p++) {
		f->base.path.ns[p] = 1000 + (uint64_t)p;
		f->now.path.ns[p] = 2000 + 3 * (uint64_t)p;
	}
	book(f);
	is(f->run.path_calls, 7);
	for (int p = 0; p < NIO_PATH_NR; p++)
		is(f->run.path_ns[PATH_SEND_TOTAL + 1 + p], 1000 + 2 * (uint64_t)p);
}

static void completions(void **state)
{
	struct fixture *f = *state;

	f->base.zc.bytes = 5000;
	f->now.zc.bytes = 12000;
	f->base.zc.ns = 40;
	f->now.zc.ns = 340;
	f->base.zc.ns_hist[5] = 2;
	f->now.zc.ns_hist[5] = 4;
	f->now.zc.ns_hist[9] = 1;
	f->base.zc.outstanding_hist[8] = 1;
	f->now.zc.outstanding_hist[8] = 6;
	f->base.zc.enobufs_optmem = 3;
	f->now.zc.enobufs_optmem = 7;
	f->base.zc.enobufs_memlock = 11;
	f->now.zc.enobufs_memlock = 22;
	book(f);
	is(f->run.pinned.completed_bytes, 7000);
	is(f->run.enobufs_optmem, 4);
	is(f->run.enobufs_memlock, 11);
	assert_int_equal(f->run.pinned.completion.hist->count, 3);
	assert_int_equal(f->run.pinned.completion.hist->sum, 300);
	assert_int_equal(f->run.pinned.outstanding.hist->count, 5);
}

static void stages(void **state)
{
	struct fixture *f = *state;
	struct nio_cell *base = &f->base.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_PIN];
	struct nio_cell *now = &f->now.cells[NIO_SIDE_SENDER][NIO_STAGE_TX_PIN];

	base->ns = 70;
	now->ns = 1070;
	base->timed = 2;
	now->timed = 6;
	base->ns_hist[10] = 2;
	now->ns_hist[10] = 6;
	/* What the other side pinned belongs to the stage as well. */
	f->now.cells[NIO_SIDE_RECEIVER][NIO_STAGE_TX_PIN].ns = 5;
	book(f);
	is(f->run.stages[NIO_STAGE_TX_PIN].ns, 1005);
	is(f->run.stages[NIO_STAGE_TX_PIN].timed, 4);
	assert_int_equal(f->run.stages[NIO_STAGE_TX_PIN].times->count, 4);
}

/* Discarded samples have three causes, and each of them was there before. */
static void windows_of_counters(void **state)
{
	struct nio_perf_cell base[NIO_PERF_WINDOW_NR] = {0}, now[NIO_PERF_WINDOW_NR] = {0};
	struct fixture *f = *state;

	base[1] = (struct nio_perf_cell){
		.windows = 100, .samples = 10, .moved = 1, .multiplexed = 2, .unread = 4};
	now[1] = (struct nio_perf_cell){
		.windows = 300, .samples = 40, .moved = 11, .multiplexed = 22, .unread = 44};
	ledger_perf__book(&f->run, base, now, NULL);
	is(f->run.perf_window[1].windows, 200);
	is(f->run.perf_window[1].samples, 30);
	is(f->run.perf_window[1].discarded, 70);
}

/* An empty sum takes the first run whole, its histograms as copies. */
static void the_first_of_a_sum_brings_its_latencies(void **state)
{
	struct fixture *f = *state;
	struct run_result sum;

	run_result__init(&sum);
	for (int k = 0; k < LATENCY_NR; k++) {
		hist__free(f->run.app.latency[k].hist);
		f->run.app.latency[k].hist = hist__new_latency();
		for (int i = 0; i <= k; i++)
			hist__record(f->run.app.latency[k].hist, 1000);
	}
	assert_int_equal(ledger__add(&sum, &f->run), 0);
	for (int k = 0; k < LATENCY_NR; k++) {
		assert_non_null(sum.app.latency[k].hist);
		assert_ptr_not_equal(sum.app.latency[k].hist, f->run.app.latency[k].hist);
		assert_int_equal(sum.app.latency[k].hist->count, k + 1);
	}
	run_result__clear(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_of_send_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(completions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(windows_of_counters, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_of_a_sum_brings_its_latencies, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
