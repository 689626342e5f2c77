/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters by group: bounded, monotonic, and the parts of each side add up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connections.h"

/* Sends and receives by kTLS: one record each way, which TLS 1.2 may decrypt directly. */
TEST(plaintext_of_kTLS_is_a_part_of_its_own)
{
	for (uint32_t direct = 0; direct <= 1; direct++) {
		struct sock_state s = connection(1000, 500);
		struct aggregates a;
		size_t slot;

		s.stages[NIO_STAGE_TX_COPY].bytes = s.stages[NIO_STAGE_RX_COPY].bytes = 0;
		s.uncovered = NIO_UNCOVERED_KTLS + 1;
		s.tls = (struct nio_tls){.direct = direct, .overhead = 22};
		s.tls.side[NIO_SIDE_SENDER] =
			(struct nio_tls_side){.next = 1, .at = 1000, .how = NIO_TLS_STARTED};
		s.tls.side[NIO_SIDE_RECEIVER] =
			(struct nio_tls_side){.next = 1, .at = 500, .how = NIO_TLS_STARTED};
		aggregates__init(&a, 4, 0);
		slot = aggregates__slot(&a, "a", NULL, true);
		refresh(&a, slot, &s, 1);
		assert_adds_up(&a.list[slot].out);
		assert_int_equal(a.list[slot].out.parts[PART_TX_TLS], 978);
		assert_int_equal(a.list[slot].out.decrypted, 478);
		assert_int_equal(a.list[slot].out.parts[PART_RX_COPY], direct ? 0 : 478);
		aggregates__clear(&a);
	}
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
				   connection(100, 0), connection(50, 0)};
	struct aggregates a;
	const uint64_t *copied;
	size_t slot;

	aggregates__init(&a, 4, 1000);
	slot = aggregates__slot(&a, "x", NULL, true);
	copied = a.list[slot].out.copied_bytes;
	memcpy(all[1].remote, all[1].local, sizeof(all[1].remote));
	/* io_uring's SEND_ZC without a report, which pinned nothing. */
	all[4].calls[NIO_CALL_IO_URING] = all[4].calls[NIO_CALL_PLAIN];
	all[4].calls[NIO_CALL_PLAIN] = (struct nio_amount){0};
	all[4].requests[NIO_REQUEST_UNREPORTED] = 1;
	refresh(&a, slot, all, 5);
	assert_false(a.list[slot].out.deferred_hidden);
	assert_int_equal(copied[COPY_CAUSE_UNKNOWN], 90);
	assert_int_equal(copied[COPY_CAUSE_LOCAL], 80);
	assert_int_equal(copied[COPY_CAUSE_NO_SG], 150);
	for (size_t i = 0; i < 5; i++)
		aggregates__close(&a, slot, &all[i]);
	refresh(&a, slot, NULL, 0);
	assert_int_equal(copied[COPY_CAUSE_UNKNOWN], 90);
	assert_int_equal(copied[COPY_CAUSE_LOCAL], 80);
	assert_int_equal(copied[COPY_CAUSE_NO_SG], 150);
	all[4].window = 2;
	refresh(&a, slot, &all[4], 1);
	assert_true(a.list[slot].out.deferred_hidden);
	aggregates__clear(&a);
}

/* The counter keeps an early value; a later completion makes it an upper bound. */
TEST(deferred_copies_that_are_in_doubt_later_are_not_published)
{
	struct sock_state s = zerocopy(100, 60);
	struct aggregates a;
	const struct published *p;
	size_t slot;

	aggregates__init(&a, 4, 1000);
	slot = aggregates__slot(&a, "x", NULL, true);
	p = &a.list[slot].out;
	s.path = NIO_PATH_ARRIVALS;
	refresh(&a, slot, &s, 1);
	assert_int_equal(p->deferred, 60);
	assert_false(p->deferred_fell);
	s.zc_ids = s.completed = 2;
	refresh(&a, slot, &s, 1);
	assert_true(p->deferred_fell);
	s.copied = 2;
	refresh(&a, slot, &s, 1);
	assert_false(p->deferred_fell);
	aggregates__clear(&a);
}

