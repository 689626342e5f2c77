/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every count of a run has a unique value: reports, differences of snapshots, sums of rounds. A
 * count that is missing, added twice or has the wrong sign fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hist.h"
#include "model/ledger.h"
#include "model/result.h"
#include "support/near.h"
#include "support/test.h"

#define PART(field)                                        \
	{                                                  \
		offsetof(struct run_result, field), #field \
	}

struct part {
	size_t at;
	const char *name;
};

/* clang-format off */
/* Plain counts, and numbers that may be unknown, which are in no table. */
static const struct part counts[] = {
	PART(duration_ns), PART(unaccounted_tx), PART(unaccounted_rx),
	PART(app.tx_bytes), PART(app.tx_messages), PART(app.rx_bytes), PART(app.rx_messages),
	PART(app.partial_sends), PART(app.eagain), PART(app.eintr),
	PART(app.tcp_bytes_acked), PART(app.tcp_bytes_received), PART(app.tcp_bytes_retrans),
};

static const struct part nums[] = {
	PART(app.rx_uncopied), PART(app.verify_errors), PART(app.sender_cpu_ns), PART(app.receiver_cpu_ns),
	PART(pinned.completed_bytes), PART(path_calls), PART(refused[0]), PART(refused[NIO_REFUSAL_NR - 1]),
	PART(times.missed), PART(times.map_full), PART(times.unmatched),
	PART(perf[NIO_SIDE_SENDER][0]), PART(perf[NIO_SIDE_SENDER][PERF_NR - 1]),
	PART(perf[NIO_SIDE_RECEIVER][0]), PART(perf_detail[NIO_SIDE_SENDER][1].user),
	PART(perf_detail[NIO_SIDE_RECEIVER][1].kernel),
};

/*
 * Tables of numbers, and where a run has them. This test sees a number that is not added, not one that a table
 * lacks or has twice: test_books.c does.
 */
static const struct {
	const struct number_row *rows;
	size_t at;
} tables[] = {
	{zc__numbers, offsetof(struct run_result, app.zc)},
	{zc__numbers, offsetof(struct run_result, kernel_zc)},
	{replies__numbers, offsetof(struct run_result, app.replies)},
	{sequence__numbers, offsetof(struct run_result, sequence)},
	{tls__numbers, offsetof(struct run_result, sequence.tls[NIO_SIDE_SENDER])},
	{tls__numbers, offsetof(struct run_result, sequence.tls[NIO_SIDE_RECEIVER])},
	{health__numbers, offsetof(struct run_result, health)},
	{kernel__numbers, 0},
};
/* clang-format on */

#define PARTS_MAX 128

/* All plain counts, or all numbers that may be unknown. Returns how many. */
static size_t list_parts(struct part list[PARTS_MAX], bool may_be_unknown)
{
	const struct part *plain = may_be_unknown ? nums : counts;
	size_t nr = may_be_unknown ? ARRAY_LEN(nums) : ARRAY_LEN(counts);

	memcpy(list, plain, nr * sizeof(*list));
	for_each_case(t, tables)
		for (const struct number_row *row = t->rows; row->member; row++)
			if (row->type != NUMBER_real && may_be_unknown == (row->type == NUMBER_num))
				list[nr++] = (struct part){t->at + row->at, row->member};
	assert_true(nr < PARTS_MAX);
	return nr;
}

static uint64_t *count_of(struct run_result *r, const struct part *p)
{
	return (uint64_t *)((char *)r + p->at);
}

static struct num *num_of(struct run_result *r, const struct part *p)
{
	return (struct num *)((char *)r + p->at);
}

/* A round in which every count is different. */
static void fill(struct run_result *r, uint64_t factor)
{
	struct part list[PARTS_MAX];
	uint64_t next = 1;
	size_t nr;

	run_result__init(r);
	nr = list_parts(list, false);
	for (size_t i = 0; i < nr; i++)
		*count_of(r, &list[i]) = factor * next++;
	nr = list_parts(list, true);
	for (size_t i = 0; i < nr; i++)
		*num_of(r, &list[i]) = num__known(factor * next++);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			r->uncovered[side][kind] = (struct nio_uncovered){
				.bytes = factor * next++, .events = factor * next++};
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		r->stages[s].bytes = factor * next++;
		r->stages[s].events = factor * next++;
	}
	r->ledger_known = r->kernel_zc_known = r->balance_known = true;
}

static void check_sum(const char *name, uint64_t sum, uint64_t *next)
{
	if (sum != 1001 * *next)
		fail_msg("%s: %llu of %llu", name, (unsigned long long)sum,
			 (unsigned long long)(1001 * *next));
	(*next)++;
}

