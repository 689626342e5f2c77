/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict of attach, and what is kept of many connections. */
#include <string.h>

#include "attach/judge.h"
#include "attach/table.h"
#include "support/test.h"

static struct books zerocopy_books(uint64_t sends, uint64_t copied)
{
	struct books b = {.connections = 1, .zerocopy = 1, .ids = sends};

	b.calls[NIO_CALL_ZEROCOPY] = (struct nio_amount){sends * 65536, sends};
	b.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){sends * 65536, sends};
	b.completed = sends;
	b.copied = copied;
	b.tx_sizes[16] = sends;
	return b;
}

static void give(struct judgement *j, const struct books *b, bool told, bool notices)
{
	judge__give(j, &(struct grounds){.books = b, .told = told, .notices = notices});
}

TEST(says_nothing_without_zerocopy)
{
	struct books b = {.connections = 1};
	struct judgement j;

	give(&j, &b, true, true);
	assert_string_equal(j.text, "");
	assert_null(j.cause);
	assert_false(j.copied_fraction.known);
}

TEST(tells_copied_from_not)
{
	struct books b = zerocopy_books(100, 0);
	struct judgement j;

	give(&j, &b, true, true);
	assert_null(j.cause);
	assert_true(j.copied_fraction.known && j.copied_fraction.value == 0);
	assert_string_equal(j.text, "None of 100 zero-copy sends was copied.");
	assert_string_equal(j.advice, "");

	b = zerocopy_books(100, 100);
	b.zerocopy_local = 1;
	give(&j, &b, true, true);
	assert_string_equal(j.cause, "local");
	assert_non_null(strstr(j.advice, "every send is copied"));
}

/* With samples the advice says what zero-copy costs, by their share and its interval. */
TEST(says_what_zerocopy_costs)
{
	struct books b = zerocopy_books(100, 100);
	struct cpu_split cpu = {0};
	struct grounds e = {.books = &b, .told = true, .notices = true, .cpu = &cpu};
	struct judgement j;

	b.zerocopy_local = 1;
	judge__give(&j, &e);
	assert_non_null(strstr(j.advice, "what it costs is not known"));
	for (int i = 0; i < 82; i++)
		cpu_split__add(&cpu, CPU_CLASS_TCP_IP, false);
	for (int i = 0; i < 6; i++) {
		cpu_split__add(&cpu, CPU_CLASS_TX_PIN, false);
		cpu_split__add(&cpu, CPU_CLASS_DEFERRED_COPY, false);
		cpu_split__add(&cpu, CPU_CLASS_COMPLETION, false);
	}
	judge__give(&j, &e);
	/* 18 of 100 by E. B. Wilson's interval. */
	assert_non_null(strstr(j.advice, "every send is copied because the peer is local"));
	assert_non_null(strstr(j.advice, "it costs 18 % of the CPU time (12 to 27 %) in pinning"));
}

TEST(names_the_cause_by_what_was_seen)
{
	struct books b = zerocopy_books(10, 10);
	struct judgement j;

	give(&j, &b, true, true);
	assert_string_equal(j.cause, "unknown");
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 10 * 65536;
	give(&j, &b, true, true);
	assert_string_equal(j.cause, "delivered_here");
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 0;
	b.stages[NIO_STAGE_TX_PIN].bytes = 0;
	give(&j, &b, true, true);
	assert_string_equal(j.cause, "not_pinned");
	assert_non_null(strstr(j.text, "Nothing was pinned"));
}

/* Without completions the pages tell. */
TEST(rests_on_pages_without_completions)
{
	struct books b = zerocopy_books(10, 0);
	struct judgement j;

	b.completed = 0;
	b.stages[NIO_STAGE_DEFERRED_COPY].bytes = 10 * 65536;
	give(&j, &b, true, false);
	assert_false(j.copied_fraction.known);
	assert_string_equal(j.cause, "delivered_here");
	assert_non_null(strstr(j.text, "does not tell of completions"));
}

/* Zero-copy that was asked for and not had is named, with what to do. */
TEST(names_refused_zerocopy)
{
	struct books b = {.connections = 1, .zc_without_option = 3};
	struct judgement j;

	give(&j, &b, true, true);
	assert_non_null(strstr(j.text, "3 sends with MSG_ZEROCOPY on sockets without SO_ZEROCOPY"));
	b.zc_without_option = 0;
	b.refused[NIO_REFUSAL_ENOBUFS] = 450000;
	give(&j, &b, true, true);
	assert_non_null(strstr(j.text, "450 000 send calls failed with ENOBUFS"));
	assert_non_null(strstr(j.text, "net.core.optmem_max"));
	b.refused[NIO_REFUSAL_ENOBUFS] = 0;
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_FOREIGN] = 8000;
	give(&j, &b, true, true);
	assert_non_null(strstr(j.text, "io_uring's SEND_ZC"));
}