/* Stages of bytes received without a copy are parts of their own; the rest is unclassified. */
TEST(bytes_received_without_a_copy_are_published_by_call)
{
	struct sock_state s = connection(0, 1000);
	const struct published *p;
	struct aggregates a;
	size_t slot;

	aggregates__init(&a, 4, 1000);
	slot = aggregates__slot(&a, "x", NULL, true);
	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){400, 1};
	s.stages[NIO_STAGE_RX_MAP] = (struct nio_amount){300, 1};
	s.stages[NIO_STAGE_RX_DISCARD] = (struct nio_amount){200, 1};
	s.stages[NIO_STAGE_RX_SPLICE] = (struct nio_amount){90, 1};
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = 10;
	refresh(&a, slot, &s, 1);
	p = &a.list[slot].out;
	assert_adds_up(p);
	assert_int_equal(p->parts[PART_RX_COPY], 400);
	assert_int_equal(p->parts[PART_RX_MAP], 300);
	assert_int_equal(p->parts[PART_RX_DISCARD], 200);
	assert_int_equal(p->parts[PART_RX_SPLICE], 90);
	assert_int_equal(p->parts[PART_RX_UNCLASSIFIED], 10);
	aggregates__clear(&a);
}

TEST(bytes_of_closed_connections_stay)
{
	struct sock_state s = connection(100, 40), other = connection(7, 0);
	struct aggregates a;
	size_t slot;

	aggregates__init(&a, 4, 1000);
	slot = aggregates__slot(&a, "nginx.service", NULL, true);
	refresh(&a, slot, &s, 1);
	assert_int_equal(a.list[slot].out.sent, 100);
	assert_int_equal(a.list[slot].out.connections, 1);
	s.closed_ns = 9;
	aggregates__close(&a, slot, &s);
	refresh(&a, slot, &other, 1);
	assert_int_equal(a.list[slot].out.sent, 107);
	assert_int_equal(a.list[slot].out.received, 40);
	assert_int_equal(a.list[slot].out.opened, 2);
	assert_int_equal(a.list[slot].out.connections, 1);
	assert_adds_up(&a.list[slot].out);
	aggregates__clear(&a);
}

/* The iteration itself reports the end, after the sums of closed connections were taken. */
TEST(connection_that_ends_during_a_refresh_is_counted_once)
{
	struct sock_state s = connection(100, 0);
	struct aggregates a;

	aggregates__init(&a, 4, 1000);
	refresh(&a, aggregates__slot(&a, "x", NULL, true), &s, 1);
	aggregates__begin(&a, 0);
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

	aggregates__init(&a, 4, 1000);
	refresh(&a, aggregates__slot(&a, "x", NULL, true), list, 3);
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
	aggregates__init(&a, 4, 1000);
	refresh(&a, aggregates__slot(&a, "x", NULL, true), &s, 1);
	assert_int_equal(a.list[1].out.sent, 40);
	assert_int_equal(a.list[1].out.opened, 0);
	aggregates__clear(&a);
}

TEST(refused_calls_of_closed_connections_stay_by_error)
{
	struct sock_state s = connection(100, 0);
	const struct published *out;
	struct aggregates a;

	for (uint64_t i = 0; i < NIO_REFUSAL_NR; i++)
		s.refused[i] = i + 1;
	aggregates__init(&a, 4, 1000);
	out = &a.list[aggregates__slot(&a, "x", NULL, true)].out;
	refresh(&a, 1, &s, 1);
	s.closed_ns = 9;
	aggregates__close(&a, 1, &s);
	refresh(&a, 1, NULL, 0);
	for (uint64_t i = 0; i < NIO_REFUSAL_NR; i++)
		assert_int_equal(out->refused[i], i + 1);
	aggregates__clear(&a);
}