TEST(rounds_add_up)
{
	struct run_result a, b, total;
	struct part list[PARTS_MAX];
	uint64_t next = 1;
	size_t nr;

	fill(&a, 1);
	fill(&b, 1000);
	run_result__init(&total);
	ledger__add(&total, &a);
	ledger__add(&total, &b);
	nr = list_parts(list, false);
	for (size_t i = 0; i < nr; i++)
		check_sum(list[i].name, *count_of(&total, &list[i]), &next);
	nr = list_parts(list, true);
	for (size_t i = 0; i < nr; i++)
		check_sum(list[i].name, num_of(&total, &list[i])->value, &next);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			check_sum("uncovered bytes", total.uncovered[side][kind].bytes, &next);
			check_sum("uncovered events", total.uncovered[side][kind].events, &next);
		}
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		check_sum("stage bytes", total.stages[s].bytes, &next);
		check_sum("stage events", total.stages[s].events, &next);
	}
	assert_true(total.ledger_known && total.kernel_zc_known && total.balance_known);
	run_result__clear(&a);
	run_result__clear(&b);
	run_result__clear(&total);
}

static struct hist *hist_of(uint64_t value)
{
	struct hist *h = hist__new_latency();

	assert_non_null(h);
	hist__record(h, value);
	return h;
}

/* The sum has its own histograms: the rounds stay unchanged, and share none. */
TEST(rounds_are_unchanged_by_their_sum)
{
	static struct run_result a, before, total;

	fill(&a, 1);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		a.stages[s].quality = QUALITY_EXACT;
		a.stages[s].sizes = hist_of(10);
		a.stages[s].times = hist_of(20);
		a.stages[s].ns = a.stages[s].timed = num__known(1);
	}
	for (int k = 0; k < LATENCY_NR; k++)
		a.app.latency[k].hist = hist_of(30);
	a.cpu.known = true;
	a.cpu.source = "cycles";
	a.cpu.by[NIO_SAMPLE_SENDER].samples = a.cpu.by[NIO_SAMPLE_SENDER].classes[3] = 7;
	a.pinned.completion.hist = hist_of(40);
	a.pinned.outstanding.hist = hist_of(50);
	run_result__init(&total);
	memcpy(&before, &a, sizeof(a));
	for (int n = 0; n < 2; n++) {
		ledger__add(&total, &a);
		assert_memory_equal(&a, &before, sizeof(a));
	}
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		assert_ptr_not_equal(total.stages[s].times, a.stages[s].times);
		assert_int_equal(a.stages[s].times->count, 1);
		assert_int_equal(total.stages[s].times->count, 2);
		assert_int_equal(total.stages[s].sizes->count, 2);
	}
	assert_true(total.cpu.known);
	assert_int_equal(total.cpu.by[NIO_SAMPLE_SENDER].samples, 14);
	assert_int_equal(total.cpu.by[NIO_SAMPLE_SENDER].classes[3], 14);
	assert_int_equal(total.pinned.completion.hist->count, 2);
	assert_int_equal(total.pinned.outstanding.hist->count, 2);
	assert_int_equal(a.pinned.outstanding.hist->count, 1);
	run_result__clear(&a);
	run_result__clear(&total);
}

/* A number that one round lacks is unknown in the sum, with the reason. */
TEST(unknown_number_of_a_round_makes_the_sum_unknown)
{
	struct run_result a, b, total;
	struct part list[PARTS_MAX];
	size_t nr = list_parts(list, true);

	for (size_t i = 0; i < nr; i++)
		for (int first = 0; first < 2; first++) {
			fill(&a, 1);
			fill(&b, 1000);
			*num_of(first ? &a : &b, &list[i]) = num__unknown("lost");
			run_result__init(&total);
			ledger__add(&total, &a);
			ledger__add(&total, &b);
			assert_false(num_of(&total, &list[i])->known);
			assert_string_equal(num_of(&total, &list[i])->reason, "lost");
			run_result__clear(&a);
			run_result__clear(&b);
			run_result__clear(&total);
		}
	for (int flag = 0; flag < 3; flag++) {
		fill(&a, 1);
		fill(&b, 1000);
		*(flag == 0   ? &b.ledger_known
		  : flag == 1 ? &b.kernel_zc_known
			      : &b.balance_known) = false;
		b.interrupted = true;
		run_result__init(&total);
		ledger__add(&total, &a);
		assert_false(total.interrupted);
		ledger__add(&total, &b);
		assert_int_equal(total.ledger_known, flag != 0);
		assert_int_equal(total.kernel_zc_known, flag != 1);
		assert_int_equal(total.balance_known, flag != 2);
		assert_true(total.interrupted);
		run_result__clear(&a);
		run_result__clear(&b);
		run_result__clear(&total);
	}
}

