/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters by group: bounded, monotonic, and the parts of each side add up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/splitmix.h"
#include "export/aggregates.h"
#include "support/test.h"

/* A connection without unseen events. */
static struct sock_state connection(uint64_t sent, uint64_t read)
{
	return (struct sock_state){
		.first_ns = 1,
		.begun = 2,
		.born_window = 1,
		.window = 1,
		.now = {.sent = sent, .read = read, .received = read},
		.calls[NIO_CALL_PLAIN] = {.bytes = sent, .events = 1},
		.stages[NIO_STAGE_TX_COPY] = {.bytes = sent, .events = 1},
		.stages[NIO_STAGE_RX_COPY] = {.bytes = read, .events = 1},
	};
}

static uint64_t below(uint64_t *state, uint64_t n)
{
	return splitmix__next(state) % n;
}

static void refresh(struct aggregates *a, size_t place, const struct sock_state *s, size_t nr)
{
	aggregates__begin(a);
	for (size_t i = 0; i < nr; i++)
		aggregates__add_open(a, place, &s[i]);
	aggregates__end(a);
}

static void assert_adds_up(const struct published *p)
{
	uint64_t sent = 0, read = 0;

	for (int i = PART_TX_COPY; i <= PART_TX_UNCLASSIFIED; i++)
		sent += p->parts[i];
	for (int i = PART_RX_COPY; i < PART_NR; i++)
		read += p->parts[i];
	assert_int_equal(sent, p->sent);
	assert_int_equal(read, p->read);
	for (int i = 0; i < PART_NR; i++)
		assert_int_equal(p->by_quality[0][i] + p->by_quality[1][i], p->parts[i]);
}

/* A connection with one MSG_ZEROCOPY send that completed as copied. */
static struct sock_state zerocopy(uint64_t pinned, uint64_t deferred)
{
	struct sock_state s = connection(100, 0);

	s.family = 2;
	s.local[0] = 10;
	s.remote[0] = 10;
	s.remote[3] = 1;
	s.zc_ids = s.completed = s.copied = 1;
	s.calls[NIO_CALL_PLAIN] = (struct nio_amount){0};
	s.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){100, 1};
	s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){100 - pinned, 1};
	s.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){pinned, pinned != 0};
	s.stages[NIO_STAGE_DEFERRED_COPY] = (struct nio_amount){deferred, deferred != 0};
	return s;
}

TEST(copied_bytes_have_the_cause_that_was_seen)
{
	struct sock_state all[] = {zerocopy(100, 90), zerocopy(100, 80), zerocopy(0, 0),
				   connection(100, 0)};
	struct aggregates a;
	const uint64_t *copied;
	size_t place;

	aggregates__init(&a, 4);
	place = aggregates__place(&a, "x");
	copied = a.list[place].out.copied_bytes;
	memcpy(all[1].remote, all[1].local, sizeof(all[1].remote));
	refresh(&a, place, all, 4);
	assert_int_equal(copied[COPY_CAUSE_UNKNOWN], 90);
	assert_int_equal(copied[COPY_CAUSE_LOCAL], 80);
	assert_int_equal(copied[COPY_CAUSE_NO_SG], 100);
	for (size_t i = 0; i < 4; i++)
		aggregates__close(&a, place, &all[i]);
	refresh(&a, place, NULL, 0);
	assert_int_equal(copied[COPY_CAUSE_UNKNOWN], 90);
	assert_int_equal(copied[COPY_CAUSE_LOCAL], 80);
	assert_int_equal(copied[COPY_CAUSE_NO_SG], 100);
	aggregates__clear(&a);
}

TEST(bytes_of_closed_connections_stay)
{
	struct sock_state s = connection(100, 40), other = connection(7, 0);
	struct aggregates a;
	size_t place;

	aggregates__init(&a, 4);
	place = aggregates__place(&a, "nginx.service");
	refresh(&a, place, &s, 1);
	assert_int_equal(a.list[place].out.sent, 100);
	assert_int_equal(a.list[place].out.connections, 1);
	s.closed_ns = 9;
	aggregates__close(&a, place, &s);
	refresh(&a, place, &other, 1);
	assert_int_equal(a.list[place].out.sent, 107);
	assert_int_equal(a.list[place].out.received, 40);
	assert_int_equal(a.list[place].out.opened, 2);
	assert_int_equal(a.list[place].out.connections, 1);
	assert_adds_up(&a.list[place].out);
	aggregates__clear(&a);
}