TEST(connection_without_an_owner_is_in_no_group_until_it_has_one_or_ends)
{
	struct sock_state s = connection(100, 40);
	struct aggregates a;
	size_t slot;

	aggregates__init(&a, 4, 1000);
	aggregates__begin(&a, 0);
	assert_true(aggregates__hold(&a, &s, s.owned));
	aggregates__end(&a);
	assert_int_equal(a.held, 1);
	aggregates__begin(&a, 0);
	s.owned = 1;
	assert_false(aggregates__hold(&a, &s, s.owned));
	slot = aggregates__slot(&a, "memcached", NULL, true);
	aggregates__add_open(&a, slot, &s);
	aggregates__end(&a);
	assert_int_equal(a.held, 0);
	assert_int_equal(a.list[slot].out.sent, 100);
	assert_int_equal(a.list[slot].out.opened, 1);
	s = (struct sock_state){.closed_ns = 1};
	assert_false(aggregates__hold(&a, &s, s.owned));
	aggregates__clear(&a);
}

TEST(groups_beyond_the_limit_are_other_while_the_rest_lives)
{
	struct sock_state s = connection(1, 0);
	struct aggregates a;
	char name[32];

	aggregates__init(&a, 64, 1000);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "group-%d", i);
			assert_int_equal(aggregates__slot(&a, name, NULL, true),
					 i < 64 ? i + 1 : AGGREGATES_OTHER);
		}
	assert_int_equal(a.nr, 65);
	assert_int_equal(a.refused.total, 1000 - 64);
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

	aggregates__init(&a, 4, 1000);
	aggregates__slot(&a, "x", NULL, true);
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

	aggregates__init(&a, 4, 1000);
	out = &a.list[aggregates__slot(&a, "x", NULL, true)].out;
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->by_quality[0][PART_TX_COPY], 100);
	assert_int_equal(out->by_quality[1][PART_TX_COPY], 0);
	s.window = 2;
	s.now.sent += 50;
	send_seen(&s, NIO_STAGE_TX_COPY, 10, 10);
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->by_quality[0][PART_TX_COPY], 0);
	assert_int_equal(out->by_quality[1][PART_TX_COPY], 150);
	aggregates__clear(&a);
}

/* A byte that was peeked at is copied twice: the stage has as many bytes as the sizes of copies. */
TEST(peeked_bytes_are_in_rx_copy_and_not_in_the_sum_of_bytes_read)
{
	struct sock_state s = connection(0, 1000);
	const struct published *out;
	struct aggregates a;

	s.stages[NIO_STAGE_RX_COPY] = (struct nio_amount){1600, 2};
	s.uncovered_bytes[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] = 600;
	aggregates__init(&a, 4, 1000);
	out = &a.list[aggregates__slot(&a, "x", NULL, true)].out;
	/* A copy in progress looks like a peek, in one refresh. */
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->by_quality[0][PART_RX_COPY], 1000);
	refresh(&a, 1, &s, 1);
	assert_adds_up(out);
	assert_int_equal(out->by_quality[0][PART_RX_COPY], 1600);
	assert_int_equal(out->rx_sizes_sum, 1600);
	assert_int_equal(out->parts[PART_RX_UNCLASSIFIED], 0);
	aggregates__clear(&a);
}

/* Programs on other CPUs count while both numbers are read. */
TEST(completions_read_while_they_grow_never_make_not_copied_fall)
{
	struct sock_state s = zerocopy(100, 0);
	const struct published *out;
	struct aggregates a;

	s.zc_ids = s.completed = 10;
	s.copied = 4;
	aggregates__init(&a, 4, 1000);
	out = &a.list[aggregates__slot(&a, "x", NULL, true)].out;
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->not_copied, 6);
	s.copied = 12;
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->not_copied, 6);
	s.completed = s.copied = 20;
	refresh(&a, 1, &s, 1);
	assert_int_equal(out->not_copied, 6);
	aggregates__clear(&a);
}

TEST(sizes_are_known_to_be_partial_for_good_after_an_unwatched_call)
{
	struct sock_state s = connection(100, 40);
	struct aggregates a;
	struct aggregate *g;

	aggregates__init(&a, 4, 1000);
	g = &a.list[aggregates__slot(&a, "x", NULL, true)];
	refresh(&a, 1, &s, 1);
	assert_int_equal(g->out.tx_sizes_sum, 100);
	assert_int_equal(g->out.rx_sizes_sum, 40);
	assert_false(g->unwatched);
	s.window = 2;
	refresh(&a, 1, &s, 1);
	assert_true(g->unwatched);
	refresh(&a, 1, NULL, 0);
	assert_true(g->unwatched);
	aggregates__clear(&a);
}

