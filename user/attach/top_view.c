/* SPDX-License-Identifier: GPL-2.0-only */
/* The live view of attach; see top_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "top_view.h"
#include "base/address.h"
#include "base/log.h"
#include "common/units.h"
#include "detail_view.h"

/*
 * Without line breaks of the terminal's own: a line that is too long loses its end, not the screen
 * its order. The cursor stays on the last column then, so lines are cleared before they are
 * written.
 */
#define ENTER_SCREEN "\033[?1049h\033[?25l\033[?7l"
#define LEAVE_SCREEN "\033[?7h\033[?25h\033[?1049l"
#define HOME         "\033[H"
#define CLEAR_LINE   "\033[K"
#define CLEAR_BELOW  "\033[J"
#define REVERSE      "\033[7m"
#define NORMAL       "\033[0m"

#define LINES_BESIDE 4 /* head, titles, verdict, keys */
/* Spliced and deferred bytes have a column where there is room; the page of a row has them anyway.
 */
#define WIDE         100
#define COLUMN       9
#define VALUES_WIDTH (5 * COLUMN + 6)
#define NAME_MIN     12
#define WIDTH_MIN    (VALUES_WIDTH + NAME_MIN)

/* How a screen is divided. */
struct columns {
	int name;
	size_t stages; /* of shown[] */
};

static const enum nio_stage shown[] = {NIO_STAGE_TX_COPY, NIO_STAGE_TX_PIN, NIO_STAGE_TX_SPLICE,
				       NIO_STAGE_DEFERRED_COPY};

static struct columns columns_of(int width)
{
	struct columns c = {.stages = width < WIDE ? 2 : 4};
	int values = VALUES_WIDTH + ((int)c.stages - 2) * COLUMN;

	c.name = width > values + NAME_MIN ? width - values : NAME_MIN;
	return c;
}

void top_view__open(struct top_view *v)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &v->saved))
		return;
	raw = v->saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw))
		return;
	v->shown = true;
	log_hold();
	fputs(ENTER_SCREEN, stdout);
	fflush(stdout);
}

void top_view__close(struct top_view *v)
{
	if (!v->shown)
		return;
	v->shown = false;
	fputs(LEAVE_SCREEN, stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &v->saved);
	log_release();
}

static struct winsize size_of_screen(void)
{
	struct winsize w = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col || !w.ws_row)
		w = (struct winsize){.ws_col = 80, .ws_row = 24};
	return w;
}

/*
 * What the row was at the last refresh; nothing, if it is new since. NULL: it was there, and is not
 * known as it was.
 */
static const struct books *before_of(const struct top_view *v, const struct view_item *item)
{
	static const struct books nothing;

	for (size_t i = 0; item->id && i < VIEW_ROWS_MAX; i++)
		if (v->before[i].id == item->id)
			return &v->before[i].books;
	return item->books.first_ns >= v->since_ns ? &nothing : NULL;
}

static void put_rate(FILE *f, uint64_t now, uint64_t before, double seconds)
{
	char text[UNITS_BUF];

	if (now <= before || seconds <= 0)
		fprintf(f, " %8s", "-");
	else
		fprintf(f, " %8s",
			format_bytes_si(text, sizeof(text), (double)(now - before) / seconds));
}

static void put_row(FILE *f, const struct view_item *item, bool selected, struct columns c,
		    const struct books *was, double seconds)
{
	const struct books *b = &item->books;
	struct real copies = books__copies_per_byte(b), copied = books__copied_fraction(b);
	char brief[sizeof(item->name)];

	if (!was)
		was = b;
	fprintf(f, CLEAR_LINE "%s%-*s", selected ? REVERSE : "", c.name,
		findings__shorten(brief, sizeof(brief), item->name, c.name));
	put_rate(f, books__booked(b, NIO_SIDE_SENDER), books__booked(was, NIO_SIDE_SENDER),
		 seconds);
	for (size_t i = 0; i < c.stages; i++)
		put_rate(f, b->stages[shown[i]].bytes, was->stages[shown[i]].bytes, seconds);
	put_rate(f, books__booked(b, NIO_SIDE_RECEIVER), books__booked(was, NIO_SIDE_RECEIVER),
		 seconds);
	if (copies.known)
		fprintf(f, books__arrivals_missed(b) ? "   >=%.2f" : " %8.2f", copies.value);
	else
		fputs("      n/a", f);
	if (copied.known)
		fprintf(f, " %3.0f %%", copied.value * 100);
	fputs(NORMAL "\n", f);
}

