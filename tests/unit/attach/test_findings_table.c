// SPDX-License-Identifier: GPL-2.0-only
/* The final table of attach: it fits any width, and names the columns left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_result.h"
#include "base/printable.h"
#include "support/test.h"

#define HEADS 7

static const char *const heads[HEADS] = {"sent",     "copied",   "pinned",  "spliced",
					 "deferred", "received", "copies/B"};

static struct sock_state stream_of(uint64_t cookie, const char *comm)
{
	struct sock_state s = {
		.key = cookie,
		.born_window = 1,
		.window = 1,
		.now = {.sent = 1000000, .received = 3000, .read = 3000},
		.read_seen = 3000,
		.tgid = 4194304,
		.first_ns = 1,
		.last_ns = 2,
		.family = 2,
		.local = {198, 51, 100, 200},
		.remote = {203, 0, 113, 210},
		.local_port = 50443,
		.remote_port = 60211,
		.flags = SOCK_STATE_PLACED,
		.stages = {[NIO_STAGE_TX_COPY] = {1000000, 100}, [NIO_STAGE_RX_COPY] = {3000, 1}},
	};

	snprintf(s.comm, sizeof(s.comm), "%s", comm);
	return s;
}

/* Adds bytes of every other stage and call type. */
static void send_otherwise(struct sock_state *s)
{
	s->stages[NIO_STAGE_TX_PIN] = (struct nio_amount){2000000, 1};
	s->zc_ids = 1;
	s->stages[NIO_STAGE_TX_SPLICE] = (struct nio_amount){4000000, 1};
	s->stages[NIO_STAGE_DEFERRED_COPY] = (struct nio_amount){5000000, 1};
	s->now.sent += 6000000;
}

/* The table of nr sockets as text. The caller frees it. */
static char *table_of(const struct sock_state *list, size_t nr, enum by by, size_t top,
		      unsigned int width)
{
	struct attach_options o = {.by = by, .top = top};
	struct attach_result r = {.o = &o, .sees_kinds = true};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	table__begin(&r.table);
	for (size_t i = 0; i < nr; i++)
		table__add(&r.table, &list[i]);
	table__end(&r.table);
	table__sort(&r.table, SORT_BYTES, 0);
	attach_result__print_table(f, width, &r);
	fclose(f);
	table__clear(&r.table);
	return text;
}

