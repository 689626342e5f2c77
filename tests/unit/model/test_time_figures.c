/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of times: their divisors, and that unknown input gives no number. */
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "model/time_figures.h"
#include "support/test.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

/* 10 messages of 1 KiB whose calls took 1000 ns each; the kernel followed as many calls. */
static void run__init(struct run_result *run, uint64_t followed)
{
	struct hist *calls = hist__new_latency();
	int i;

	run_result__init(run);
	run->ledger_known = true;
	run->app.tx_bytes = run->app.rx_bytes = 10240;
	for (i = 0; i < 10; i++)
		hist__record(calls, 1000);
	run->app.latency[LATENCY_SEND_CALL].hist = calls;
	run->path_ns[PATH_SEND_TOTAL] = known(10000);
	run->path_calls = known(followed);
	for (i = PATH_SEND_TOTAL + 1; i < PATH_NR; i++)
		run->path_ns[i] = known(0);
	run->path_ns[PATH_COPY] = known(followed * 600);
	run->path_ns[PATH_LOCK] = known(followed * 100);
	run->stages[NIO_STAGE_TX_COPY] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 10240,
		.events = 10,
		.ns = known(followed * 600),
		.timed = known(followed),
	};
}

static void check(struct real found, double expected)
{
	assert_true(found.known);
	assert_true(found.value > expected - 1e-6 && found.value < expected + 1e-6);
}

static void check_unknown(struct real found, const char *reason)
{
	assert_false(found.known);
	assert_string_equal(found.reason, reason);
}

TEST(parts_add_up_to_the_send_call)
{
	struct run_result run;

	run__init(&run, 10);
	check(time_figures__part(&run, PATH_SEND_TOTAL), 1000);
	check(time_figures__part(&run, PATH_COPY), 600);
	check(time_figures__part(&run, PATH_WAIT), 0);
	check(time_figures__inside(&run), 700);
	check(time_figures__outside(&run), 300);
	check(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
	run_result__clear(&run);
}

/* The kernel took a message in two calls: the parts belong to the message. */
TEST(parts_of_partial_calls_belong_to_their_message)
{
	struct run_result run;

	run__init(&run, 10);
	run.path_calls = known(11);
	check(time_figures__part(&run, PATH_COPY), 600);
	check(time_figures__outside(&run), 300);
	check(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
	run_result__clear(&run);
}

/* Half of the calls were followed: means are of these, sums are scaled, nothing is subtracted. */
TEST(sampled_calls_are_scaled)
{
	struct run_result run;

	run__init(&run, 5);
	check(time_figures__part(&run, PATH_COPY), 600);
	check(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
	check_unknown(time_figures__outside(&run), "not every call was followed");
	run.stages[NIO_STAGE_RX_COPY] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 10240,
		.events = 40,
		.ns = known(2000),
		.timed = known(20),
	};
	check(time_figures__per_kib(&run, NIO_STAGE_RX_COPY), 400);
	run.stages[NIO_STAGE_RX_COPY].timed = run.stages[NIO_STAGE_RX_COPY].ns = known(0);
	check_unknown(time_figures__per_kib(&run, NIO_STAGE_RX_COPY), "no event was timed");
	run_result__clear(&run);
}

/* Bytes counted per packet have other events than calls: the share is that of the calls. */
TEST(packet_events_do_not_scale_call_times)
{
	struct run_result run;

	run__init(&run, 10);
	run.stages[NIO_STAGE_TX_COPY].events = 1000;
	check(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 600);
	run_result__clear(&run);
}

/* One message in 64 is timed; the result's sum is already scaled. */
TEST(gather_time_is_scaled_once)
{
	struct run_result run;

	run__init(&run, 10);
	run.stages[NIO_STAGE_USER_GATHER] = (struct stage_result){
		.quality = QUALITY_EXACT,
		.bytes = 10240,
		.events = 64,
		.ns = known(500),
		.timed = known(1),
	};
	check(time_figures__per_kib(&run, NIO_STAGE_USER_GATHER), 50);
	run_result__clear(&run);
}

TEST(unknown_time_has_its_reason)
{
	struct run_result run;

	run__init(&run, 10);
	run.path_ns[PATH_WAIT] = (struct num){.reason = "no hook"};
	check_unknown(time_figures__part(&run, PATH_WAIT), "no hook");
	check_unknown(time_figures__inside(&run), "no hook");
	check_unknown(time_figures__outside(&run), "no hook");
	check(time_figures__part(&run, PATH_COPY), 600);
	run.stages[NIO_STAGE_TX_COPY].ns = (struct num){.reason = "no mark"};
	check_unknown(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), "no mark");
	check_unknown(time_figures__per_kib(&run, NIO_STAGE_OTHER_COPY), "not measured");
	run.path_calls = (struct num){.reason = "no calls"};
	check_unknown(time_figures__part(&run, PATH_COPY), "no calls");
	run_result__clear(&run);

	run_result__init(&run);
	check_unknown(time_figures__part(&run, PATH_SEND_TOTAL), "not measured");
	check_unknown(time_figures__outside(&run), "not measured");
	run.path_ns[PATH_SEND_TOTAL] = known(0);
	check_unknown(time_figures__part(&run, PATH_SEND_TOTAL), "no call was timed");
}

TEST(zero_bytes_take_no_time)
{
	struct run_result run;

	run__init(&run, 10);
	run.stages[NIO_STAGE_TX_COPY].bytes = run.stages[NIO_STAGE_TX_COPY].events = 0;
	check(time_figures__per_kib(&run, NIO_STAGE_TX_COPY), 0);
	run_result__clear(&run);
}

/* A round without followed calls makes the sum of the rounds unknown. */
TEST(rounds_add_up_and_one_unknown_makes_the_sum_unknown)
{
	struct run_result total, run;

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
	check(time_figures__part(&total, PATH_COPY), 600);
	run_result__no_kernel(&run, "lost");
	assert_int_equal(run.path_quality, QUALITY_UNAVAILABLE);
	ledger__add(&total, &run);
	assert_int_equal(total.path_quality, QUALITY_UNAVAILABLE);
	assert_string_equal(total.path_reason, "lost");
	assert_false(total.path_calls.known);
	run_result__clear(&run);
	run_result__clear(&total);
}
