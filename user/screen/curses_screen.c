/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal of curses_screen.h, independent of the picture's content. */
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

#include "base/terminal.h"
#include "base/log.h"
#include "curses_screen.h"

#define ESC_DELAY_MS 25

static struct {
	SCREEN *screen; /* NULL: closed */
	struct loop *loop;
	curses_screen_fn draw;
	void *arg;
	bool utf8;
	bool colour;
} the;

static void init_pairs(void)
{
	static const struct {
		unsigned int colour;
		short of_256, of_8;
	} tables[] = {
		{GRID_COPIED, 208, COLOR_YELLOW},
		{GRID_UNCOPIED, 36, COLOR_GREEN},
	};

	for (int i = 0; i < MODE_NR; i++) {
		const struct mode_info *mode = mode__info((enum mode)i);

		init_pair((short)(i + 1), COLORS >= 256 ? mode->colour_256 : mode->colour_8, -1);
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		init_pair((short)tables[i].colour,
			  COLORS >= 256 ? tables[i].of_256 : tables[i].of_8, -1);
}

static void init_colours(void)
{
	const char *no_color = getenv("NO_COLOR");

	the.colour = has_colors() && !(no_color && *no_color) && start_color() == OK &&
		     COLOR_PAIRS > (int)GRID_COLOURS;
	if (!the.colour)
		return;
	use_default_colors();
	init_pairs();
}

static attr_t curses_attr(unsigned int attr)
{
	attr_t a = A_NORMAL;

	if (attr & GRID_BOLD)
		a |= A_BOLD;
	if (attr & GRID_DIM)
		a |= A_DIM;
	if (attr & GRID_REVERSE)
		a |= A_REVERSE;
	if (the.colour)
		a |= COLOR_PAIR(attr & GRID_COLOUR_MASK);
	return a;
}

/* Only what differs from the last picture reaches the terminal: werase() erases in memory. */
static void show(const struct grid *g)
{
	const struct grid_cell *cell = g->cells;
	int row, col;

	werase(stdscr);
	for (row = 0; row < g->rows; row++) {
		wmove(stdscr, row, 0);
		for (col = 0; col < g->cols; col++, cell++) {
			wattrset(stdscr, (int)curses_attr(cell->attr));
			waddstr(stdscr, cell->text);
		}
	}
	wnoutrefresh(stdscr);
	doupdate();
}

void curses_screen__draw(void)
{
	struct grid *g;

	if (!the.screen)
		return;
	g = grid__new(LINES < GRID_SIDE_MAX ? LINES : GRID_SIDE_MAX,
		      COLS < GRID_SIDE_MAX ? COLS : GRID_SIDE_MAX);
	the.draw(the.arg, g, the.utf8);
	show(g);
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

bool curses_screen__is_open(void)
{
	return the.screen != NULL;
}

int curses_screen__open(struct loop *l, curses_screen_fn draw, void *arg)
{
	int err = check_terminal();

	if (err)
		return err;
	setlocale(LC_CTYPE, "");
	the.utf8 = terminal_has_blocks();
	the.screen = new_screen();
	if (!the.screen)
		return -ENOTSUP;
	the.loop = l;
	the.draw = draw;
	the.arg = arg;
	log_hold();
	init_input();
	init_colours();
	loop__add(l, STDIN_FILENO);
	loop__catch_pauses(l, true);
	curses_screen__draw();
	return 0;
}

static int translate(int c)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{KEY_UP, SCREEN_KEY_UP},
		{KEY_DOWN, SCREEN_KEY_DOWN},
		{KEY_LEFT, SCREEN_KEY_LEFT},
		{KEY_RIGHT, SCREEN_KEY_RIGHT},
		{KEY_PPAGE, SCREEN_KEY_PAGE_UP},
		{KEY_NPAGE, SCREEN_KEY_PAGE_DOWN},
		{KEY_HOME, SCREEN_KEY_HOME},
		{KEY_END, SCREEN_KEY_END},
		{KEY_BACKSPACE, SCREEN_KEY_BACKSPACE},
		{0x7f, SCREEN_KEY_BACKSPACE},
		{0x08, SCREEN_KEY_BACKSPACE},
		{KEY_ENTER, '\n'},
		{'\r', '\n'},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (c == keys[i].curses)
			return keys[i].key;
	return c < 256 ? c : SCREEN_KEY_OTHER;
}

static bool terminal_is_gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int curses_screen__key(void)
{
	int c;

	do
		c = wgetch(stdscr);
	while (c == KEY_RESIZE);
	if (c != ERR)
		return translate(c);
	return terminal_is_gone() ? 'q' : SCREEN_KEY_NONE;
}

static void resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/* Messages that were held are printed after endwin(), which brings the old screen back. */
static void leave(void)
{
	endwin();
	log_release();
}

bool curses_screen__signal(int signo)
{
	if (signo != SIGTSTP && signo != SIGCONT && signo != SIGWINCH)
		return false;
	if (!the.screen)
		return true;
	if (signo == SIGTSTP) {
		leave();
		loop__pause();
	}
	/* Enters; also after a SIGSTOP, which cannot be caught. */
	if (signo != SIGWINCH) {
		log_hold();
		reset_prog_mode();
		clearok(curscr, TRUE);
	}
	resize();
	curses_screen__draw();
	return true;
}

void curses_screen__close(void)
{
	if (!the.screen)
		return;
	loop__remove(the.loop, STDIN_FILENO);
	loop__catch_pauses(the.loop, false);
	leave();
	delscreen(the.screen);
	the.screen = NULL;
}