static bool process_at(const struct findings *r, size_t i, struct view_item *item)
{
	const struct process *p = &r->table.processes[i];
	char name[PROCESS_LEN];

	if (i >= r->table.processes_nr || !process__is_listed(p))
		return false;
	snprintf(item->name, sizeof(item->name), "%s (%zu)", findings__process(name, r, p),
		 p->books.connections);
	item->id = p->started << 32 | p->tgid;
	item->books = p->books;
	item->process = p;
	return true;
}

static bool group_at(const struct findings *r, size_t i, struct view_item *item)
{
	const struct groups *groups = findings__groups(r);
	char name[GROUP_NAME_LEN];

	if (i >= groups->nr)
		return false;
	snprintf(item->name, sizeof(item->name), "%.200s (%zu)",
		 findings__group(name, r, &groups->list[i]), groups->list[i].books.connections);
	item->id = groups->list[i].id;
	item->books = groups->list[i].books;
	item->group = &groups->list[i];
	return true;
}

static bool connection_at(const struct findings *r, size_t i, struct view_item *item)
{
	const struct sock_state *s = table__connection(&r->table, i);
	char owner[OWNER_LEN], remote[ADDRESS_TEXT_MAX];

	if (!s)
		return false;
	findings__address(remote, sizeof(remote), s->family, s->remote, s->remote_port);
	snprintf(item->name, sizeof(item->name), "%s :%u > %s",
		 findings__owner(owner, s->comm, s->tgid), s->local_port, remote);
	item->id = s->key ^ s->first_ns;
	item->stream = s;
	books__add_socket(&item->books, s);
	return true;
}

/* The i-th row; false: there is none. */
static bool row_at(const struct findings *r, size_t i, struct view_item *item)
{
	memset(item, 0, sizeof(*item));
	if (r->o->by == BY_PROCESS)
		return process_at(r, i, item);
	return findings__groups(r) ? group_at(r, i, item) : connection_at(r, i, item);
}

static void put_rows(struct top_view *v, const struct findings *r, struct columns c, size_t lines,
		     double seconds)
{
	struct view_row *next = calloc(VIEW_ROWS_MAX, sizeof(*next));
	size_t first = v->selected >= lines ? v->selected - lines + 1 : 0;
	struct view_item item;

	v->rows_nr = 0;
	for (size_t i = 0; next && i < VIEW_ROWS_MAX && row_at(r, i, &item); i++) {
		if (i >= first && i < first + lines) {
			put_row(stdout, &item, i == v->selected, c, before_of(v, &item), seconds);
		}
		next[i] = (struct view_row){item.id, item.books};
		v->rows_nr++;
	}
	if (next)
		memcpy(v->rows, next, sizeof(v->rows));
	free(next);
}

/* The row that is open, wherever it stands now; false: it is gone. */
static bool draw_opened(const struct top_view *v, const struct findings *r, struct winsize w)
{
	struct view_item item;

	for (size_t i = 0; row_at(r, i, &item); i++) {
		if (item.id != v->opened_id)
			continue;
		fputs(HOME, stdout);
		detail_view__draw(stdout, r, &item, w.ws_row, w.ws_col);
		fputs(CLEAR_LINE "q quit   Enter back" CLEAR_BELOW, stdout);
		return true;
	}
	return false;
}

/* What was shown until it is what rates are against, until the next. */
static void note_refresh(struct top_view *v, const struct findings *r)
{
	if (v->at_ns == r->ended_ns)
		return;
	memcpy(v->before, v->rows, sizeof(v->before));
	v->since_ns = v->at_ns;
	v->at_ns = r->ended_ns;
}