/* The iteration itself reports the end, after the sums of closed connections were taken. */
TEST(connection_that_ends_during_a_refresh_is_counted_once)
{
	struct sock_state s = connection(100, 0);
	struct aggregates a;

	aggregates__init(&a, 4);
	refresh(&a, aggregates__place(&a, "x"), &s, 1);
	aggregates__begin(&a);
	s.closed_ns = 9;
	aggregates__close(&a, 1, &s);
	aggregates__end(&a);
	assert_int_equal(a.list[1].out.sent, 100);
	refresh(&a, 1, NULL, 0);
	assert_int_equal(a.list[1].out.sent, 100);
	assert_int_equal(a.list[1].out.opened, 1);
	assert_int_equal(a.list[1].out.connections, 0);
	aggregates__clear(&a);
}

TEST(idle_connections_are_opened_once_and_a_socket_without_connection_never)
{
	struct sock_state list[] = {{.key = 1, .first_ns = 1, .begun = 2},
				    {.key = 2, .first_ns = 1, .begun = 1},
				    {.key = 3, .first_ns = 1, .begun = 0}};
	struct aggregates a;

	aggregates__init(&a, 4);
	refresh(&a, aggregates__place(&a, "x"), list, 3);
	assert_int_equal(a.list[1].out.opened, 1);
	assert_int_equal(a.list[1].out.connections, 2);
	for (size_t i = 0; i < 3; i++)
		aggregates__close(&a, 1, &list[i]);
	refresh(&a, 1, NULL, 0);
	assert_int_equal(a.list[1].out.opened, 1);
	assert_int_equal(a.list[1].out.connections, 0);
	aggregates__clear(&a);
}

TEST(connections_older_than_the_exporter_are_not_opened)
{
	struct sock_state s = connection(100, 0);
	struct aggregates a;

	s.base.sent = 60;
	s.begun = 1;
	aggregates__init(&a, 4);
	refresh(&a, aggregates__place(&a, "x"), &s, 1);
	assert_int_equal(a.list[1].out.sent, 40);
	assert_int_equal(a.list[1].out.opened, 0);
	aggregates__clear(&a);
}

TEST(groups_beyond_the_limit_are_other_forever)
{
	struct sock_state s = connection(1, 0);
	struct aggregates a;
	char name[32];

	aggregates__init(&a, 64);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "group-%d", i);
			assert_int_equal(aggregates__place(&a, name),
					 i < 64 ? i + 1 : AGGREGATES_OTHER);
		}
	assert_int_equal(a.nr, 65);
	assert_int_equal(a.folded_groups, 1000 - 64);
	aggregates__close(&a, AGGREGATES_OTHER, &s);
	assert_int_equal(a.folded_sockets, 1);
	aggregates__clear(&a);
}

/* Estimates from samples shift bytes from one type to another. */
TEST(parts_only_grow_and_add_up_while_estimates_shift)
{
	uint64_t seed = 7;
	struct published before = {0};
	struct aggregates a;
	uint64_t sent = 0;

	aggregates__init(&a, 4);
	aggregates__place(&a, "x");
	for (int i = 0; i < 500; i++) {
		struct sock_state s;
		uint64_t copied, pinned;
		struct published *p = &a.list[1].out;

		sent += below(&seed, 100000);
		s = connection(sent, sent / 2);
		/* Event sampling: the seen part has any mixture of types. */
		s.born_window = 2;
		copied = below(&seed, 1000);
		pinned = below(&seed, 1000);
		s.stages[NIO_STAGE_TX_COPY].bytes = copied;
		s.stages[NIO_STAGE_TX_PIN].bytes = pinned;
		s.stages[NIO_STAGE_RX_COPY].bytes = copied;
		s.zc_ids = 1;
		refresh(&a, 1, &s, 1);
		assert_adds_up(p);
		for (int part = 0; part < PART_NR; part++)
			for (int q = 0; q < 2; q++)
				assert_true(p->by_quality[q][part] >= before.by_quality[q][part]);
		assert_int_equal(p->sent, sent);
		before = *p;
	}
	aggregates__clear(&a);
}

/* With the first estimate in it, the whole sum is sampled: no part of it is called exact. */
TEST(a_sum_has_one_quality)
{
	struct sock_state s = connection(100, 40);
	struct aggregates a;
	const struct published *out;

	aggregates__init(&a, 4);
	out = &a.list[aggregates__place(&a, "x")].out;
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->by_quality[0][PART_TX_COPY], 100);
	assert_int_equal(out->by_quality[1][PART_TX_COPY], 0);
	s.window = 2;
	s.now.sent += 50;
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->by_quality[0][PART_TX_COPY], 0);
	assert_int_equal(out->by_quality[1][PART_TX_COPY], 150);
	aggregates__clear(&a);
}
