// SPDX-License-Identifier: GPL-2.0-only
/* Bytes seen in windows by group, and how they divide the bytes of connections without a seen call.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/socket_ledger.h"
#include "support/test.h"

#define NIO_MISSED_TX uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED]

static const struct nio_group web = {.started = 7, .cgroup = 3, .tgid = 42, .port = 80};
static const struct nio_group cache = {.started = 9, .cgroup = 3, .tgid = 43, .port = 6379};

/* Windows in which a group sends 9 kB by reference and 1 kB by plain calls, each for 10. */
static void add_windows(struct seen_groups *g, const struct nio_group *of, size_t n, double spliced)
{
	double sent[SAMPLED_PARTS] = {[NIO_CALL_PLAIN] = 1000, [NIO_CALL_SPLICE] = spliced};
	double moved[SAMPLED_PARTS] = {
		[NIO_MOVED_COPIED] = 1000, [NIO_MOVED_SPLICED] = spliced, [NIO_MOVED_READ] = 200};

	for (size_t i = 1; i <= n; i++) {
		/* From two CPUs. */
		seen_groups__add(g, of, sent, moved, i);
		seen_groups__add(g, of, sent, moved, i);
		seen_groups__end(g, false, 10, i);
	}
}

TEST(each_group_has_the_windows_of_its_own_sockets)
{
	struct seen_groups g = {0};
	const struct seen_bytes *port, *cgroup;

	add_windows(&g, &web, 40, 9000);
	add_windows(&g, &cache, 10, 0);
	port = seen_groups__find(&g, SEEN_PORT, 80, 0);
	assert_int_equal(port->calls.windows, 40);
	assert_true(port->ways.seen[NIO_MOVED_SPLICED] == 40 * 18000.);
	assert_true(port->reads.sum[NIO_MOVED_READ] == 40 * 4000.);
	assert_ptr_not_equal(seen_groups__find(&g, SEEN_PROCESS, 42, 7), NULL);
	assert_null(seen_groups__find(&g, SEEN_PROCESS, 42, 8));
	port = seen_groups__find(&g, SEEN_PROCESS_PORT, seen_groups__process_port(43, 6379), 9);
	assert_true(port->ways.seen[NIO_MOVED_COPIED] == 10 * 2000.);
	assert_null(
		seen_groups__find(&g, SEEN_PROCESS_PORT, seen_groups__process_port(42, 6379), 7));
	cgroup = seen_groups__find(&g, SEEN_CGROUP, 3, 0);
	assert_true(cgroup->calls.seen[NIO_CALL_PLAIN] == 50 * 2000.);
	free(g.list);
}

TEST(the_group_that_was_not_seen_for_longest_gives_up_its_place)
{
	double sent[SAMPLED_PARTS] = {1}, moved[SAMPLED_PARTS] = {1};
	struct seen_groups g = {0};

	for (uint32_t i = 1; i <= 2 * SEEN_GROUPS_MAX; i++) {
		struct nio_group of = {.tgid = i, .port = 1};

		seen_groups__add(&g, &of, sent, moved, i);
		seen_groups__end(&g, false, 10, i);
	}
	assert_int_equal(g.nr, SEEN_GROUPS_MAX);
	assert_int_equal(seen_groups__find(&g, SEEN_PORT, 1, 0)->calls.windows,
			 2 * SEEN_GROUPS_MAX);
	assert_null(seen_groups__find(&g, SEEN_PROCESS, 1, 0));
	assert_ptr_not_equal(seen_groups__find(&g, SEEN_PROCESS, 2 * SEEN_GROUPS_MAX, 0), NULL);
	free(g.list);
}