/*
 * A machine of groups that come and go. Of some connections the owner, which decides the group, is
 * known late or never: those that end without an owner are of group 0.
 */
#define NAMES_NR 40
#define CONNS_NR 60

struct machine {
	struct aggregates a;
	uint64_t seed, truth, held; /* bytes sent; of these, by connections without an owner */
	bool lives[NAMES_NR];
	struct conn {
		int group; /* -1: none */
		struct sock_state s;
	} conns[CONNS_NR];
};

static char *group_name(char buf[GROUP_NAME_MAX], int group)
{
	snprintf(buf, GROUP_NAME_MAX, "g%d.service", group);
	return buf;
}

static void find_gone(void *arg, struct aggregates *a)
{
	const struct machine *m = arg;
	int group;

	for (size_t i = 1; i < a->nr; i++) {
		assert_int_equal(sscanf(a->list[i].name, "g%d", &group), 1);
		a->list[i].gone = !m->lives[group];
	}
}

static size_t slot_of(struct machine *m, const struct conn *c, bool open)
{
	char name[GROUP_NAME_MAX];

	return aggregates__slot(&m->a, group_name(name, c->s.owned ? c->group : 0), NULL, open);
}

static void end_connection(struct machine *m, struct conn *c)
{
	aggregates__close(&m->a, slot_of(m, c, false), &c->s);
	c->group = -1;
}

/* A connection begins in any group, or moves bytes, or gets its owner, or ends. */
static void step(struct machine *m)
{
	struct conn *c = &m->conns[below(&m->seed, CONNS_NR)];
	uint64_t bytes = below(&m->seed, 1000);

	if (c->group < 0) {
		c->group = (int)below(&m->seed, NAMES_NR);
		c->s = connection(0, 0);
		m->lives[0] = m->lives[c->group] = true;
	}
	c->s.owned |= below(&m->seed, 2);
	/* Of some, not all calls are seen. */
	c->s.window += below(&m->seed, 50) == 0;
	m->truth += bytes;
	c->s.now.sent += bytes;
	if (c->s.window == 1) {
		c->s.calls[NIO_CALL_PLAIN].bytes += bytes;
		c->s.stages[NIO_STAGE_TX_COPY].bytes += bytes;
	}
	if (below(&m->seed, 3) == 0)
		end_connection(m, c);
}

/* A cgroup without processes is removed: mostly, it has no connections. */
static void remove_groups(struct machine *m)
{
	for (int i = 0; i < NAMES_NR; i++) {
		bool used = false;

		for (int k = 0; k < CONNS_NR; k++)
			used = used || m->conns[k].group == i;
		if (below(&m->seed, used ? 4 : 2) == 0)
			m->lives[i] = false;
	}
}

/* Between the connections of an iteration others end. */
static void refresh_machine(struct machine *m, double now)
{
	m->held = 0;
	aggregates__begin(&m->a, now);
	for (int k = 0; k < CONNS_NR; k++) {
		struct conn *c = &m->conns[k];

		if (c->group < 0)
			continue;
		if (below(&m->seed, 10) == 0)
			end_connection(m, c);
		else if (aggregates__hold(&m->a, &c->s, c->s.owned))
			m->held += c->s.now.sent;
		else
			aggregates__add_open(&m->a, slot_of(m, c, true), &c->s);
	}
	aggregates__end(&m->a);
}

struct scraped {
	char name[GROUP_NAME_MAX];
	double created;
	struct published out;
};

/* A sum that becomes sampled leaves the series of the exact ones, which is then absent. */
static bool is_absent(const struct published *p, const uint64_t *counter)
{
	return !*counter && counter >= p->by_quality[0] && counter < p->by_quality[1];
}

