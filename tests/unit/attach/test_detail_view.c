// SPDX-License-Identifier: GPL-2.0-only
/* One row of the live table by itself: it fits the screen, whatever its size, and has its numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "attach/detail_view.h"
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
	.stages = {[NIO_STAGE_TX_COPY] = {3000000, 100}, [NIO_STAGE_RX_COPY] = {50, 2}},
	.calls = {[NIO_CALL_PLAIN] = {3000000, 100}},
	.tx_sizes = {[4] = 1, [15] = 100},
	.rx_sizes = {[5] = 2},
};

/* The page as text, freed by the caller. */
static char *page(const struct view_item *item, unsigned int rows, unsigned int columns)
{
	static const struct attach_options o = {.top = 10};
	struct findings r = {.o = &o, .told = true, .cpu = {.reason = "not sampled"}};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	detail_view__draw(f, &r, item, rows, columns);
	fclose(f);
	return text;
}

static struct view_item item_of(const struct sock_state *s)
{
	struct view_item item = {.id = 1, .name = "nginx 42", .stream = s};

	books__add_socket(&item.books, s);
	return item;
}

TEST(has_its_numbers)
{
	static const char *const lines[] = {
		"\033[Knginx 42\n\033[K10.0.0.1:80 > 10.0.0.2:4711   open   cgroup (unknown)\n",
		"sent 3 MB = 3 MB copied + 0 B pinned + 0 B spliced   deferred copies 0 B",
		"received 50 B   1.00 copies a byte",
		"send calls: 100 plain (3 MB)",
		"    32 KiB  ##############################       100",
		"      16 B  #                                      1",
	};
	struct view_item item = item_of(&stream);
	char *text = page(&item, 40, 120);

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(text, lines[i]))
			fail_msg("'%s' is not in:\n%s", lines[i], text);
	free(text);
}

TEST(fits_the_screen)
{
	struct view_item item = item_of(&stream);

	for (unsigned int rows = 4; rows < 60; rows += 5) {
		for (unsigned int columns = 20; columns < 200; columns += 15) {
			char *text = page(&item, rows, columns);
			unsigned int lines = 0;

			for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
				assert_memory_equal(p, "\033[K", 3);
				assert_true(end - p - 3 <= columns);
				lines++;
			}
			assert_true(lines < rows); /* the keys are below */
			free(text);
		}
	}
}

/* Of 12 sizes: none is left out that there is room for, and none in silence. */
TEST(small_sizes_share_a_row_where_there_is_no_room)
{
	struct view_item item = item_of(&stream);
	char *text = page(&item, 24, 80);

	assert_non_null(strstr(text, "      16 B  #                            1  "));
	free(text);
	text = page(&item, 18, 80);
	assert_null(strstr(text, "      16 B"));
	assert_non_null(strstr(text, "      less  #                            1  "
				     "####################         2"));
	assert_non_null(strstr(text, "    32 KiB  ####################       100"));
	free(text);
}

TEST(draws_one_that_did_nothing)
{
	struct view_item item = {.id = 7, .name = "idle 7"};
	char *text = page(&item, 24, 80);

	assert_non_null(strstr(text, "send calls: none"));
	assert_non_null(strstr(text, "copies a byte: n/a (nothing was sent or received)"));
	free(text);
}
