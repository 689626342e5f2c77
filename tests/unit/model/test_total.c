/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over rounds and over sides, one number and one histogram at a time. */
#include <errno.h>
#include <stdlib.h>

#include "model/ledger_sides.h"
#include "model/remote.h"
#include "model/total.h"
#include "model/uncovered.h"
#include "support/test.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static struct num unknown(const char *reason)
{
	return (struct num){.reason = reason};
}

/* What is not known of one is not known of all, for the first reason there was. */
TEST(numbers_add_up_or_are_unknown)
{
	struct num sum = known(5), more = known(37), lost = unknown("lost"), gone = unknown("gone");

	total__add_num(&sum, &more);
	assert_true(sum.known);
	assert_int_equal(sum.value, 42);
	assert_int_equal(more.value, 37);
	total__add_num(&sum, &lost);
	assert_false(sum.known);
	assert_string_equal(sum.reason, "lost");
	total__add_num(&sum, &more);
	assert_false(sum.known);
	assert_string_equal(sum.reason, "lost");
	total__add_num(&sum, &gone);
	assert_false(sum.known);
	assert_string_equal(sum.reason, "lost");
}

static struct hist *hist_of(uint64_t value)
{
	struct hist *h = hist__new_latency();

	assert_non_null(h);
	hist__record(h, value);
	return h;
}

/* The sum owns its histogram: what was added stays as it was. */
TEST(histograms_add_up_in_one_of_their_own)
{
	struct hist *sum = NULL, *first = hist_of(10), *second = hist_of(300);

	assert_int_equal(total__begin_hist(&sum, first), 0);
	assert_non_null(sum);
	assert_ptr_not_equal(sum, first);
	assert_int_equal(sum->count, 1);
	assert_int_equal(total__add_hist(&sum, second), 0);
	assert_int_equal(sum->count, 2);
	assert_int_equal(sum->sum, 310);
	assert_int_equal(sum->min, 10);
	assert_int_equal(sum->max, 300);
	assert_int_equal(first->count, 1);
	assert_int_equal(second->count, 1);
	hist__free(first);
	hist__free(second);
	hist__free(sum);
}

TEST(without_one_histogram_there_is_no_sum)
{
	struct hist *sum = NULL, *one = hist_of(10);

	assert_int_equal(total__begin_hist(&sum, NULL), 0);
	assert_null(sum);
	assert_int_equal(total__add_hist(&sum, one), 0);
	assert_null(sum);
	assert_int_equal(total__begin_hist(&sum, one), 0);
	assert_int_equal(total__add_hist(&sum, NULL), 0);
	assert_null(sum);
	assert_int_equal(total__add_hist(&sum, one), 0);
	assert_null(sum);
	hist__free(one);
}

TEST(other_histograms_do_not_add)
{
	struct hist *sum = hist_of(10), *other = hist__new(3, 256);

	hist__record(other, 5);
	assert_int_equal(total__add_hist(&sum, other), -EINVAL);
	assert_non_null(sum);
	assert_int_equal(sum->count, 1);
	hist__free(sum);
	hist__free(other);
}

struct pair {
	struct snapshot base, now;
};

/* What either side's sockets were booked: bytes and events of every stage are other numbers. */
static struct pair *snapshots(void)
{
	struct pair *p = calloc(1, sizeof(*p));
	uint64_t next = 1;

	assert_non_null(p);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int s = 0; s < NIO_STAGE_NR; s++) {
			struct nio_cell *base = &p->base.cells[side][s];
			struct nio_cell *now = &p->now.cells[side][s];

			base->bytes = 1000 * next;
			now->bytes = base->bytes + 9 * next; /* of a bucket of 8 */
			base->events = 100 * next;
			now->events = base->events + next;
			base->hist[8] = 50;
			now->hist[8] = 50 + next;
			now->hist[0] = base->hist[0] = 7;
			next++;
		}
	return p;
}