TEST(a_group_of_the_present_window_keeps_its_place)
{
	double sent[SAMPLED_PARTS] = {1}, moved[SAMPLED_PARTS] = {1};
	struct seen_groups g = {0};

	for (uint64_t now = 1; now <= 3; now++) {
		for (uint32_t i = 1; i <= 2 * SEEN_GROUPS_MAX; i++) {
			struct nio_group of = {.tgid = i, .port = 1};

			seen_groups__add(&g, &of, sent, moved, now);
		}
		seen_groups__end(&g, false, 10, now);
	}
	assert_int_equal(g.nr, SEEN_GROUPS_MAX);
	assert_int_equal(seen_groups__find(&g, SEEN_PORT, 1, 0)->calls.windows, 3);
	assert_int_equal(seen_groups__find(&g, SEEN_PROCESS, 1, 0)->calls.windows, 3);
	free(g.list);
}

static struct socket_ledger ledger_of(uint64_t seen_copied, uint64_t seen_spliced, uint64_t missed)
{
	struct socket_ledger b = {.socket_tx = seen_copied + seen_spliced + missed};

	b.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){seen_copied, seen_copied / 1000};
	b.stages[NIO_STAGE_TX_SPLICE] = (struct nio_amount){seen_spliced, seen_spliced / 9000};
	b.calls[NIO_CALL_PLAIN] = b.stages[NIO_STAGE_TX_COPY];
	b.calls[NIO_CALL_SPLICE] = b.stages[NIO_STAGE_TX_SPLICE];
	b.NIO_MISSED_TX = missed;
	return b;
}

/* 40 windows of 20 kB, each for ten: 8 MB, as the sockets counted. */
TEST(missed_bytes_are_divided_once_as_the_windows_of_the_group)
{
	struct socket_ledger b = ledger_of(80000, 720000, 7200000);
	const struct seen_bytes *port;
	struct seen_groups g = {0};

	add_windows(&g, &web, 40, 9000);
	port = seen_groups__find(&g, SEEN_PORT, 80, 0);
	socket_ledger__divide_missed(&b, port);
	assert_int_equal(b.NIO_MISSED_TX, 0);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 800000);
	assert_int_equal(b.stages[NIO_STAGE_TX_SPLICE].bytes, 7200000);
	assert_int_equal(b.calls[NIO_CALL_PLAIN].bytes, 800000);
	assert_int_equal(b.calls[NIO_CALL_PLAIN].events, 800);
	assert_int_equal(socket_ledger__booked(&b, NIO_SIDE_SENDER), b.socket_tx);
	/* Each may have had all of the missed bytes, or none. */
	assert_int_equal(b.stage_margin[NIO_STAGE_TX_COPY].below, 720000);
	assert_int_equal(b.stage_margin[NIO_STAGE_TX_COPY].above, 7200000 - 720000);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_SPLICE), 720000 + 7200000);
	assert_true(socket_ledger__is_estimate(&b, NIO_SIDE_SENDER));
	socket_ledger__divide_missed(&b, port);
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 800000);
	free(g.list);
}

/* The connections of the windows copied, most of the others sent by reference: 80 kB of the missed
 * bytes were copied, since of all 8 MB a tenth was. */
TEST(missed_bytes_bring_the_ways_to_their_shares_of_all_bytes)
{
	struct socket_ledger b = ledger_of(720000, 80000, 7200000);
	struct seen_groups g = {0};

	add_windows(&g, &web, 40, 9000);
	socket_ledger__divide_missed(&b, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 800000);
	assert_int_equal(b.stages[NIO_STAGE_TX_SPLICE].bytes, 7200000);
	assert_int_equal(b.calls[NIO_CALL_PLAIN].bytes, 800000);
	assert_int_equal(b.calls[NIO_CALL_SPLICE].bytes, 7200000);
	free(g.list);
}

