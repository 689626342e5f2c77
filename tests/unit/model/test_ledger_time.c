/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times and completions of a phase exclude those before its base: each number of both snapshots is
 * unique, so a base that is ignored, added or swapped fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ledger_case.h"
#include "support/near.h"
#include "support/test.h"

static int set_up(void **state)
{
	*state = fixture_without_sockets(MODE_ZEROCOPY);
	return 0;
}

static int tear_down(void **state)
{
	end(*state);
	return 0;
}

static void book(struct fixture *f)
{
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
}

static void is(struct num found, uint64_t expected)
{
	assert_num(found, expected);
}

TEST_WITH(parts_of_send_calls_exclude_those_before_the_base, set_up, tear_down)
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
	/* A part without its hook has a reason; the others stay. */
	f->plan.chosen[PROBE_PIN_TIME] = NULL;
	f->plan.reason[PROBE_PIN_TIME] = "no pins here";
	book(f);
	is(f->run.path_calls, 7);
	is(f->run.path_ns[PATH_COPY], 1002);
	is(f->run.path_ns[PATH_WAIT], 1006);
	assert_unknown(f->run.path_ns[PATH_PIN], "no pins here");
}

TEST_WITH(completions_exclude_those_before_the_base, set_up, tear_down)
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

/* Booked again without the hook: no earlier number stays. */
TEST_WITH(stages_booked_again_without_a_hook_lose_their_times, set_up, tear_down)
{
	struct fixture *f = *state;

	f->now.zc.ns_hist[5] = 3;
	f->now.zc.outstanding_hist[6] = 2;
	book(f);
	assert_non_null(f->run.pinned.completion.hist);
	assert_non_null(f->run.pinned.outstanding.hist);
	book(f);
	assert_int_equal(f->run.pinned.completion.hist->count, 3);
	f->plan.chosen[PROBE_COMPLETION_TIME] = NULL;
	f->plan.reason[PROBE_COMPLETION_TIME] = "gone";
	book(f);
	assert_null(f->run.pinned.completion.hist);
	assert_null(f->run.pinned.outstanding.hist);
	assert_string_equal(f->run.pinned.completion.reason, "gone");
	assert_string_equal(f->run.pinned.outstanding.reason, "gone");
	assert_false(f->run.pinned.completed_bytes.known);
}

TEST_WITH(stage_times_exclude_those_before_the_base, set_up, tear_down)
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
	book(f);
	is(f->run.stages[NIO_STAGE_TX_PIN].ns, 1000);
	is(f->run.stages[NIO_STAGE_TX_PIN].timed, 4);
	assert_int_equal(f->run.stages[NIO_STAGE_TX_PIN].times->count, 4);
}

/* Entries of one caller are added; the last place and caller shown is the sum of the rest. */
TEST_WITH(entries_of_one_caller_are_added_and_the_last_is_the_rest, set_up, tear_down)
{
	struct fixture *f = *state;
	unsigned int nr = PLACES_SHOWN + 3;

	for (unsigned int i = 0; i < 2 * nr; i++) {
		struct place_sum *place = &f->base.places[i];
		struct other_sum *other = &f->base.others[i];

		place->place = (struct nio_place){.context = NIO_CONTEXT_PROCESS};
		other->other = (struct nio_other){.stack = (int)i};
		snprintf(place->place.comm, sizeof(place->place.comm), "task-%u", i % nr);
		snprintf(other->caller, sizeof(other->caller), "caller%%%%_%u", i % nr);
		place->sum = other->sum = (struct nio_sum){.bytes = 1000, .events = 10, .ns = 100};
		f->now.places[i] = *place;
		f->now.others[i] = *other;
		f->now.places[i].sum = f->now.others[i].sum =
			(struct nio_sum){.bytes = 1007, .events = 12, .ns = 105};
	}
	f->base.places_nr = f->now.places_nr = nr;
	f->base.others_nr = f->now.others_nr = 2 * nr;
	book(f);
	assert_int_equal(f->run.places_nr, PLACES_SHOWN);
	assert_int_equal(f->run.others_nr, OTHERS_SHOWN);
	for (unsigned int i = 0; i < PLACES_SHOWN; i++) {
		const struct place_result *p = &f->run.places[i];
		const struct other_result *o = &f->run.others[i];
		bool last = i + 1 == PLACES_SHOWN;
		/* Two entries a caller; the last one also has the sum of three more. */
		uint64_t entries = last ? 8 : 2;

		assert_int_equal(p->bytes, 7 * entries / 2);
		assert_int_equal(p->events, entries);
		assert_int_equal(p->ns, 5 * entries / 2);
		assert_int_equal(p->context, last ? NIO_CONTEXT_UNKNOWN : NIO_CONTEXT_PROCESS);
		assert_string_equal(p->comm, last ? "(others)" : f->now.places[i].place.comm);
		assert_int_equal(o->bytes, 7 * entries);
		assert_int_equal(o->events, 2 * entries);
		assert_int_equal(o->ns, 5 * entries);
		assert_string_equal(o->caller, last ? "(others)" : f->now.others[i].caller);
	}
}

/* An empty sum takes all of the first run and copies its histograms. */
TEST_WITH(empty_sum_takes_copies_of_the_first_histograms, set_up, tear_down)
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
	ledger__add(&sum, &f->run);
	for (int k = 0; k < LATENCY_NR; k++) {
		assert_non_null(sum.app.latency[k].hist);
		assert_ptr_not_equal(sum.app.latency[k].hist, f->run.app.latency[k].hist);
		assert_int_equal(sum.app.latency[k].hist->count, k + 1);
	}
	run_result__clear(&sum);
}
