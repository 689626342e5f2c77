/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interactive view on a terminal: copies the grid of live_layout.c to curses, translates keys,
 * follows the terminal's size. Knows nothing of what the picture means. curses knows one terminal
 * of a process, hence the one view object of this file.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#include "base/hostile_env.h"
#include "base/log.h"
#include "live.h"
#include "live_layout.h"

#define ESC_DELAY_MS 25

struct live_view {
	SCREEN *screen; /* NULL: closed */
	bool utf8;
	bool colour;
	struct view_model model;
};

static void init_colours(struct live_view *view)
{
	const char *no_color = getenv("NO_COLOR");

	view->colour = has_colors() && !(no_color && *no_color) && start_color() == OK &&
		       COLOR_PAIRS > GRID_COLOURS;
	if (!view->colour)
		return;
	use_default_colors();
	for (int i = 0; i < GRID_COLOURS; i++) {
		const struct mode_info *mode = mode__info((enum mode)i);

		init_pair((short)(i + 1), COLORS >= 256 ? mode->colour_256 : mode->colour_8, -1);
	}
}

static attr_t curses_attr(const struct live_view *view, unsigned int attr)
{
	attr_t a = A_NORMAL;

	if (attr & GRID_BOLD)
		a |= A_BOLD;
	if (attr & GRID_DIM)
		a |= A_DIM;
	if (attr & GRID_REVERSE)
		a |= A_REVERSE;
	if (view->colour)
		a |= COLOR_PAIR(attr & GRID_COLOUR_MASK);
	return a;
}

/* Only what differs from the last picture reaches the terminal: werase() erases in memory. */
static void show(const struct live_view *view, const struct grid *g)
{
	const struct grid_cell *cell = g->cells;
	int row, col;

	werase(stdscr);
	for (row = 0; row < g->rows; row++) {
		wmove(stdscr, row, 0);
		for (col = 0; col < g->cols; col++, cell++) {
			wattrset(stdscr, (int)curses_attr(view, cell->attr));
			waddstr(stdscr, cell->text);
		}
	}
	wnoutrefresh(stdscr);
	doupdate();
}

/* Without memory for a grid the last picture stays. */
static void redraw(struct live_view *view)
{
	struct grid *g = grid__new(LINES, COLS);

	if (!g)
		return;
	view_layout__draw(g, &view->model, view->utf8);
	show(view, g);
	grid__free(g);
}

/* Signals are the run loop's; newterm() would take those that have no handler. */
static const int signals_kept[] = {SIGINT, SIGTERM, SIGWINCH, SIGTSTP};
#define SIGNALS_KEPT_NR (sizeof(signals_kept) / sizeof(signals_kept[0]))

static SCREEN *new_screen(void)
{
	struct sigaction saved[SIGNALS_KEPT_NR];
	struct hostile_env env;
	SCREEN *screen;
	size_t i;

	for (i = 0; i < SIGNALS_KEPT_NR; i++)
		sigaction(signals_kept[i], NULL, &saved[i]);
	hostile_env__hide(&env);
	screen = newterm(NULL, stdout, stdin);
	hostile_env__show(&env);
	for (i = 0; i < SIGNALS_KEPT_NR; i++)
		sigaction(signals_kept[i], &saved[i], NULL);
	return screen;
}

/* Can the terminal place a cursor? Asked before newterm(), which would already write to it. */
static int check_terminal(void)
{
	struct hostile_env env;
	TERMINAL *terminal;
	int answer, err = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	hostile_env__hide(&env);
	err = setupterm(NULL, STDOUT_FILENO, &answer) == OK ? 0 : -ENOTSUP;
	hostile_env__show(&env);
	if (err)
		return err;
	terminal = cur_term;
	if (!cursor_address || !clear_screen)
		err = -ENOTSUP;
	del_curterm(terminal);
	return err;
}

/* The console of Linux has a UTF-8 mode, but no glyphs for parts of a block. */
static bool terminal_has_blocks(void)
{
	const char *term = getenv("TERM");

	return !strcmp(nl_langinfo(CODESET), "UTF-8") && !(term && !strcmp(term, "linux"));
}

static void init_input(void)
{
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESC_DELAY_MS);
}

static int curses__open(struct live_view **out)
{
	static struct live_view the_view;
	struct live_view *view = &the_view;
	int err;

	if (view->screen)
		return -EBUSY;
	err = check_terminal();
	if (err)
		return err;
	setlocale(LC_CTYPE, "");
	memset(view, 0, sizeof(*view));
	view->utf8 = terminal_has_blocks();
	view->screen = new_screen();
	if (!view->screen)
		return -ENOTSUP;
	log_hold();
	init_input();
	init_colours(view);
	*out = view;
	redraw(view);
	return 0;
}

static void curses__draw(struct live_view *view, const struct live_frame *frame)
{
	view_model__frame(&view->model, frame);
	redraw(view);
}

static enum view_key translate(int c)
{
	switch (c) {
	case 'q':
	case 'Q':
		return VIEW_KEY_QUIT;
	case 'p':
	case 'P':
		return VIEW_KEY_PAUSE;
	case 'r':
	case 'R':
		return VIEW_KEY_RESET;
	case 't':
	case 'T':
		return VIEW_KEY_TIMES;
	case '?':
		return VIEW_KEY_HELP;
	case KEY_LEFT:
		return VIEW_KEY_LEFT;
	case KEY_RIGHT:
		return VIEW_KEY_RIGHT;
	default:
		return VIEW_KEY_OTHER;
	}
}

/* A terminal that is gone stays readable for ever: without this, poll loops would spin on it. */
static bool terminal_is_gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static enum live_action curses__input(struct live_view *view)
{
	enum live_action action = LIVE_NONE;
	int c;

	while (action == LIVE_NONE && (c = wgetch(stdscr)) != ERR)
		if (c != KEY_RESIZE)
			action = view_model__key(&view->model, translate(c));
	if (action == LIVE_NONE && terminal_is_gone())
		action = LIVE_QUIT;
	redraw(view);
	return action;
}

static void curses__resize(struct live_view *view)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	redraw(view);
}

static int curses__fd(const struct live_view *view)
{
	return view->screen ? STDIN_FILENO : -1;
}

/* What was said meanwhile is printed where it stays: endwin() has brought the old screen back. */
static void curses__leave(struct live_view *view)
{
	(void)view;
	endwin();
	log_release();
}

static void curses__enter(struct live_view *view)
{
	log_hold();
	reset_prog_mode();
	clearok(curscr, TRUE);
	curses__resize(view);
}

static void curses__close(struct live_view *view)
{
	if (!view || !view->screen)
		return;
	curses__leave(view);
	delscreen(view->screen);
	view->screen = NULL;
	view_model__clear(&view->model);
}

const struct live_view_ops live_view_curses = {
	.open = curses__open,
	.draw = curses__draw,
	.input = curses__input,
	.resize = curses__resize,
	.fd = curses__fd,
	.leave = curses__leave,
	.enter = curses__enter,
	.close = curses__close,
};