/* No counter of a series that stays is less than at the last scrape. */
static void assert_only_grown(const struct scraped *last, size_t nr, const struct aggregates *a)
{
	const size_t counters = offsetof(struct published, connections) / sizeof(uint64_t);

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < a->nr; k++) {
			const struct aggregate *g = &a->list[k];

			if (strcmp(g->name, last[i].name) != 0)
				continue;
			assert_true(g->created >= last[i].created);
			for (size_t n = 0; g->created == last[i].created && n < counters; n++) {
				const uint64_t *counter = (const uint64_t *)&g->out + n;

				assert_true(is_absent(&g->out, counter) ||
					    *counter >= ((const uint64_t *)&last[i].out)[n]);
			}
		}
}

static size_t scrape(struct scraped *last, const struct aggregates *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		strcpy(last[i].name, a->list[i].name);
		last[i].created = a->list[i].created;
		last[i].out = a->list[i].out;
	}
	return a->nr;
}

static uint64_t sent_of(const struct aggregates *a)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < a->nr; i++) {
		const struct published *out = &a->list[i].out;

		assert_adds_up(out);
		for (size_t k = 0; k < PART_NR; k++)
			assert_true(!out->by_quality[0][k] || !out->by_quality[1][k]);
		sum += out->sent;
	}
	return sum;
}

TEST(groups_give_up_their_places_without_a_byte_lost_or_counted_twice)
{
	struct machine m = {.seed = 11};
	struct scraped last[9] = {0};
	size_t nr = 0, reused = 0, held = 0;
	uint64_t page = 0; /* the sum over its groups */

	for (int k = 0; k < CONNS_NR; k++)
		m.conns[k].group = -1;
	aggregates__init(&m.a, 8, 1000);
	m.a.find_gone = find_gone;
	m.a.arg = &m;
	for (int round = 0; round < 3000; round++) {
		/* Busy and quiet times. */
		for (uint64_t i = below(&m.seed, round / 100 % 2 ? 3 : 60); i; i--)
			step(&m);
		for (int k = 0; round / 100 % 2 && k < CONNS_NR; k++)
			if (m.conns[k].group >= 0 && below(&m.seed, 4) == 0)
				end_connection(&m, &m.conns[k]);
		remove_groups(&m);
		/* A page between two refreshes has no less than the one before. */
		assert_only_grown(last, nr, &m.a);
		assert_int_equal(sent_of(&m.a), page);
		refresh_machine(&m, 1001 + round);
		page = sent_of(&m.a);
		assert_int_equal(page, m.truth - m.held);
		assert_only_grown(last, nr, &m.a);
		held += m.a.held;
		nr = scrape(last, &m.a);
		for (size_t i = 1; i < nr; i++)
			reused += last[i].created == 1000 + round;
	}
	assert_true(reused > 500);
	assert_true(held > 500);
	aggregates__clear(&m.a);
}

TEST(new_group_gets_the_place_of_one_that_is_gone_with_its_own_creation_time)
{
	struct sock_state s = connection(100, 40), empty = connection(0, 0);
	struct machine m = {.lives = {false, true}};
	struct aggregates *a = &m.a;
	size_t slot;

	aggregates__init(a, 1, 1000);
	a->find_gone = find_gone;
	a->arg = &m;
	refresh(a, 0, NULL, 0);
	aggregates__close(a, aggregates__slot(a, "g0.service", NULL, false), &empty);
	aggregates__begin(a, 1005);
	aggregates__add_open(a, aggregates__slot(a, "g0.service", NULL, true), &s);
	/* Its cgroup is gone, but a connection is open. */
	assert_int_equal(aggregates__slot(a, "g1.service", NULL, false), AGGREGATES_OTHER);
	aggregates__end(a);
	assert_int_equal(aggregates__slot(a, "g1.service", NULL, false), AGGREGATES_OTHER);
	aggregates__close(a, aggregates__slot(a, "g0.service", NULL, false), &s);
	aggregates__begin(a, 1010);
	aggregates__end(a);
	assert_int_equal(a->list[1].out.sent, 100);
	slot = aggregates__slot(a, "g1.service", NULL, true);
	assert_int_equal(slot, 1);
	assert_true(a->list[1].created == 1010);
	assert_int_equal(a->list[1].out.sent, 0);
	/* The page of this moment has them already. */
	assert_int_equal(a->list[AGGREGATES_OTHER].out.sent, 100);
	assert_int_equal(a->list[AGGREGATES_OTHER].out.received, 40);
	assert_int_equal(a->refused.total, 1);
	aggregates__clear(a);
}

