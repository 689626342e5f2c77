// SPDX-License-Identifier: GPL-2.0-only
/* The live table of attach: rates since the last refresh, order, filter, pause, and one open row.
 */
#include <stdlib.h>

#include "attach/top_view.h"
#include "screen/curses_screen.h"
#include "support/attach_plan.h"
#include "support/grid_text.h"
#include "support/test.h"

#define SECOND 1000000000ULL

struct scene {
	struct attach_options o;
	struct attach_result r;
	struct top_view v;
	char *screen;
};

static void scene__begin(struct scene *s, enum by by)
{
	memset(s, 0, sizeof(*s));
	s->o.by = by;
	s->r = (struct attach_result){.o = &s->o,
				      ATTACH_PLAN,
				      .begun_ns = SECOND,
				      .sees_kinds = true,
				      .missed.known = true,
				      .cpu.reason = "not sampled"};
}

static void scene__end(struct scene *s)
{
	free(s->screen);
	top_view__clear(&s->v);
	table__clear(&s->r.table);
	profile__clear(&s->r.cpu.profile);
}

static struct sock_state stream_of(uint16_t port, uint64_t copied, uint64_t spliced)
{
	return (struct sock_state){
		.key = port,
		.now = {.sent = copied + spliced},
		.tgid = 7,
		.comm = "nginx",
		.born_window = 1,
		.window = 1,
		.first_ns = SECOND + SECOND / 2,
		.last_ns = SECOND + SECOND * 9 / 10,
		.family = 2,
		.local_port = port,
		.flags = SOCK_STATE_PLACED,
		.stages = {[NIO_STAGE_TX_COPY] = {copied, 1}, [NIO_STAGE_TX_SPLICE] = {spliced, 1}},
		.tx_sizes = {[14] = 3},
	};
}

static const char *draw(struct scene *s, int rows, int cols)
{
	struct grid *g = grid__new(rows, cols);

	top_view__draw(g, &s->v, &s->r, false);
	free(s->screen);
	s->screen = grid_text(g);
	grid__free(g);
	return s->screen;
}

/* Refreshes at `at` seconds, with these connections. */
static const char *refresh_with(struct scene *s, double at, const struct sock_state *list,
				size_t nr)
{
	table__begin(&s->r.table);
	for (size_t i = 0; i < nr; i++)
		table__add(&s->r.table, &list[i]);
	table__end(&s->r.table);
	table__sort(&s->r.table, s->o.sort, 0);
	s->r.ended_ns = (uint64_t)(at * 1e9);
	return draw(s, 24, 80);
}

/* Port 8080 sends by sendfile and port 8081 by copy. */
static const char *refresh(struct scene *s, double at, uint64_t spliced, uint64_t copied)
{
	struct sock_state list[] = {stream_of(8080, 0, spliced), stream_of(8081, copied, 0)};

	return refresh_with(s, at, list, ARRAY_LEN(list));
}

static void press(struct scene *s, const char *keys)
{
	for (; *keys; keys++)
		assert_false(top_view__key(&s->v, &s->o, (unsigned char)*keys));
}

/* The row that begins with this text; runs of blanks become one. */
static void assert_row(const char *screen, const char *name, const char *cells)
{
	const char *line = strstr(screen, name);
	char words[256] = "";
	size_t n = 0;

	if (!line)
		fail_msg("no row '%s' in\n%s", name, screen);
	for (; *line && *line != '\n' && n < sizeof(words) - 1; line++)
		if (*line != ' ' || (n && words[n - 1] != ' '))
			words[n++] = *line;
	words[n] = '\0';
	if (strcmp(words, cells))
		fail_msg("'%s' is not '%s' in\n%s", words, cells, screen);
}