static void draw_table(struct top_view *v, const struct findings *r, struct winsize w)
{
	struct columns c = columns_of(w.ws_col);
	const struct findings_row total = {.books = &r->table.total};
	struct judgement j;
	double seconds;

	note_refresh(v, r);
	seconds = (double)(r->ended_ns - (v->since_ns ? v->since_ns : r->begun_ns)) / 1e9;
	findings__judge(&j, r, &total);
	fprintf(stdout,
		HOME CLEAR_LINE
		"netiotrace attach  %.0f s  %zu open, %zu in all  by %s, order %s\n",
		(double)(r->ended_ns - r->begun_ns) / 1e9, r->table.open_nr,
		r->table.total.connections, by__name(r->o->by), sort__name(r->o->sort));
	fprintf(stdout, CLEAR_LINE "%-*s %8s %8s %8s%s %8s %8s %5s\n", c.name, "per second", "sent",
		"copied", "pinned", c.stages > 2 ? "  spliced deferred" : "", "received",
		"copies/B", "zc");
	put_rows(v, r, c, w.ws_row > LINES_BESIDE ? w.ws_row - LINES_BESIDE : 1, seconds);
	fprintf(stdout, CLEAR_LINE "%.*s\n", w.ws_col, j.text);
	fputs(CLEAR_LINE "q quit   b process/connection/port/cgroup   s order   up, down, Enter "
			 "open" CLEAR_BELOW,
	      stdout);
}

void top_view__draw(struct top_view *v, const struct findings *r)
{
	struct winsize w = size_of_screen();

	/* A number that is cut would read as another. */
	if (w.ws_col < WIDTH_MIN || w.ws_row <= LINES_BESIDE) {
		fprintf(stdout, HOME CLEAR_LINE "too small: needs %dx%d, is %ux%u" CLEAR_BELOW,
			WIDTH_MIN, LINES_BESIDE + 1, w.ws_col, w.ws_row);
		fflush(stdout);
		return;
	}
	if (!v->opened || !draw_opened(v, r, w)) {
		v->opened = false;
		draw_table(v, r, w);
	}
	fflush(stdout);
}

/* Enter, or what leaves a row that is open. */
static void toggle(struct top_view *v)
{
	v->opened = !v->opened && v->selected < v->rows_nr;
	if (v->opened)
		v->opened_id = v->rows[v->selected].id;
}

static void move(struct top_view *v, bool down)
{
	if (down && v->selected + 1 < v->rows_nr)
		v->selected++;
	if (!down && v->selected)
		v->selected--;
}

static void turn_by(struct top_view *v, struct attach_options *o)
{
	o->by = (enum by)((o->by + 1) % BY_NR);
	v->selected = 0;
	v->opened = false;
	/* Their ids are of another kind. */
	memset(v->rows, 0, sizeof(v->rows));
	memset(v->before, 0, sizeof(v->before));
}

/* true: q, it is over. */
static bool take_key(struct top_view *v, struct attach_options *o, char key)
{
	switch (key) {
	case 'q':
		return true;
	case 's':
		o->sort = (enum sort)((o->sort + 1) % SORT_NR);
		break;
	case 'b':
		turn_by(v, o);
		break;
	case 'j':
	case 'k':
		move(v, key == 'j');
		break;
	case '\n':
	case '\r':
		toggle(v);
		break;
	default:
		break;
	}
	return false;
}

bool top_view__key(struct top_view *v, struct attach_options *o)
{
	char keys[64];
	ssize_t n = v->shown ? read(STDIN_FILENO, keys, sizeof(keys)) : 0;

	for (ssize_t i = 0; i < n; i++) {
		bool arrow = i + 2 < n && keys[i] == '\033' && keys[i + 1] == '[';

		if (arrow && (keys[i + 2] == 'A' || keys[i + 2] == 'B')) {
			move(v, keys[i + 2] == 'B');
			i += 2;
		} else if (take_key(v, o, keys[i])) {
			return true;
		}
	}
	return false;
}
