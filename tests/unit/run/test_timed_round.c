/* SPDX-License-Identifier: GPL-2.0-only */
/* A timed round gives the run its times only; they are divided by what the timed round moved. */
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "probes/plan.h"
#include "model/figures.h"
#include "run/timed_round.h"
#include "support/near.h"
#include "support/test.h"

static struct hist *hist_of(uint64_t n, uint64_t value)
{
	struct hist *h = hist__new_latency();

	assert_non_null(h);
	while (n--)
		hist__record(h, value);
	return h;
}

static struct stage_result stage(uint64_t bytes, struct num ns, struct num timed)
{
	return (struct stage_result){.quality = QUALITY_EXACT,
				     .bytes = bytes,
				     .events = bytes / 1024,
				     .ns = ns,
				     .timed = timed,
				     .timed_bytes = {.reason = "not apart"}};
}

/* 100 messages of 1 KiB, with times of gather (by the load generator) and deferred copies only. */
static void compared(struct run_result *r)
{
	const struct num apart = {.reason = plan__reason_timed_separately};

	run_result__init(r);
	r->ledger_known = true;
	r->duration_ns = 1000;
	r->app.tx_messages = 100;
	r->app.tx_bytes = r->app.rx_bytes = 102400;
	r->app.latency[LATENCY_SEND_CALL].hist = hist_of(100, 1000);
	r->health.missed = num__known(1);
	r->path_ns[PATH_SEND_TOTAL] = num__known(100000);
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		r->path_ns[p] = apart;
	r->path_calls = apart;
	r->path_reason = plan__reason_timed_separately;
	r->pinned.completion.reason = plan__reason_timed_separately;
	for (int w = 0; w < NIO_PERF_WINDOW_NR; w++)
		r->perf_window[w] = (struct perf_window){.reason = plan__reason_timed_separately,
							 .samples = apart};
	r->stages[NIO_STAGE_USER_GATHER] = stage(102400, num__known(5000), num__known(2));
	r->stages[NIO_STAGE_TX_COPY] = stage(102400, apart, apart);
	r->stages[NIO_STAGE_DEFERRED_COPY] = stage(51200, num__known(7000), num__known(50));
}

/* 10 messages of 1 KiB with all times, each longer than without the timing programs. */
static void timed(struct run_result *r)
{
	run_result__init(r);
	r->ledger_known = true;
	r->duration_ns = 200;
	r->app.tx_messages = 10;
	r->app.tx_bytes = r->app.rx_bytes = 10240;
	r->app.latency[LATENCY_SEND_CALL].hist = hist_of(10, 1500);
	r->health.missed = num__known(30);
	r->health.map_full = num__known(7);
	r->health.unmatched = num__known(4);
	for (int w = 0; w < NIO_PERF_WINDOW_NR; w++)
		r->perf_window[w] = (struct perf_window){.quality = QUALITY_SAMPLED,
							 .windows = num__known(90 + (uint64_t)w),
							 .samples = num__known(80 + (uint64_t)w)};
	r->path_ns[PATH_SEND_TOTAL] = num__known(15000);
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		r->path_ns[p] = num__known(0);
	r->path_ns[PATH_COPY] = num__known(6000);
	r->path_calls = num__known(10);
	r->path_quality = QUALITY_EXACT;
	r->path_reason = NULL;
	r->pinned.completion.hist = hist_of(10, 3000);
	r->stages[NIO_STAGE_USER_GATHER] = stage(10240, num__known(999), num__known(1));
	r->stages[NIO_STAGE_TX_COPY] = stage(10240, num__known(6000), num__known(10));
	r->stages[NIO_STAGE_TX_COPY].times = hist_of(10, 600);
	r->stages[NIO_STAGE_DEFERRED_COPY] = stage(5120, num__known(9999), num__known(5));
}

static void make(struct run_result *r)
{
	struct run_result own;

	compared(r);
	timed(&own);
	timed_round__copy_times(r, &own);
	run_result__clear(&own);
}

