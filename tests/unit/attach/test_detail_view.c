// SPDX-License-Identifier: GPL-2.0-only
/* The detail page of the live table: it fits any screen size and has the figures of its row. */
#include <stdlib.h>

#include "attach/top_view.h"
#include "support/attach_plan.h"
#include "support/grid_text.h"
#include "support/test.h"

static const struct sock_state stream = {
	.key = 1,
	.born_window = 1,
	.window = 1,
	.tgid = 42,
	.last_ns = 2,
	.family = 2,
	.local = {10, 0, 0, 1},
	.remote = {10, 0, 0, 2},
	.local_port = 80,
	.remote_port = 4711,
	.flags = SOCK_STATE_PLACED,
	.now = {.sent = 3000000, .read = 50},
	.read_seen = 50,
	.stages = {[NIO_STAGE_TX_COPY] = {3000000, 100}, [NIO_STAGE_RX_COPY] = {50, 2}},
	.calls = {[NIO_CALL_PLAIN] = {3000000, 100}},
	.tx_sizes = {[4] = 1, [15] = 100},
	.rx_sizes = {[5] = 2},
};

/* The page as text, freed by the caller. */
static char *page(const struct view_item *item, int rows, int columns)
{
	static const struct attach_options o = {.top = 10};
	struct attach_result r = {
		.o = &o, ATTACH_PLAN, .sees_kinds = true, .cpu = {.reason = "not sampled"}};
	struct grid *g = grid__new(rows, columns);
	char *text;

	detail_view__draw(g, &r, item, false);
	text = grid_text(g);
	grid__free(g);
	return text;
}

static struct view_item item_of(const struct sock_state *s)
{
	struct view_item item = {
		.row = {.by = BY_CONNECTION, .id = 1}, .name = "nginx 42", .socket = *s};

	item.row.ledger = socket_ledger__of(s);
	return item;
}

TEST(page_has_addresses_ledger_calls_and_sizes)
{
	static const char *const lines[] = {
		"nginx 42\n10.0.0.1:80 > 10.0.0.2:4711   open   cgroup (unknown)\n",
		"nginx 42 copies all it sends.\n",
		"sent 3 MB = 3 MB copied + 0 B pinned + 0 B spliced   deferred copies 0 B",
		"received 50 B   1.00 copies a byte",
		"send calls: 100 plain (3 MB)",
		"  32 KiB #####################################  99.0%      100\n",
		"    32 B                                                        "
		"#####################################   100%        2\n",
	};
	struct view_item item = item_of(&stream);
	char *text = page(&item, 40, 120);

	for_each_case(line, lines)
		if (!strstr(text, *line))
			fail_msg("'%s' is not in:\n%s", *line, text);
	free(text);
}

TEST(requests_without_a_report_are_not_called_zero_copy)
{
	struct sock_state s = stream;
	struct view_item item;
	char *text;

	s.requests[NIO_REQUEST_NOT_COPIED] = 1;
	s.calls[NIO_CALL_IO_URING] = (struct nio_amount){100000, 1};
	item = item_of(&s);
	text = page(&item, 40, 120);
	assert_non_null(strstr(text, "was zero-copy: none of 1"));
	free(text);
	s.calls[NIO_CALL_IO_URING].events = s.requests[NIO_REQUEST_UNREPORTED] = 7;
	item = item_of(&s);
	text = page(&item, 40, 120);
	assert_null(strstr(text, "was zero-copy:"));
	assert_non_null(strstr(text, "whether it was is not known"));
	free(text);
}

TEST(small_sizes_share_a_row_on_a_short_screen)
{
	struct view_item item = item_of(&stream);
	char *text = page(&item, 24, 80);

	assert_non_null(strstr(text, "    16 B "));
	free(text);
	text = page(&item, 18, 80);
	assert_null(strstr(text, "    16 B "));
	assert_non_null(strstr(text, "    less "));
	assert_non_null(strstr(text, "  32 KiB "));
	free(text);
}

/* A client that fetches 6 GB and sends 6 kB: what it receives counts. */
TEST(verdict_is_on_the_direction_that_has_the_bytes)
{
	struct view_item item = {.row.id = 7, .name = "wrk 7"};
	struct socket_ledger *b = &item.row.ledger;
	char *text;

	b->socket_tx = 6000;
	b->stages[NIO_STAGE_TX_COPY].bytes = 6000;
	b->socket_rx = 6000000000;
	b->stages[NIO_STAGE_RX_COPY].bytes = 6000000000;
	text = page(&item, 24, 80);
	assert_non_null(strstr(text, "wrk 7 copies all it receives."));
	free(text);
}

/* Half of the bytes had no seen call: the sentence has the interval that they leave. */
TEST(sentence_on_sampled_calls_has_their_interval)
{
	struct sock_state s = stream;
	struct view_item item;
	char *text;

	s.window = 2;
	s.now.sent = 6000000;
	item = item_of(&s);
	text = page(&item, 24, 80);
	assert_non_null(strstr(text, "nginx 42 copies 50 to 100 % of what it sends."));
	free(text);
}

TEST(row_without_bytes_says_that_it_moved_nothing)
{
	struct view_item item = {.row.id = 7, .name = "idle 7"};
	char *text = page(&item, 24, 80);

	assert_non_null(strstr(text, "idle 7 moved nothing yet."));
	assert_non_null(strstr(text, "send calls: none"));
	assert_non_null(strstr(text, "copies a byte: n/a (nothing was sent or received)"));
	free(text);
}