/* A flag is no count: it is 1, also after two groups that had it gave up their places. */
TEST(flags_of_groups_that_gave_up_their_places_stay_flags)
{
	struct sock_state hidden = connection(50, 0);
	struct machine m = {.lives = {false}};
	unsigned char flag;

	hidden.calls[NIO_CALL_IO_URING] = hidden.calls[NIO_CALL_PLAIN];
	hidden.window = 2;
	aggregates__init(&m.a, 1, 1000);
	m.a.find_gone = find_gone;
	m.a.arg = &m;
	for (int i = 0; i < 3; i++) {
		char name[] = {'g', (char)('0' + i), '\0'};
		size_t slot = aggregates__slot(&m.a, name, NULL, false);

		assert_int_equal(slot, 1);
		aggregates__close(&m.a, slot, &hidden);
		refresh(&m.a, slot, NULL, 0);
		refresh(&m.a, slot, NULL, 0);
	}
	assert_int_equal(aggregates__slot(&m.a, "g3", NULL, false), 1);
	memcpy(&flag, &m.a.list[AGGREGATES_OTHER].out.deferred_hidden, sizeof(flag));
	assert_int_equal(flag, 1);
	assert_int_equal(m.a.list[AGGREGATES_OTHER].out.sent, 150);
	aggregates__clear(&m.a);
}

TEST(refused_group_gets_a_place_when_none_of_its_connections_in_other_is_open)
{
	struct sock_state s = connection(100, 0), first = connection(1, 0);
	struct machine m = {.lives = {true, true}};
	struct aggregates *a = &m.a;

	aggregates__init(a, 1, 1000);
	a->find_gone = find_gone;
	a->arg = &m;
	refresh(a, aggregates__slot(a, "g0.service", NULL, true), &first, 1);
	aggregates__close(a, 1, &first);
	aggregates__begin(a, 1005);
	aggregates__add_open(a, aggregates__slot(a, "g1.service", NULL, true), &s);
	aggregates__end(a);
	m.lives[0] = false;
	aggregates__begin(a, 1010);
	assert_int_equal(aggregates__slot(a, "g1.service", NULL, true), AGGREGATES_OTHER);
	aggregates__add_open(a, AGGREGATES_OTHER, &s);
	aggregates__end(a);
	assert_int_equal(aggregates__slot(a, "g1.service", NULL, false), AGGREGATES_OTHER);
	aggregates__close(a, AGGREGATES_OTHER, &s);
	aggregates__begin(a, 1015);
	aggregates__end(a);
	assert_int_equal(aggregates__slot(a, "g1.service", NULL, true), 1);
	assert_int_equal(a->list[AGGREGATES_OTHER].out.sent, 101);
	aggregates__clear(a);
}

/* A name that cannot be remembered may have open sockets in "other": nobody gets a place. */
TEST(with_too_many_refused_names_in_use_no_place_changes_hands)
{
	struct refused_names r = {0};
	char name[32];

	for (int i = 0; i <= REFUSED_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_false(refused_names__must_stay(&r, name));
		refused_names__note(&r, name, true);
	}
	assert_int_equal(r.total, REFUSED_NAMES_MAX);
	assert_true(refused_names__must_stay(&r, "new"));
	refused_names__end(&r);
	refused_names__begin(&r);
	assert_true(refused_names__must_stay(&r, "new"));
	refused_names__note(&r, "7", true);
	refused_names__end(&r);
	assert_false(refused_names__must_stay(&r, "new"));
	assert_true(refused_names__must_stay(&r, "7"));
	refused_names__forget(&r, "7");
	assert_false(refused_names__must_stay(&r, "7"));
	refused_names__note(&r, "new", false);
	assert_int_equal(r.nr, REFUSED_NAMES_MAX);
	refused_names__clear(&r);
}