/* wanted: with one blank for any number of blanks and line ends. */
static void assert_table(const struct sock_state *s, unsigned int width, const char *wanted)
{
	char *text = table_of(s, 1, BY_CONNECTION, 10, width), *to = text;

	for (const char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
		else if (to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	assert_string_equal(text, wanted);
	free(text);
}

static void assert_fits(char *text, unsigned int width)
{
	char *line, *rest;

	for (size_t i = 0; i < HEADS; i++)
		if (!strstr(text, heads[i]))
			fail_msg("of %u columns nothing says %s:\n%s", width, heads[i], text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strlen(line) > width)
			fail_msg("wider than %u: '%s'", width, line);
	free(text);
}

TEST(tables_fit_any_width_and_name_each_column_left_out)
{
	struct sock_state s = stream_of(1, "a-long-name-it-i"), full = s, six = s;

	send_otherwise(&full);
	six.family = 10;
	memset(six.local, 0xab, sizeof(six.local));
	memset(six.remote, 0xcd, sizeof(six.remote));
	for (unsigned int width = 60; width <= 200; width++) {
		for (enum by by = 0; by < BY_NR; by++) {
			assert_fits(table_of(&s, 1, by, 10, width), width);
			assert_fits(table_of(&full, 1, by, 10, width), width);
			assert_fits(table_of(&six, 1, by, 10, width), width);
		}
	}
}

/* Connections without a known process have a row of their own, which says what it is. */
TEST(a_row_without_a_process_is_explained)
{
	struct sock_state s[] = {stream_of(1, "nginx"), stream_of(2, "")};
	char *text = table_of(s, 2, BY_PROCESS, 10, 200);

	assert_null(strstr(text, "(unknown)"));
	free(text);
	s[1].tgid = 0;
	text = table_of(s, 2, BY_PROCESS, 10, 200);
	assert_non_null(strstr(text, "\n(unknown), 1 connection "));
	assert_non_null(strstr(text, "(unknown): connections that no process here has accepted"));
	free(text);
}

/* Zero columns are dropped first: this loses nothing. */
TEST(zero_columns_are_dropped_before_names_are_shortened)
{
	struct sock_state s = stream_of(1, "nginx");

	assert_table(&s, 120,
		     "connection sent copied pinned received rx copy copies/B "
		     "nginx 4194304 198.51.100.200:50443 > 203.0.113.210:60211 1 MB 1 MB - 3 kB "
		     "3 kB 1.00 total 1 MB 1 MB - 3 kB 3 kB 1.00 Zero in every row: spliced, "
		     "deferred. ");
	assert_table(
		&s, 80,
		"connection sent copied received rx copy copies/B "
		"nginx 4194304 :50443 >~0:60211 1 MB 1 MB 3 kB 3 kB 1.00 "
		"total 1 MB 1 MB 3 kB 3 kB 1.00 Zero in every row: pinned, spliced, deferred. ");
}

TEST(names_are_shortened_before_columns_with_bytes_are_dropped)
{
	struct sock_state s = stream_of(1, "nginx");

	send_otherwise(&s);
	assert_table(&s, 100,
		     "connection sent copied pinned spliced deferred received copies/B "
		     "nginx 4194304 :50443 >~0:60211 7 MB 1 MB 2 MB 4 MB 5 MB 3 kB 0.86 "
		     "total 7 MB 1 MB 2 MB 4 MB 5 MB 3 kB 0.86 "
		     "No room in the table for rx copy (3 kB in all). ");
	assert_table(
		&s, 80,
		"connection sent copied pinned received copies/B "
		"nginx 4194304 :50443 >~0:60211 7 MB 1 MB 2 MB 3 kB 0.86 "
		"total 7 MB 1 MB 2 MB 3 kB 0.86 "
		"No room in the table for spliced (4 MB in all), deferred (5 MB in all), rx copy "
		"(3 kB in all). ");
	s.stages[NIO_STAGE_TX_SPLICE] = (struct nio_amount){0};
	s.now.sent -= 4000000;
	assert_table(&s, 80,
		     "connection sent copied pinned received copies/B "
		     "nginx 4194304 :50443 >~0:60211 3 MB 1 MB 2 MB 3 kB 2.00 "
		     "total 3 MB 1 MB 2 MB 3 kB 2.00 "
		     "Zero in every row: spliced. No room in the table for deferred (5 MB in all), "
		     "rx copy "
		     "(3 kB in all). ");
}

/* Deferred copies may have been missed, so the figure is a lower bound. */
TEST(unseen_deferred_copies_are_marked_as_a_lower_bound)
{
	struct sock_state s = stream_of(1, "vpn");

	s.stages[NIO_STAGE_TX_PIN] = (struct nio_amount){2000000, 2};
	s.now.sent += 2000000;
	s.zc_ids = s.completed = s.copied = 2;
	assert_table(&s, 120,
		     "connection sent copied pinned deferred received rx copy copies/B "
		     "vpn 4194304 :50443 > 203.0.113.210:60211 3 MB 1 MB 2 MB unknown 3 kB 3 kB "
		     ">=0.33 total 3 MB 1 MB 2 MB unknown 3 kB 3 kB >=0.33 "
		     "Zero in every row: spliced. ");
}

/* No call was seen: the bytes are sent, and how is unknown. A dash would be a measured zero. */
TEST(bytes_without_a_seen_call_make_each_way_of_sending_unknown)
{
	struct sock_state s = stream_of(1, "nginx");

	s.window = 2;
	memset(s.stages, 0, sizeof(s.stages));
	assert_table(
		&s, 120,
		"connection sent copied spliced received rx copy copies/B "
		"nginx 4194304 198.51.100.200:50443 > 203.0.113.210:60211 1 MB unknown unknown "
		"3 kB unknown n/a total 1 MB unknown unknown 3 kB unknown n/a "
		"Zero in every row: pinned, deferred. ");
	/* A column without any figure gives way before one with figures. */
	assert_table(&s, 64,
		     "connection sent copied received "
		     "nginx 4194304 :50443 >~3.210:60211 1 MB unknown 3 kB "
		     "total 1 MB unknown 3 kB "
		     "Zero in every row: pinned, deferred. Unknown in every row: spliced, rx "
		     "copy. No room in the table for copies/B (n/a in all). ");
}

static const struct attach_result whole = {.sees_kinds = true};

static char *text_of(char buf[UNITS_BUF], const struct socket_ledger *b)
{
	struct amount a = row_value__amount(VALUE_COPIED, &whole, b);

	return amount__bytes(buf, &a);
}

/* 469 B of 2 GB without a seen call change no digit: the figures are shown, a zero not as a dash.
 */
TEST(unknown_bytes_below_a_thousandth_have_no_mark)
{
	struct socket_ledger b = {.socket_tx = 2000000469};
	char text[UNITS_BUF];

	b.stages[NIO_STAGE_TX_COPY].bytes = 2000000000;
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 469;
	assert_string_equal(text_of(text, &b), "2 GB");
	assert_string_equal(copies_per_byte__text(text, &whole, &b), "1.00");
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 4000000;
	assert_string_equal(text_of(text, &b), ">=2 GB");
}

/* All bytes of the calls that were seen were copied: so, by them, is each byte. */
TEST(copies_a_byte_of_estimated_kinds_are_an_estimate)
{
	struct socket_ledger b = {.socket_tx = 2000000000};
	char text[UNITS_BUF];

	b.stages[NIO_STAGE_TX_COPY].bytes = 2000000000;
	assert_string_equal(copies_per_byte__text(text, &whole, &b), "1.00");
	b.divided[NIO_SIDE_SENDER] = 700000000;
	assert_string_equal(text_of(text, &b), "~2 GB");
	assert_string_equal(copies_per_byte__text(text, &whole, &b), "~1.00");
}

/* Calls of 100 bytes were seen, 70 of them copied; a device may have copied 300 bytes more. */
TEST(a_minimum_of_an_estimate_is_its_lower_end)
{
	struct attach_result r = {.sees_kinds = true};
	struct socket_ledger b = {.socket_tx = 1000};
	char text[UNITS_BUF];
	struct amount a;

	b.divided[NIO_SIDE_SENDER] = 1000;
	b.stages[NIO_STAGE_TX_COPY].bytes = 700;
	b.stages[NIO_STAGE_TX_SPLICE].bytes = 300;
	b.stage_margin[NIO_STAGE_TX_COPY] = (struct byte_margin){630, 270};
	assert_string_equal(copies_per_byte__text(text, &r, &b), ">=0.07");
	b.may_copy[UNSEEN_GATHER] = 300;
	assert_string_equal(copies_per_byte__text(text, &r, &b), ">=0.07");
	b.stages[NIO_STAGE_TX_SPLICE].bytes = 200;
	b.uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = 100;
	a = row_value__amount(VALUE_COPIED, &r, &b);
	assert_string_equal(amount__bytes(text, &a), ">=70 B");
}

/* An unknown call took 500 of 1000 bytes that were received; nothing is an estimate. */
TEST(bytes_taken_by_an_unknown_call_make_receive_copies_a_minimum)
{
	const struct plan_row row = {.probe = "rx_copy", .quality = QUALITY_EXACT};
	struct attach_result r = {.sees_kinds = true, .plan = &row, .plan_nr = 1};
	struct socket_ledger b = {.socket_rx = 1000};
	char text[UNITS_BUF];
	struct amount a;

	b.stages[NIO_STAGE_RX_COPY].bytes = 1000;
	assert_int_equal(attach_result__stage(&r, &b, NIO_STAGE_RX_COPY).quality, QUALITY_EXACT);
	b.stages[NIO_STAGE_RX_COPY].bytes = 500;
	b.uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = 500;
	a = attach_result__stage(&r, &b, NIO_STAGE_RX_COPY);
	assert_int_equal(a.quality, QUALITY_DERIVED);
	assert_non_null(a.reason);
	assert_int_equal(a.most, 1000);
	assert_string_equal(copies_per_byte__text(text, &r, &b), ">=0.50");
	a = row_value__amount(VALUE_RX_COPIED, &r, &b);
	assert_string_equal(amount__bytes(text, &a), ">=500 B");
	b.stages[NIO_STAGE_RX_COPY].bytes = 0;
	assert_false(amount__is_known(
		&(struct amount){.doubt = attach_result__stage(&r, &b, NIO_STAGE_RX_COPY).doubt}));
}

TEST(books_are_unbalanced_when_a_known_number_of_bytes_is_unaccounted)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct attach_result r = {0};
		struct socket_ledger *b = &r.table.total;

		*(side == NIO_SIDE_SENDER ? &b->socket_tx : &b->socket_rx) = 100;
		b->stages[side == NIO_SIDE_SENDER ? NIO_STAGE_TX_COPY : NIO_STAGE_RX_COPY].bytes =
			100;
		assert_false(attach_result__unbalanced(&r));
		b->uncovered[side][NIO_UNCOVERED_MISSED] = 1;
		assert_true(attach_result__unbalanced(&r));
		b->left_out = 1;
		assert_false(attach_result__unbalanced(&r));
	}
}

