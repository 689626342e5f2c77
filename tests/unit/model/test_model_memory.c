/* SPDX-License-Identifier: GPL-2.0-only */
/* Books when memory is short: an error; never a sum that lacks a part, nor what two runs both own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "support/full_result.h"
#include "support/short_memory.h"
#include "support/test.h"
#include "write/json.h"

static void sample(struct run_result *run, const char *text)
{
	char frames[32];
	struct profile_stack stack = {.frames = frames,
				      .count = 7,
				      .whose = NIO_SAMPLE_SENDER,
				      .class = CPU_CLASS_TX_COPY};

	snprintf(frames, sizeof(frames), "%s", text);
	assert_int_equal(cpu_time__take(&run->cpu, &stack, false), 0);
}

struct rounds {
	struct run_result run[2];
	json_t *sum; /* of both, as it is written */
};

static int add_rounds(void *arg)
{
	const struct rounds *rounds = arg;
	struct run_result sum;
	json_t *found;
	int err = 0;

	run_result__init(&sum);
	for (int i = 0; i < 2 && !err; i++)
		err = ledger__add(&sum, &rounds->run[i]);
	short_memory__end();
	if (!err) {
		found = json_document__run(&sum);
		assert_true(json_equal(found, rounds->sum));
		json_decref(found);
	}
	run_result__clear(&sum);
	return err;
}

/* The first run of a sum is copied: what a copy cut short would share is freed twice. */
TEST(sums_own_what_they_have)
{
	static struct rounds rounds;
	struct run_result sum;

	for (int i = 0; i < 2; i++)
		full_run__fill(&rounds.run[i], MODE_ZEROCOPY, (unsigned int)i);
	sample(&rounds.run[0], "a;b");
	sample(&rounds.run[1], "a;b;c");
	run_result__init(&sum);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ledger__add(&sum, &rounds.run[i]), 0);
	rounds.sum = json_document__run(&sum);
	assert_non_null(rounds.sum);
	assert_int_equal(sum.stages[NIO_STAGE_TX_COPY].times->count,
			 2 * rounds.run[0].stages[NIO_STAGE_TX_COPY].times->count);
	run_result__clear(&sum);
	short_memory__walk(add_rounds, &rounds);
	json_decref(rounds.sum);
	for (int i = 0; i < 2; i++)
		run_result__clear(&rounds.run[i]);
}

struct phase {
	struct plan plan;
	struct snapshot base, now;
	uint64_t middle; /* of the bucket that three completions are in */
};

static int book(void *arg)
{
	const struct phase *phase = arg;
	struct run_result r;
	int err;

	run_result__init(&r);
	err = ledger__book(&r, &phase->plan, &phase->base, &phase->now);
	short_memory__end();
	for (int s = 0; s < NIO_STAGE_NR && !err; s++)
		assert_true(s == NIO_STAGE_USER_GATHER ||
			    r.stages[s].quality == QUALITY_UNAVAILABLE || r.stages[s].sizes);
	if (!err)
		assert_int_equal(r.pinned.outstanding.hist->sum, 3 * phase->middle);
	run_result__clear(&r);
	return err;
}

TEST(a_phase_is_booked_whole)
{
	struct offer *offers = calloc(plan_alternatives_nr, sizeof(*offers));
	struct plan_request req = {
		.backend = BACKEND_AUTO, .mode = MODE_ZEROCOPY, .size = 65536, .times = TIMES_ON};
	struct phase *phase = calloc(1, sizeof(*phase));

	assert_non_null(offers);
	assert_non_null(phase);
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		offers[i].answer = ANSWER_YES;
	assert_int_equal(plan__make(&phase->plan, offers, &req), 0);
	free(offers);
	phase->now.zc.outstanding_hist[30] = 3;
	phase->middle = (hist_bucket_low(30, NIO_HIST_SUB_BITS) +
			 hist_bucket_low(31, NIO_HIST_SUB_BITS) - 1) /
			2;
	short_memory__walk(book, phase);
	free(phase);
}

static int take_report(void *report)
{
	struct run_result r;
	int err;

	run_result__init(&r);
	err = ledger__app(&r, report, NIO_SIDE_SENDER);
	if (!err)
		err = ledger__app(&r, report, NIO_SIDE_RECEIVER);
	short_memory__end();
	for (int k = 0; k < LATENCY_NR && !err; k++)
		assert_non_null(r.app.latency[k].hist);
	run_result__clear(&r);
	return err;
}

TEST(reports_are_taken_whole)
{
	struct load_report *report = calloc(1, sizeof(*report));

	assert_non_null(report);
	full_app__fill(&report->app);
	short_memory__walk(take_report, report);
	load_report__clear(report);
	free(report);
}

/* More stacks than there is room for at first. */
static int take_samples(void *arg)
{
	struct cpu_result cpu = {.known = true};
	char frames[32];
	struct profile_stack stack = {.frames = frames,
				      .count = 1,
				      .whose = NIO_SAMPLE_RECEIVER,
				      .class = CPU_CLASS_RX_COPY};
	int err = 0;

	(void)arg;
	for (int i = 0; i < 300 && !err; i++) {
		snprintf(frames, sizeof(frames), "main;call %d", i);
		err = cpu_time__take(&cpu, &stack, false);
	}
	short_memory__end();
	if (!err)
		assert_int_equal(cpu.profile.nr, 300);
	cpu_time__clear(&cpu);
	return err;
}

TEST(samples_are_kept_or_refused)
{
	short_memory__walk(take_samples, NULL);
}