TEST(timed_round_gives_its_times_only)
{
	struct run_result r;

	make(&r);
	assert_int_equal(r.duration_ns, 1000);
	assert_int_equal(r.app.tx_bytes, 102400);
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].bytes, 102400);
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].events, 100);
	assert_int_equal(r.app.latency[LATENCY_SEND_CALL].hist->sum, 100000);
	assert_int_equal(r.health.missed.value, 1);
	assert_int_equal(r.times.source, TIMES_FROM_TIMED_ROUND);
	assert_int_equal(r.times.duration_ns, 200);
	assert_int_equal(r.times.messages, 10);
	assert_int_equal(r.times.payload, 10240);
	assert_int_equal(r.times.missed.value, 30);
	assert_int_equal(r.times.map_full.value, 7);
	assert_int_equal(r.times.unmatched.value, 4);
	assert_int_equal(r.times.calls, 10);
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].ns.value, 6000);
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].timed.value, 10);
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].times->count, 10);
	for (int w = 0; w < NIO_PERF_WINDOW_NR; w++) {
		assert_int_equal(r.perf_window[w].quality, QUALITY_SAMPLED);
		assert_int_equal(r.perf_window[w].samples.value, 80 + w);
	}
	assert_int_equal(r.path_quality, QUALITY_EXACT);
	assert_int_equal(r.path_calls.value, 10);
	assert_int_equal(r.pinned.completion.hist->count, 10);
	assert_null(r.path_reason);
	run_result__clear(&r);
}

/* The call's mean and the stage's bytes come from the timed round. */
TEST(times_divide_by_what_the_timed_round_moved)
{
	struct run_result r;

	make(&r);
	assert_near(time_figures__part(&r, PATH_SEND_TOTAL), 1500);
	assert_near(time_figures__part(&r, PATH_COPY), 600);
	assert_near(time_figures__outside(&r), 900);
	assert_near(time_figures__per_kib(&r, NIO_STAGE_TX_COPY), 600);
	assert_near(time_figures__timed_bytes(&r, NIO_STAGE_TX_COPY), 10240);
	/* Times that the compared round has stay. */
	assert_near(time_figures__per_kib(&r, NIO_STAGE_USER_GATHER), 50);
	assert_near(time_figures__per_kib(&r, NIO_STAGE_DEFERRED_COPY), 140);
	run_result__clear(&r);
}

/* Only a part of the calls was followed: the timed bytes are that share. */
TEST(sampled_calls_time_their_share_of_the_bytes)
{
	struct run_result r, own;

	compared(&r);
	timed(&own);
	own.path_calls = own.stages[NIO_STAGE_TX_COPY].timed = num__known(5);
	own.stages[NIO_STAGE_TX_COPY].ns = num__known(3000);
	timed_round__copy_times(&r, &own);
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].timed_bytes.value, 5120);
	assert_near(time_figures__per_kib(&r, NIO_STAGE_TX_COPY), 600);
	run_result__clear(&own);
	run_result__clear(&r);
}

/* Numbers of the run stay, the timed round fills in; a share of bytes is rounded. */
TEST(times_of_the_run_itself_stay)
{
	struct run_result r, own;

	compared(&r);
	timed(&own);
	r.stages[NIO_STAGE_USER_GATHER].ns = num__unknown("no clock");
	r.stages[NIO_STAGE_TX_COPY].times = hist_of(2, 7); /* times without a known sum */
	r.pinned.completion.hist = hist_of(3, 100);
	hist__free(own.app.latency[LATENCY_SEND_CALL].hist);
	own.app.latency[LATENCY_SEND_CALL].hist = hist_of(6, 1500);
	own.path_calls = num__known(1);
	timed_round__copy_times(&r, &own);
	/* Gather is timed by the load generator, in this round as well. */
	assert_false(r.stages[NIO_STAGE_USER_GATHER].ns.known);
	assert_int_equal(r.stages[NIO_STAGE_DEFERRED_COPY].ns.value, 7000);
	assert_int_equal(r.stages[NIO_STAGE_DEFERRED_COPY].timed.value, 50);
	assert_int_equal(r.pinned.completion.hist->count, 3);
	assert_int_equal(own.pinned.completion.hist->count, 10);
	assert_int_equal(r.times.calls, 6);
	/* A sixth of 10240 is 1706.67. */
	assert_int_equal(r.stages[NIO_STAGE_TX_COPY].timed_bytes.value, 1707);
	run_result__clear(&own);
	run_result__clear(&r);
	compared(&r);
	timed(&own);
	hist__free(own.app.latency[LATENCY_SEND_CALL].hist);
	own.app.latency[LATENCY_SEND_CALL].hist = NULL;
	timed_round__copy_times(&r, &own);
	assert_int_equal(r.times.calls, 0);
	run_result__clear(&own);
	run_result__clear(&r);
}