TEST(rows_beyond_top_are_counted_in_the_note)
{
	struct sock_state list[] = {stream_of(1, "a"), stream_of(2, "b"), stream_of(3, "c")};
	char *text;

	list[1].tgid = 2;
	list[2].tgid = 3;
	for (enum by by = BY_PROCESS; by <= BY_CONNECTION; by++) {
		text = table_of(list, 3, by, 1, 120);
		assert_non_null(strstr(text, "\ntotal "));
		assert_non_null(strstr(text, "2 more in the total only (--top 3)."));
		free(text);
	}
}

TEST(long_names_are_cut_between_characters)
{
	struct sock_state s =
		stream_of(1, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4");
	char *text;

	send_otherwise(&s);
	for (unsigned int width = 60; width < 120; width++) {
		text = table_of(&s, 1, BY_CONNECTION, 10, width);
		for (char *c = text; *c; c++)
			*c = *c == '\n' ? ' ' : *c;
		/* A part of a character would print as '?'. */
		assert_null(strchr(printable__in_place(text), '?'));
		free(text);
	}
}

/* 30 bytes were seen of 1000: the rest may be anything, so the estimate is no figure. */
TEST(an_estimate_with_a_wide_interval_is_shown_by_its_lower_end)
{
	struct attach_result r = {.events.sampled = true, .sees_kinds = true};
	struct socket_ledger *b = &r.table.total;
	double moved[SAMPLED_PARTS] = {[NIO_MOVED_COPIED] = 10};
	char text[UNITS_BUF];
	struct amount a;

	for (int i = 0; i < 3; i++)
		sampled_sums__add(&r.events.seen.ways, moved, (1U << NIO_MOVED_READ) - 1, false,
				  10);
	b->socket_tx = b->divided[NIO_SIDE_SENDER] = b->stages[NIO_STAGE_TX_COPY].bytes = 1000;
	b->seen = &r.events.seen;
	b->stage_margin[NIO_STAGE_TX_COPY].below = 970;
	b->stage_margin[NIO_STAGE_TX_SPLICE].above = 970;
	a = row_value__amount(VALUE_COPIED, &r, b);
	assert_string_equal(amount__bytes(text, &a), ">=110 B");
	assert_string_equal(copies_per_byte__text(text, &r, b), ">=0.11");
	assert_true(a.doubt & DOUBT_WIDE);
	a = row_value__amount(VALUE_SPLICED, &r, b);
	assert_string_equal(amount__bytes(text, &a), "unknown");
}

/*
 * Port 28080 is one of two, and three tenths of its bytes were seen: the answer says of it the same
 * as its figures.
 */
TEST(a_row_with_a_wide_interval_has_no_estimate_as_a_figure)
{
	struct attach_result r = {.events.sampled = true, .sees_kinds = true};
	struct socket_ledger b = {.socket_tx = 1000};
	char text[UNITS_BUF];
	struct amount a;

	r.table.total.socket_tx = 2000;
	b.divided[NIO_SIDE_SENDER] = 700;
	b.stages[NIO_STAGE_TX_COPY].bytes = 3;
	b.stages[NIO_STAGE_TX_SPLICE].bytes = 997;
	b.stage_margin[NIO_STAGE_TX_COPY] = (struct byte_margin){3, 697};
	b.stage_margin[NIO_STAGE_TX_SPLICE] = (struct byte_margin){697, 3};
	a = row_value__amount(VALUE_COPIED, &r, &b);
	assert_string_equal(amount__bytes(text, &a), "unknown");
	a = row_value__amount(VALUE_SPLICED, &r, &b);
	assert_string_equal(amount__bytes(text, &a), ">=300 B");
	assert_string_equal(copies_per_byte__text(text, &r, &b), "<0.71");
	b.stage_margin[NIO_STAGE_TX_COPY].above = b.stage_margin[NIO_STAGE_TX_SPLICE].below = 300;
	a = row_value__amount(VALUE_SPLICED, &r, &b);
	assert_string_equal(amount__bytes(text, &a), "~997 B");
}