static void check_other(enum nio_stage stage, uint64_t factor)
{
	struct pair *p = snapshots();
	struct stage_result *s;
	struct run_result r;

	run_result__init(&r);
	s = &r.stages[stage];
	s->quality = QUALITY_EXACT;
	s->bytes = 5;
	s->events = 1;
	s->sizes = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	hist__add_bucket(s->sizes, 5, 1);
	ledger_sides__add_other(&r, stage, &p->base, &p->now);
	assert_int_equal(s->bytes, 5 + 9 * factor);
	assert_int_equal(s->events, 1 + factor);
	assert_int_equal(s->sizes->count, 1 + factor);
	assert_int_equal(s->sizes->buckets[0], 0);
	assert_int_equal(s->sizes->buckets[5], 1);
	assert_int_equal(s->sizes->buckets[8], factor);
	/* The bytes are known; buckets only say about how many they were. */
	assert_int_equal(s->sizes->sum, s->bytes);
	run_result__clear(&r);
	free(p);
}

/* Rows of snapshots(): seven stages of the sender's sockets, then seven of the receiver's. */
TEST(the_other_sides_sockets_are_added)
{
	check_other(NIO_STAGE_TX_COPY, NIO_STAGE_NR + NIO_STAGE_TX_COPY + 1);
	check_other(NIO_STAGE_TX_PIN, NIO_STAGE_NR + NIO_STAGE_TX_PIN + 1);
	check_other(NIO_STAGE_RX_COPY, NIO_STAGE_RX_COPY + 1);
	check_other(NIO_STAGE_OTHER_COPY, NIO_STAGE_OTHER_COPY + 1);
}

TEST(nothing_is_added_to_what_is_not_known)
{
	struct pair *p = snapshots();
	struct stage_result *s;
	struct run_result r;

	run_result__init(&r);
	s = &r.stages[NIO_STAGE_TX_COPY];
	ledger_sides__add_other(&r, NIO_STAGE_TX_COPY, &p->base, &p->now);
	assert_int_equal(s->bytes, 0);
	assert_int_equal(s->events, 0);
	/* No event is attached: bytes are known otherwise, and sizes are not. */
	s->quality = QUALITY_DERIVED;
	ledger_sides__add_other(&r, NIO_STAGE_TX_COPY, &p->base, &p->now);
	assert_int_equal(s->bytes, 9 * (NIO_STAGE_NR + NIO_STAGE_TX_COPY + 1));
	assert_null(s->sizes);
	/* Nothing came: of an empty histogram there is no sum. */
	s->bytes = 9;
	s->sizes = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	ledger_sides__add_other(&r, NIO_STAGE_TX_COPY, &p->base, &p->base);
	assert_int_equal(s->bytes, 9);
	assert_int_equal(s->sizes->count, 0);
	assert_int_equal(s->sizes->sum, 0);
	run_result__clear(&r);
	free(p);
}

/* Of a receiver elsewhere only its own copies are out of sight. */
TEST(what_happens_on_the_other_machine)
{
	struct run_result r = {.sender_side = true};

	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_int_equal(remote__is_beyond(&r, (enum nio_stage)s), s == NIO_STAGE_RX_COPY);
	r.sender_side = false;
	for (int s = 0; s < NIO_STAGE_NR; s++)
		assert_false(remote__is_beyond(&r, (enum nio_stage)s));
}

TEST(what_no_stage_covers_adds_up)
{
	struct run_result a = {0}, b = {0};

	a.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] = (struct nio_uncovered){10, 1};
	a.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = (struct nio_uncovered){20, 2};
	b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = (struct nio_uncovered){300, 30};
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MPTCP] = (struct nio_uncovered){400, 40};
	uncovered__add(&a, &b);
	assert_int_equal(a.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MPTCP].bytes, 400);
	assert_int_equal(a.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MPTCP].events, 40);
	assert_int_equal(a.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS].bytes, 10);
	assert_int_equal(a.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS].events, 1);
	assert_int_equal(a.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN].bytes, 320);
	assert_int_equal(a.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN].events, 32);
	assert_int_equal(b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN].bytes, 300);
	assert_string_equal(uncovered__key(NIO_UNCOVERED_FOREIGN), "io_uring");
	assert_string_equal(uncovered__text(NIO_UNCOVERED_SOCKMAP), "through a sockmap");
}
