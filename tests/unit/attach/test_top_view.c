// SPDX-License-Identifier: GPL-2.0-only
/* The live table of attach: rates of what moved since the last refresh, and of nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach/top_view.h"
#include "support/test.h"

static struct sock_state stream_of(uint32_t tgid, uint64_t bytes)
{
	return (struct sock_state){
		.key = 1,
		.now = {.sent = bytes},
		.tgid = tgid,
		.first_ns = 1500000000,
		.last_ns = 1900000000,
		.family = 2,
		.local_port = 443,
		.flags = SOCK_STATE_PLACED,
		.stages = {[NIO_STAGE_TX_COPY] = {bytes, 1}},
	};
}

/* The screen at a time, of this stream; freed by the caller. */
static char *drawn_of(struct top_view *v, struct findings *r, uint64_t at_ns,
		      const struct sock_state *s)
{
	FILE *saved = stdout;
	char *text = NULL;
	size_t len;

	table__begin(&r->table);
	table__take(&r->table, s);
	table__end(&r->table);
	table__sort(&r->table, SORT_COPIED, 0);
	r->ended_ns = at_ns;
	stdout = open_memstream(&text, &len);
	assert_non_null(stdout);
	top_view__draw(v, r);
	fclose(stdout);
	stdout = saved;
	return text;
}

/* After so many bytes. */
static char *drawn(struct top_view *v, struct findings *r, uint64_t at_ns, uint64_t bytes)
{
	struct sock_state s = stream_of(7, bytes);

	return drawn_of(v, r, at_ns, &s);
}

static bool shows(char *screen, const char *what)
{
	bool found = strstr(screen, what) != NULL;

	free(screen);
	return found;
}

/* No rate at all: sent, by the two stages that a screen of 80 columns has room for, received. */
#define NOTHING "        -        -        -        -"

static void press(struct top_view *v, struct attach_options *o, const char *keys)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], keys, strlen(keys)), strlen(keys));
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_false(top_view__key(v, o));
	close(ends[0]);
	close(ends[1]);
}

TEST(turning_to_ports_shows_no_rate_of_the_past)
{
	struct attach_options o = {.by = BY_PROCESS};
	struct findings r = {.o = &o, .begun_ns = 1000000000};
	struct top_view v = {.shown = true};

	/* From the beginning: 1 MB in a second; then nothing moves. */
	assert_true(shows(drawn(&v, &r, 2000000000, 1000000), "     1 MB     1 MB        -"));
	assert_true(shows(drawn(&v, &r, 3000000000, 1000000), NOTHING));
	press(&v, &o, "bb");
	assert_int_equal(o.by, BY_PORT);
	assert_true(shows(drawn(&v, &r, 3000001000, 1000000), NOTHING));
	assert_true(shows(drawn(&v, &r, 4000001000, 3000000), "port 443 (1)"));
	assert_true(shows(drawn(&v, &r, 5000001000, 6000000), " 3 MB "));
	table__clear(&r.table);
}

/* A key between two refreshes draws the same again, and the next refresh is held against the last.
 */
TEST(a_key_leaves_the_rates)
{
	struct attach_options o = {.by = BY_PROCESS};
	struct findings r = {.o = &o, .begun_ns = 1000000000};
	struct top_view v = {.shown = true};

	assert_true(shows(drawn(&v, &r, 2000000000, 1000000), "     1 MB     1 MB        -"));
	assert_true(shows(drawn(&v, &r, 3000000000, 3000000), "     2 MB     2 MB        -"));
	press(&v, &o, "j");
	assert_true(shows(drawn(&v, &r, 3000000000, 3000000), "     2 MB     2 MB        -"));
	assert_true(shows(drawn(&v, &r, 4000000000, 6000000), "     3 MB     3 MB        -"));
	table__clear(&r.table);
}

/* Without a terminal: of 80 columns. */
TEST(lines_fit_the_screen)
{
	struct attach_options o = {.by = BY_PROCESS};
	struct findings r = {.o = &o, .begun_ns = 1000000000};
	struct top_view v = {.shown = true};
	char *screen, *line, *rest;
	size_t rows = 0;

	screen = drawn(&v, &r, 2000000000, 123456789);
	for (line = strtok_r(screen, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		size_t width = 0;

		for (const char *c = line; *c; c++) {
			if (*c != '\033') {
				width++;
				continue;
			}
			c += strcspn(c, "HKJhlm");
			if (!*c)
				break;
		}
		assert_in_range(width, 0, 80);
		rows += strstr(line, "123 MB") != NULL;
	}
	assert_int_equal(rows, 1);
	free(screen);
	table__clear(&r.table);
}

/* What tells it from others stands at its end. */
TEST(a_connection_keeps_its_remote_port)
{
	struct attach_options o = {.by = BY_CONNECTION};
	struct findings r = {.o = &o, .begun_ns = 1000000000};
	struct top_view v = {.shown = true};
	struct sock_state s = stream_of(4194304, 1);
	char *screen;

	memcpy(s.comm, "nginx", 6);
	memcpy(s.remote, (uint8_t[]){203, 0, 113, 210}, 4);
	s.remote_port = 60211;
	screen = drawn_of(&v, &r, 2000000000, &s);
	assert_non_null(strstr(screen, "nginx 4194304 ~.113.210:60211 "));
	free(screen);
	table__clear(&r.table);
}

/* Of a number that was cut only a part would be read; rates are right again when there is room. */
TEST(a_narrow_terminal_shows_no_part_of_a_number)
{
	struct attach_options o = {.by = BY_PROCESS};
	struct findings r = {.o = &o, .begun_ns = 1000000000};
	struct top_view v = {.shown = true};
	struct winsize narrow = {.ws_col = 62, .ws_row = 8}, flat = {.ws_col = 80, .ws_row = 4};
	struct winsize enough = {.ws_col = 63, .ws_row = 5};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDOUT_FILENO);

	assert_true(terminal >= 0 && saved >= 0);
	dup2(terminal, STDOUT_FILENO);
	ioctl(terminal, TIOCSWINSZ, &enough);
	assert_true(shows(drawn(&v, &r, 2000000000, 1000000), "     1 MB     1 MB        -"));
	ioctl(terminal, TIOCSWINSZ, &narrow);
	assert_true(shows(drawn(&v, &r, 3000000000, 3000000), "needs 63x5, is 62x8"));
	ioctl(terminal, TIOCSWINSZ, &flat);
	assert_true(shows(drawn(&v, &r, 4000000000, 3000000), "needs 63x5, is 80x4"));
	ioctl(terminal, TIOCSWINSZ, &enough);
	/* 6 MB since it was last shown, 3 s ago. */
	assert_true(shows(drawn(&v, &r, 5000000000, 7000000), "     2 MB     2 MB        -"));
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(terminal);
	table__clear(&r.table);
}