TEST(ports_have_rows_totals_and_a_verdict_that_names_them)
{
	struct scene s;
	const char *text;

	scene__begin(&s, BY_PORT);
	text = refresh(&s, 2, 4000000, 1000000);
	/* Empty columns are dropped first: `deferred` is dropped, `pinned` still fits. */
	assert_non_null(strstr(text, "port                       sent  >copied   pinned  spliced"));
	assert_row(text, "port 8081 (1)", "port 8081 (1) 1 MB 1 MB - - - 1.00");
	assert_row(text, "port 8080 (1)", "port 8080 (1) 4 MB - - 4 MB - 0.00");
	assert_row(text, "total", "total 5 MB 1 MB - 4 MB - 0.20");
	assert_non_null(strstr(text, "port 8081 (1) copies all it sends. port 8080 (1) sends "
				     "without a copy"));
	assert_non_null(strstr(text, "2 open, 2 in all"));
	assert_non_null(strstr(
		text, "copies/B, zc cop., text since the start   unaccounted 0 B   0 missed"));
	scene__end(&s);
}

TEST(rates_are_per_interval_since_the_last_refresh)
{
	struct scene s;

	scene__begin(&s, BY_PORT);
	assert_row(refresh(&s, 2, 0, 1000000), "port 8081", "port 8081 (1) 1 MB 1 MB - - - 1.00");
	assert_row(refresh(&s, 3, 0, 1000000), "port 8081", "port 8081 (1) - - - - - 1.00");
	assert_row(refresh(&s, 4, 0, 3000000), "port 8081", "port 8081 (1) 2 MB 2 MB - - - 1.00");
	/* A key redraws the same rates; the next refresh is compared with the last one. */
	press(&s, "j");
	assert_row(draw(&s, 24, 80), "port 8081", "port 8081 (1) 2 MB 2 MB - - - 1.00");
	assert_row(refresh(&s, 5, 0, 6000000), "port 8081", "port 8081 (1) 3 MB 3 MB - - - 1.00");
	scene__end(&s);
}

/* The first refresh saw no call. The second one learns how the bytes of both intervals were sent.
 */
TEST(rates_of_a_way_of_sending_are_unknown_where_they_exceed_what_was_sent)
{
	struct sock_state s = stream_of(8081, 1000000, 0), unseen = s;
	struct scene scene;

	unseen.window = s.window = s.born_window + 1;
	memset(unseen.stages, 0, sizeof(unseen.stages));
	s.now.sent = 2000000;
	scene__begin(&scene, BY_PORT);
	refresh_with(&scene, 2, &unseen, 1);
	assert_row(refresh_with(&scene, 3, &s, 1), "port 8081",
		   "port 8081 (1) 1 MB n/a n/a n/a - >=0.50");
	scene__end(&scene);
}

/* A way that no window showed is unknown, and its column stays; what windows showed is marked. */
TEST(rates_of_sampled_calls_are_marked_and_never_a_measured_zero)
{
	struct sock_state s = stream_of(8081, 1000000, 0);
	struct scene scene;

	scene__begin(&scene, BY_PORT);
	refresh_with(&scene, 2, &s, 1);
	s.window = 2;
	s.now.sent = 1500000;
	assert_row(refresh_with(&scene, 3, &s, 1), "port 8081",
		   "port 8081 (1) 500 kB ~500 kB - n/a - ~1.00");
	scene__end(&scene);
}

TEST(change_of_row_type_gives_rates_after_the_next_refresh_only)
{
	struct scene s;

	scene__begin(&s, BY_PROCESS);
	refresh(&s, 2, 0, 1000000);
	refresh(&s, 3, 0, 2000000);
	press(&s, "bb");
	assert_int_equal(s.o.by, BY_PORT);
	assert_row(draw(&s, 24, 80), "port 8081", "port 8081 (1) n/a n/a n/a n/a n/a 1.00");
	assert_row(refresh(&s, 4, 0, 5000000), "port 8081", "port 8081 (1) 3 MB 3 MB - - - 1.00");
	scene__end(&s);
}