/* Only times that the timed round would have given get its reason. */
TEST(reasons_of_the_run_itself_stay)
{
	static const char other[] = "another reason";
	struct run_result r;

	compared(&r);
	r.path_reason = r.pinned.completion.reason = other;
	r.path_calls.reason = r.path_ns[PATH_COPY].reason = other;
	r.stages[NIO_STAGE_TX_COPY].ns.reason = other;
	for (int w = 0; w < NIO_PERF_WINDOW_NR; w++)
		r.perf_window[w].reason = other;
	timed_round__none(&r, "gone at 50%%");
	assert_string_equal(r.times.reason, "gone at 50%%");
	assert_string_equal(r.path_reason, other);
	assert_string_equal(r.pinned.completion.reason, other);
	assert_string_equal(r.path_calls.reason, other);
	assert_string_equal(r.path_ns[PATH_COPY].reason, other);
	assert_string_equal(r.stages[NIO_STAGE_TX_COPY].ns.reason, other);
	for (int w = 0; w < NIO_PERF_WINDOW_NR; w++)
		assert_string_equal(r.perf_window[w].reason, other);
	run_result__clear(&r);
}

TEST(missing_timed_round_has_a_reason)
{
	struct run_result r;

	compared(&r);
	timed_round__none(&r, "the other machine went away");
	assert_int_equal(r.times.source, TIMES_NOT_TAKEN);
	assert_string_equal(r.times.reason, "the other machine went away");
	assert_non_null(strstr(r.path_ns[PATH_COPY].reason, "times.reason"));
	assert_non_null(strstr(r.stages[NIO_STAGE_TX_COPY].ns.reason, "times.reason"));
	assert_non_null(strstr(r.pinned.completion.reason, "times.reason"));
	assert_non_null(strstr(r.stages[NIO_STAGE_TX_COPY].timed.reason, "times.reason"));
	assert_non_null(strstr(r.path_calls.reason, "times.reason"));
	assert_non_null(strstr(r.path_reason, "times.reason"));
	for (int part = PATH_SEND_TOTAL + 1; part < PATH_NR; part++)
		assert_non_null(strstr(r.path_ns[part].reason, "times.reason"));
	for (int w = 0; w < NIO_PERF_WINDOW_NR; w++) {
		assert_non_null(strstr(r.perf_window[w].reason, "times.reason"));
		assert_non_null(strstr(r.perf_window[w].samples.reason, "times.reason"));
	}
	/* The load generator's own times are known, as are those timed in the round itself. */
	assert_near(time_figures__part(&r, PATH_SEND_TOTAL), 1000);
	assert_near(time_figures__per_kib(&r, NIO_STAGE_DEFERRED_COPY), 140);
	run_result__clear(&r);
}

/* rounds[i]: round i has a timed round. The sum is over those, in any order. */
static void add_rounds(struct run_result *total, const bool rounds[], size_t n)
{
	run_result__init(total);
	for (size_t i = 0; i < n; i++) {
		struct run_result r;

		if (rounds[i])
			make(&r);
		else
			compared(&r);
		ledger__add(total, &r);
		run_result__clear(&r);
	}
}

TEST(sum_is_over_the_rounds_that_have_a_timed_round)
{
	static const bool cases[][3] = {
		{true, true, true}, {true, false, true}, {false, true, true}, {true, true, false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t had = cases[i][0] + cases[i][1] + cases[i][2];
		struct run_result total;

		add_rounds(&total, cases[i], 3);
		assert_int_equal(total.times.source, TIMES_FROM_TIMED_ROUND);
		assert_int_equal(total.times.messages, 10 * had);
		assert_int_equal(total.times.calls, 10 * had);
		assert_int_equal(total.times.missed.value, 30 * had);
		assert_int_equal(total.path_calls.value, 10 * had);
		assert_int_equal(total.path_ns[PATH_SEND_TOTAL].value, 15000 * had);
		assert_int_equal(total.stages[NIO_STAGE_TX_COPY].times->count, 10 * had);
		assert_int_equal(total.stages[NIO_STAGE_TX_COPY].timed_bytes.value, 10240 * had);
		assert_int_equal(total.pinned.completion.hist->count, 10 * had);
		for (uint64_t w = 0; w < NIO_PERF_WINDOW_NR; w++) {
			assert_int_equal(total.perf_window[w].quality, QUALITY_SAMPLED);
			assert_int_equal(total.perf_window[w].windows.value, (90 + w) * had);
			assert_int_equal(total.perf_window[w].samples.value, (80 + w) * had);
		}
		assert_near(time_figures__per_kib(&total, NIO_STAGE_TX_COPY), 600);
		assert_near(time_figures__part(&total, PATH_SEND_TOTAL), 1500);
		/* Times of the rounds themselves are summed over all. */
		assert_int_equal(total.stages[NIO_STAGE_TX_COPY].bytes, 3 * 102400);
		assert_int_equal(total.stages[NIO_STAGE_DEFERRED_COPY].ns.value, 21000);
		assert_near(time_figures__per_kib(&total, NIO_STAGE_DEFERRED_COPY), 140);
		run_result__clear(&total);
	}
}