TEST(speaks_of_small_sends)
{
	struct books b = zerocopy_books(10, 0);
	struct judgement j;

	b.tx_sizes[5] = 1000; /* copied sends, however small, are no matter */
	give(&j, &b, true, true);
	assert_string_equal(j.advice, "");
	b.calls[NIO_CALL_ZEROCOPY].bytes = 10 * 512;
	give(&j, &b, true, true);
	assert_non_null(strstr(j.advice, "sends of 512 B on average (10)"));
}

static struct sock_state closed_stream(uint64_t cookie, uint64_t bytes)
{
	struct sock_state s = {
		.key = cookie,
		.tgid = 7,
		.last_ns = 1,
		.closed_ns = 2,
		.flags = SOCK_STATE_ENDED,
		.now = {.sent = bytes},
	};

	s.stages[NIO_STAGE_TX_COPY].bytes = bytes;
	return s;
}

/* However many connections come and go, so many are kept, the largest; the sums have all. */
TEST(keeps_the_largest)
{
	struct table t = {0};
	uint64_t sum = 0;

	table__begin(&t);
	for (uint64_t i = 1; i <= TABLE_CLOSED_MAX + 500; i++) {
		struct sock_state s = closed_stream(i, i);

		table__take(&t, &s);
		sum += i;
	}
	table__end(&t);
	table__sort(&t, SORT_BYTES, 0);
	assert_int_equal(t.closed_nr, TABLE_CLOSED_MAX);
	assert_int_equal(t.closed_left_out, 500);
	assert_int_equal(table__connection(&t, 0)->key, TABLE_CLOSED_MAX + 500);
	assert_int_equal(table__connection(&t, TABLE_CLOSED_MAX - 1)->key, 501);
	assert_null(table__connection(&t, TABLE_CLOSED_MAX));
	assert_int_equal(t.total.socket_tx, sum);
	assert_int_equal(t.processes_nr, 1);
	assert_int_equal(t.processes[0].books.socket_tx, sum);
	table__clear(&t);
}

TEST(replaces_open_ones)
{
	struct sock_state s = closed_stream(1, 100);
	struct table t = {0};

	s.closed_ns = 0;
	for (int i = 0; i < 3; i++) {
		table__begin(&t);
		table__take(&t, &s);
		table__end(&t);
	}
	assert_int_equal(t.open_nr, 1);
	assert_int_equal(t.total.socket_tx, 100);
	table__clear(&t);
}

/* However often it is looked at, a connection without room for its process is counted once. */
TEST(counts_what_is_left_out_once)
{
	struct sock_state s = closed_stream(1, 100);
	struct table t = {0};

	for (uint32_t i = 1; i <= TABLE_PROCESSES_MAX; i++)
		table__process(&t, i, 0);
	s.tgid = TABLE_PROCESSES_MAX + 1;
	for (int i = 0; i < 3; i++) {
		s.closed_ns = i == 2;
		table__begin(&t);
		table__take(&t, &s);
		table__end(&t);
		assert_int_equal(t.processes_left_out, 1);
		assert_int_equal(t.total.socket_tx, 100);
	}
	table__clear(&t);
}

/* Open ones come first, each kind in its order; what was closed before stays where it was put. */
TEST(sorts_open_before_closed)
{
	static const uint64_t bytes[] = {5, 900, 70};
	struct table t = {0};

	table__begin(&t);
	for (uint64_t i = 0; i < 6; i++) {
		struct sock_state s = closed_stream(i, bytes[i % 3]);

		s.closed_ns = i < 3;
		table__take(&t, &s);
	}
	table__end(&t);
	for (int again = 0; again < 2; again++) {
		static const uint64_t order[] = {4, 5, 3, 1, 2, 0};

		table__sort(&t, SORT_SENT, 0);
		for (size_t i = 0; i < 6; i++)
			assert_int_equal(table__connection(&t, i)->key, order[i]);
		assert_null(table__connection(&t, 6));
	}
	table__clear(&t);
}

/* Of thousands that are gone none stands above one that moves, whatever it moved before. */
TEST(sorts_what_moved_before_all)
{
	static const uint64_t bytes[] = {5, 900, 70, 30}, order[] = {2, 0, 1, 3};
	struct table t = {0};

	table__begin(&t);
	for (uint64_t i = 0; i < 4; i++) {
		struct sock_state s = closed_stream(i, bytes[i]);

		s.tgid = (uint32_t)i + 1;
		s.last_ns = i % 2 ? 99 : 100;
		table__take(&t, &s);
	}
	table__end(&t);
	table__sort(&t, SORT_SENT, 100);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(table__connection(&t, i)->key, order[i]);
		assert_int_equal(t.processes[i].tgid, order[i] + 1);
	}
	table__clear(&t);
}