TEST(largest_rate_is_first_and_a_chosen_row_stays_selected)
{
	struct scene s;

	scene__begin(&s, BY_PORT);
	s.o.sort = SORT_SENT;
	refresh(&s, 2, 4000000, 1000000);
	assert_true(strstr(s.screen, "port 8080") < strstr(s.screen, "port 8081"));
	assert_int_equal(s.v.selected, 8080);
	refresh(&s, 3, 4000001, 9000000);
	assert_true(strstr(s.screen, "port 8081") < strstr(s.screen, "port 8080"));
	assert_int_equal(s.v.selected, 8081); /* no row was chosen yet */
	press(&s, "j");
	draw(&s, 24, 80);
	assert_int_equal(s.v.selected, 8080);
	refresh(&s, 4, 8000001, 9000000);
	assert_true(strstr(s.screen, "port 8080") < strstr(s.screen, "port 8081"));
	assert_int_equal(s.v.selected, 8080);
	scene__end(&s);
}

TEST(r_ends_this_start_and_q_ends_all)
{
	struct scene s;

	scene__begin(&s, BY_PORT);
	refresh(&s, 2, 0, 1000000);
	press(&s, "/r\n"); /* typed into the filter */
	assert_false(s.v.restarts);
	assert_true(top_view__key(&s.v, &s.o, 'r'));
	assert_true(s.v.restarts);
	s.v.restarts = false;
	assert_true(top_view__key(&s.v, &s.o, 'q'));
	assert_false(s.v.restarts);
	scene__end(&s);
}

TEST(filter_shows_names_that_contain_the_text)
{
	struct scene s;

	scene__begin(&s, BY_PORT);
	refresh(&s, 2, 4000000, 1000000);
	press(&s, "/PORT 8081");
	draw(&s, 24, 80);
	assert_non_null(strstr(s.screen, "filter: PORT 8081_"));
	assert_null(strstr(s.screen, "port 8080"));
	press(&s, "x\n");
	assert_non_null(strstr(draw(&s, 24, 80), "no row has this text"));
	top_view__key(&s.v, &s.o, SCREEN_KEY_ESCAPE);
	assert_non_null(strstr(draw(&s, 24, 80), "port 8080"));
	scene__end(&s);
}

TEST(pause_freezes_rows_and_the_next_rate_covers_the_pause)
{
	struct scene s;

	scene__begin(&s, BY_PORT);
	refresh(&s, 2, 0, 1000000);
	press(&s, " ");
	assert_non_null(strstr(refresh(&s, 3, 0, 3000000), "PAUSED"));
	assert_row(s.screen, "port 8081", "port 8081 (1) 1 MB 1 MB - - - 1.00");
	press(&s, "p");
	assert_row(refresh(&s, 4, 0, 5000000), "port 8081", "port 8081 (1) 2 MB 2 MB - - - 1.00");
	scene__end(&s);
}

TEST(enter_opens_a_row_with_sizes_and_the_hottest_stacks)
{
	char own[] = "nginx 7;do_syscall;copy_page", others[] = "nginx 77;do_syscall;other";
	struct scene s;

	scene__begin(&s, BY_PROCESS);
	profile__add(&s.r.cpu.profile, &(struct profile_stack){.frames = own, .count = 3});
	profile__add(&s.r.cpu.profile, &(struct profile_stack){.frames = others, .count = 3});
	refresh(&s, 2, 4000000, 1000000);
	press(&s, "\n");
	draw(&s, 24, 80);
	assert_non_null(strstr(s.screen, "sends 80.0% without a copy"));
	assert_non_null(strstr(s.screen, "16 KiB #"));
	assert_non_null(strstr(s.screen, "100.0 %  copy_page < do_syscall\n"));
	assert_null(strstr(s.screen, "other"));
	press(&s, "\n");
	assert_non_null(strstr(draw(&s, 24, 80), "by process"));
	scene__end(&s);
}