/* Every counter of a snapshot is different. */
TEST(difference_of_snapshots_is_of_each_counter_and_of_the_same_entries)
{
	struct snapshot *s = calloc(3, sizeof(*s)), *base = s, *now = s + 1, *since = s + 2;
	size_t counters = offsetof(struct snapshot, places) / sizeof(uint64_t);

	for (size_t i = 0; i < counters; i++) {
		((uint64_t *)base)[i] = 10000 * i;
		((uint64_t *)now)[i] = 10003 * i;
	}
	for (unsigned int i = 0; i < 3; i++) {
		now->places[i].place.context = now->others[i].other.kind = i;
		now->places[i].sum = now->others[i].sum =
			(struct nio_sum){100 + i, 200 + i, 300 + i};
	}
	base->places[0].place.context = base->others[0].other.kind = 2;
	base->places[0].sum = base->others[0].sum = (struct nio_sum){90, 190, 290};
	base->places_nr = base->others_nr = 1;
	now->places_nr = now->others_nr = 3;
	now->phase_ns = 7;
	snapshot__since(since, base, now);
	for (size_t i = 0; i < counters; i++)
		assert_int_equal(((uint64_t *)since)[i], 3 * i);
	assert_int_equal(since->places_nr, 3);
	assert_int_equal(since->places[1].sum.bytes, 101);
	assert_int_equal(since->places[2].sum.bytes, 12);
	assert_int_equal(since->others[1].sum.ns, 301);
	assert_int_equal(since->others[2].sum.events, 12);
	assert_int_equal(since->phase_ns, 7);
	free(s);
}

TEST(bytes_outside_the_stages_are_found_in_any_kind)
{
	struct run_result r = {0};

	assert_false(uncovered__any(&r));
	r.uncovered[NIO_SIDE_SENDER][0].events = 1;
	assert_true(uncovered__any(&r));
	r.uncovered[NIO_SIDE_SENDER][0].events = 0;
	r.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_NR - 1].events = 1;
	assert_true(uncovered__any(&r));
}

static struct load_report *report_of_both(void)
{
	struct load_report *report = calloc(1, sizeof(*report));
	struct run_result filled;

	assert_non_null(report);
	fill(&filled, 1);
	report->app = filled.app;
	report->elapsed_ns = 4711;
	report->interrupted = true;
	report->gather_bytes = 900;
	report->gather_events = 640;
	report->gather_ns = 50;
	report->gather_sampled = 10;
	for (int k = 0; k < LATENCY_NR; k++)
		report->app.latency[k].hist = hist_of(1000 + (uint64_t)k);
	return report;
}

/* test_load_report.c tests the fields that are copied. */
TEST(report_of_a_sender_fills_gather_and_call_time)
{
	struct load_report *report = report_of_both();
	struct run_result r;

	run_result__init(&r);
	ledger__app(&r, report, NIO_SIDE_SENDER);
	assert_true(r.interrupted);
	/* The duration is the receiver's, or the sender's with a remote receiver. */
	assert_int_equal(r.duration_ns, 0);
	assert_num(r.path_ns[PATH_SEND_TOTAL], 1000 + LATENCY_SEND_CALL);
	assert_int_equal(r.stages[NIO_STAGE_USER_GATHER].quality, QUALITY_EXACT);
	assert_null(r.stages[NIO_STAGE_USER_GATHER].reason);
	assert_int_equal(r.stages[NIO_STAGE_USER_GATHER].bytes, 900);
	assert_int_equal(r.stages[NIO_STAGE_USER_GATHER].events, 640);
	assert_int_equal(r.stages[NIO_STAGE_USER_GATHER].timed.value, 10);
	assert_int_equal(r.stages[NIO_STAGE_USER_GATHER].ns.value, 3200);
	r.sender_side = true;
	ledger__app(&r, report, NIO_SIDE_SENDER);
	assert_int_equal(r.duration_ns, 4711);
	run_result__clear(&r);
	load_report__clear(report);
	free(report);
}

TEST(report_of_a_receiver_has_the_duration)
{
	struct load_report *report = report_of_both();
	struct run_result r;

	run_result__init(&r);
	ledger__app(&r, report, NIO_SIDE_RECEIVER);
	assert_int_equal(r.duration_ns, 4711);
	assert_false(r.interrupted);
	run_result__clear(&r);
	load_report__clear(report);
	free(report);
}

/* A part of the gathers is timed; none timed: time unknown; none made: time 0. */
TEST(gather_time_is_scaled_from_the_timed_part)
{
	struct load_report *report = report_of_both();
	struct run_result r;

	run_result__init(&r);
	report->gather_sampled = 0;
	ledger__app(&r, report, NIO_SIDE_SENDER);
	assert_false(r.stages[NIO_STAGE_USER_GATHER].ns.known);
	report->gather_events = 0;
	ledger__app(&r, report, NIO_SIDE_SENDER);
	assert_num(r.stages[NIO_STAGE_USER_GATHER].ns, 0);
	run_result__clear(&r);
	load_report__clear(report);
	free(report);
}