/* Where other processes use io_uring, a request that no window met may have pinned missed bytes. */
TEST(missed_bytes_may_be_pinned_where_requests_pin)
{
	struct socket_ledger b = ledger_of(80000, 720000, 7200000), hidden = b;
	struct seen_groups g = {0};
	const struct seen_bytes *port;

	add_windows(&g, &web, 40, 9000);
	port = seen_groups__find(&g, SEEN_PORT, 80, 0);
	hidden.pins_hidden = 1;
	socket_ledger__divide_missed(&b, port);
	socket_ledger__divide_missed(&hidden, port);
	assert_int_equal(socket_ledger__at_most(&b, NIO_STAGE_TX_PIN), 0);
	assert_int_equal(socket_ledger__at_most(&hidden, NIO_STAGE_TX_PIN), 7200000);
	free(g.list);
}

/* The connections that were seen are the large ones. */
TEST(missed_bytes_make_up_for_the_connections_that_were_seen)
{
	struct socket_ledger b = ledger_of(0, 7200000, 800000);
	struct seen_groups g = {0};

	add_windows(&g, &web, 40, 9000);
	socket_ledger__divide_missed(&b, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(b.stages[NIO_STAGE_TX_COPY].bytes, 800000);
	assert_int_equal(b.stages[NIO_STAGE_TX_SPLICE].bytes, 7200000);
	free(g.list);
}

TEST(missed_bytes_stay_unclassified_where_windows_tell_too_little)
{
	struct socket_ledger few = ledger_of(80000, 720000, 7200000), burst = few;
	struct socket_ledger pinned = ledger_of(80000, 720000, 7200000);
	struct seen_groups g = {0};

	/* Three windows. */
	add_windows(&g, &web, 3, 9000);
	socket_ledger__divide_missed(&few, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(few.NIO_MISSED_TX, 7200000);
	/* The sockets counted ten times what the windows stand for. */
	add_windows(&g, &web, 37, 9000);
	burst.socket_tx *= 10;
	burst.NIO_MISSED_TX = burst.socket_tx - 800000;
	socket_ledger__divide_missed(&burst, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(burst.NIO_MISSED_TX, burst.socket_tx - 800000);
	/* Bytes that a zero-copy id may have pinned. */
	pinned.pinned_open = 200000;
	socket_ledger__divide_missed(&pinned, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(pinned.NIO_MISSED_TX, 200000);
	assert_int_equal(socket_ledger__booked(&pinned, NIO_SIDE_SENDER), pinned.socket_tx);
	/* Calls with MSG_ZEROCOPY that have no ids. */
	few = ledger_of(80000, 720000, 7200000);
	few.socket_tx = 8000000;
	few.zc_without_option = 1;
	socket_ledger__divide_missed(&few, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(few.NIO_MISSED_TX, 7200000);
	/* SEND_ZC may have pinned what no window showed. */
	few.zc_without_option = 0;
	few.pins_hidden = 1;
	socket_ledger__divide_missed(&few, seen_groups__find(&g, SEEN_PORT, 80, 0));
	assert_int_equal(few.NIO_MISSED_TX, 0);
	assert_int_equal(few.stage_margin[NIO_STAGE_TX_PIN].above, 7200000);
	/* A byte of a way that no stage has, in a window or in time watched in whole. */
	for (int whole = 0; whole < 2; whole++) {
		struct seen_bytes seen = *seen_groups__find(&g, SEEN_PORT, 80, 0);

		few = ledger_of(80000, 720000, 7200000);
		socket_ledger__divide_missed(&few, &seen);
		assert_int_equal(few.NIO_MISSED_TX, 0);
		(whole ? seen.ways.whole : seen.ways.seen)[NIO_MOVED_FOREIGN] = 1;
		few = ledger_of(80000, 720000, 7200000);
		socket_ledger__divide_missed(&few, &seen);
		assert_int_equal(few.NIO_MISSED_TX, 7200000);
	}
	/* No window saw the group. */
	few = ledger_of(1, 1, 100);
	socket_ledger__divide_missed(&few, NULL);
	assert_int_equal(few.NIO_MISSED_TX, 100);
	free(g.list);
}