TEST(a_connection_keeps_its_remote_port_when_shortened)
{
	struct scene s;
	struct sock_state st = stream_of(443, 1, 0);

	scene__begin(&s, BY_CONNECTION);
	st.tgid = 4194304;
	memcpy(st.remote, (uint8_t[]){203, 0, 113, 210}, 4);
	st.remote_port = 60211;
	refresh_with(&s, 2, &st, 1);
	assert_non_null(strstr(s.screen, "nginx 41943"));
	assert_non_null(strstr(s.screen, "210:60211 "));
	scene__end(&s);
}

TEST(rows_beyond_the_table_are_counted_and_found_by_the_filter)
{
	static struct sock_state list[400];
	struct scene s;

	scene__begin(&s, BY_CONNECTION);
	for (uint16_t i = 0; i < ARRAY_LEN(list); i++)
		list[i] = stream_of(1000 + i, 400 - i, 0);
	refresh_with(&s, 2, list, ARRAY_LEN(list));
	assert_non_null(strstr(s.screen, "nginx 7 :1000"));
	assert_non_null(strstr(s.screen, "total  (384 more"));
	press(&s, "/:1399\n");
	draw(&s, 24, 80);
	assert_non_null(strstr(s.screen, "nginx 7 :1399"));
	assert_null(strstr(s.screen, "more"));
	scene__end(&s);
}

/* One row of a table leaves room: the advice is there as a whole, on a small terminal with a mark.
 */
TEST(verdict_uses_the_rows_that_the_table_leaves)
{
	char longest[] = "one two three four five six seven eight nine ten eleven "
			 "twelve thirteen fourteen fifteen sixteen seventeen eighteen "
			 "nineteen twenty twenty-one twenty-two twenty-three the end.";
	struct top_row row = {.item = {.row.id = 1, .name = "x"}};
	const struct table_frame f = {.title = "t",
				      .status = "s",
				      .by = "port",
				      .columns = attach_columns,
				      .verdict = longest};
	struct top_view v = {.now = {.list = &row, .nr = 1}};
	struct grid *g = grid__new(9, 60);
	char *text;

	table_view__draw(g, &v, &f, false);
	text = grid_text(g);
	assert_non_null(strstr(text, "twenty-three the end."));
	free(text);
	grid__free(g);
	g = grid__new(8, 60);
	table_view__draw(g, &v, &f, false);
	text = grid_text(g);
	assert_non_null(strstr(text, " ...\n"));
	free(text);
	grid__free(g);
}

TEST(help_explains_each_column_and_each_key)
{
	static const char *const keys[] = {" b  ", " s  ",        " up down  ", " Enter  ",
					   " /  ", " p, space  ", " r  ",       " q, Ctrl-C  "};
	char line[160];
	struct scene s;

	scene__begin(&s, BY_PORT);
	press(&s, "?");
	draw(&s, 40, 120);
	for_each_case(column, attach_columns) {
		snprintf(line, sizeof(line), "\n %-15s %s\n", column->head, column->help);
		assert_non_null(strstr(s.screen, line));
	}
	for_each_case(key, keys)
		assert_non_null(strstr(s.screen, *key));
	scene__end(&s);
}

TEST(every_size_is_drawn_within_its_grid)
{
	struct scene s;

	scene__begin(&s, BY_PORT);
	refresh(&s, 2, 4000000, 1000000);
	for (int rows = 1; rows < 70; rows += 4) {
		for (int cols = 20; cols < 220; cols += 13) {
			draw(&s, rows, cols);
			if (rows >= TABLE_MIN_ROWS && cols >= TABLE_MIN_COLS)
				assert_non_null(strstr(s.screen, "total"));
			press(&s, "\n");
			draw(&s, rows, cols);
			press(&s, "\n");
		}
	}
	assert_non_null(strstr(draw(&s, 7, 59), "too small: needs 60x8, is 59x7"));
	press(&s, "?");
	assert_non_null(strstr(draw(&s, 24, 80), "any key closes this"));
	press(&s, "q");
	assert_true(top_view__key(&s.v, &s.o, 'q'));
	scene__end(&s);
}
