/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of times: their divisors, and that unknown input gives no number. */
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "model/figures.h"
#include "support/near.h"
#include "support/test.h"

/* 10 messages of 1 KiB whose calls took 1000 ns each; the kernel followed as many calls. */
static void run__init(struct run_result *r, uint64_t followed)
{
	struct hist *calls = hist__new_latency();
	int i;

	run_result__init(r);
	r->ledger_known = true;
	r->app.tx_bytes = r->app.rx_bytes = 10240;
	for (i = 0; i < 10; i++)
		hist__record(calls, 1000);
	r->app.latency[LATENCY_SEND_CALL].hist = calls;
	r->path_ns[PATH_SEND_TOTAL] = num__known(10000);
	r->path_calls = num__known(followed);
	for (i = PATH_SEND_TOTAL + 1; i < PATH_NR; i++)
		r->path_ns[i] = num__known(0);
	r->path_ns[PATH_COPY] = num__known(followed * 600);
	r->path_ns[PATH_LOCK] = num__known(followed * 100);
	r->stages[NIO_STAGE_TX_COPY] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 10240,
		.events = 10,
		.ns = num__known(followed * 600),
		.timed = num__known(followed),
	};
}

static struct run_result run;

static int set_up(void **state)
{
	(void)state;
	run__init(&run, 10);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	run_result__clear(&run);
	return 0;
}

TEST_WITH(parts_add_up_to_the_send_call, set_up, tear_down)
{
	assert_near(time_figures__part(&run, PATH_SEND_TOTAL), 1000);
	assert_near(time_figures__part(&run, PATH_COPY), 600);
	assert_near(time_figures__part(&run, PATH_WAIT), 0);
	assert_near(time_figures__outside(&run), 300);
	assert_near(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
}

/* The kernel took a message in two calls: the parts belong to the message. */
TEST_WITH(parts_of_partial_calls_belong_to_their_message, set_up, tear_down)
{
	run.path_calls = num__known(11);
	assert_near(time_figures__part(&run, PATH_COPY), 600);
	assert_near(time_figures__outside(&run), 300);
	assert_near(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
}

/* Half of the calls were followed: means are of these, sums are scaled, nothing is subtracted. */
TEST(sampled_calls_are_scaled)
{
	run__init(&run, 5);
	assert_near(time_figures__part(&run, PATH_COPY), 600);
	assert_near(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
	assert_unknown(time_figures__outside(&run), "not every call was followed");
	run.stages[NIO_STAGE_RX_COPY] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 10240,
		.events = 40,
		.ns = num__known(2000),
		.timed = num__known(20),
	};
	assert_near(time_figures__per_kib(&run, NIO_STAGE_RX_COPY), 400);
	run.stages[NIO_STAGE_RX_COPY].timed = run.stages[NIO_STAGE_RX_COPY].ns = num__known(0);
	assert_unknown(time_figures__per_kib(&run, NIO_STAGE_RX_COPY), "no event was timed");
	run_result__clear(&run);
}

/* Bytes counted per packet have other events than calls: the share is that of the calls. */
TEST_WITH(packet_events_do_not_scale_call_times, set_up, tear_down)
{
	run.stages[NIO_STAGE_TX_COPY].events = 1000;
	assert_near(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
}

/* One message in 64 is timed; the result's sum is already scaled. */
TEST_WITH(gather_time_is_scaled_once, set_up, tear_down)
{
	run.stages[NIO_STAGE_USER_GATHER] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 10240,
		.events = 64,
		.ns = num__known(500),
		.timed = num__known(1),
	};
	assert_near(time_figures__per_kib(&run, NIO_STAGE_USER_GATHER), 50);
}

TEST(unknown_time_has_its_reason)
{
	run__init(&run, 10);
	run.path_ns[PATH_WAIT] = num__unknown("no hook");
	assert_unknown(time_figures__part(&run, PATH_WAIT), "no hook");
	assert_unknown(time_figures__outside(&run), "no hook");
	assert_near(time_figures__part(&run, PATH_COPY), 600);
	run.stages[NIO_STAGE_TX_COPY].ns = num__unknown("no mark");
	assert_unknown(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), "no mark");
	assert_unknown(time_figures__per_kib(&run, NIO_STAGE_OTHER_COPY), "not measured");
	run.path_calls = num__unknown("no calls");
	assert_unknown(time_figures__part(&run, PATH_COPY), "no calls");
	run_result__clear(&run);

	run_result__init(&run);
	assert_unknown(time_figures__part(&run, PATH_SEND_TOTAL), "not measured");
	assert_unknown(time_figures__outside(&run), "not measured");
	run.path_ns[PATH_SEND_TOTAL] = num__known(0);
	assert_unknown(time_figures__part(&run, PATH_SEND_TOTAL), "no call was timed");
}

TEST_WITH(zero_bytes_take_no_time, set_up, tear_down)
{
	run.stages[NIO_STAGE_TX_COPY].bytes = run.stages[NIO_STAGE_TX_COPY].events = 0;
	assert_near(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 0);
}

/* A round without followed calls makes the sum of the rounds unknown. */
TEST(rounds_add_up_and_one_unknown_makes_the_sum_unknown)
{
	struct run_result total;

	run_result__init(&total);
	run__init(&run, 5);
	run.duration_ns = 1;
	run.path_quality = QUALITY_SAMPLED;
	run.path_reason = "some returns";
	ledger__add(&total, &run);
	ledger__add(&total, &run);
	assert_int_equal(total.path_calls.value, 10);
	assert_int_equal(total.path_quality, QUALITY_SAMPLED);
	assert_string_equal(total.path_reason, "some returns");
	assert_near(time_figures__part(&total, PATH_COPY), 600);
	run_result__no_kernel(&run, "lost");
	assert_int_equal(run.path_quality, QUALITY_UNAVAILABLE);
	ledger__add(&total, &run);
	assert_int_equal(total.path_quality, QUALITY_UNAVAILABLE);
	assert_string_equal(total.path_reason, "lost");
	assert_false(total.path_calls.known);
	run_result__clear(&run);
	run_result__clear(&total);
}
