/* SPDX-License-Identifier: GPL-2.0-only */
/* The live view of attach; see attach_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach_view.h"
#include "base/address.h"
#include "base/log.h"
#include "common/units.h"
#include "judge.h"

#define ENTER_SCREEN "\033[?1049h\033[?25l"
#define LEAVE_SCREEN "\033[?25h\033[?1049l"
#define HOME         "\033[H"
#define CLEAR_LINE   "\033[K"
#define CLEAR_BELOW  "\033[J"

#define LINES_BESIDE 5 /* head, titles, total, verdict, keys */
#define VALUES_WIDTH 72

void attach_view__open(struct attach_view *v)
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

void attach_view__close(struct attach_view *v)
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

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < 20 || w.ws_row < 4)
		w = (struct winsize){.ws_col = 80, .ws_row = 24};
	return w;
}

static const struct books *before_of(const struct attach_view *v, uint64_t id)
{
	for (size_t i = 0; id && i < VIEW_ROWS_MAX; i++)
		if (v->rows[i].id == id)
			return &v->rows[i].before;
	return NULL;
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

static void put_row(FILE *f, const char *name, int width, const struct books *b,
		    const struct books *was, double seconds)
{
	static const struct books none;
	struct real copies = books__copies_per_byte(b), copied = books__copied_fraction(b);

	if (!was)
		was = &none;
	fprintf(f, "%-*.*s", width, width, name);
	put_rate(f, books__booked(b, NIO_SIDE_SENDER), books__booked(was, NIO_SIDE_SENDER),
		 seconds);
	for (size_t i = 0; i < 4; i++) {
		static const enum nio_stage shown[] = {NIO_STAGE_TX_COPY, NIO_STAGE_TX_PIN,
						       NIO_STAGE_TX_SPLICE,
						       NIO_STAGE_DEFERRED_COPY};

		put_rate(f, b->stages[shown[i]].bytes, was->stages[shown[i]].bytes, seconds);
	}
	put_rate(f, books__booked(b, NIO_SIDE_RECEIVER), books__booked(was, NIO_SIDE_RECEIVER),
		 seconds);
	fprintf(f, copies.known ? " %8.2f" : "      n/a", copies.value);
	if (copied.known)
		fprintf(f, " %3.0f %%", copied.value * 100);
	fputs(CLEAR_LINE "\n", f);
}

/* The i-th row: what it is called, whose it is, its books. false: there is none. */
static bool row_at(const struct attach_report *r, size_t i, char *name, size_t len, uint64_t *id,
		   struct books *b)
{
	char owner[OWNER_LEN], remote[ADDRESS_TEXT_MAX];
	const struct nio_stream *s;

	if (r->o->by == BY_PROCESS) {
		const struct process *p = &r->table.processes[i];

		if (i >= r->table.processes_nr)
			return false;
		snprintf(name, len, "%s (%zu)", attach_report__owner(owner, p->comm, p->tgid),
			 p->books.connections);
		*id = p->tgid;
		*b = p->books;
		return true;
	}
	s = table__connection(&r->table, i);
	if (!s)
		return false;
	attach_report__address(remote, sizeof(remote), s->family, s->remote, s->remote_port);
	snprintf(name, len, "%s :%u > %s", attach_report__owner(owner, s->comm, s->tgid),
		 s->local_port, remote);
	*id = s->cookie;
	memset(b, 0, sizeof(*b));
	books__add_stream(b, s);
	return true;
}

static void put_rows(FILE *f, struct attach_view *v, const struct attach_report *r, int width,
		     size_t lines, double seconds)
{
	struct view_row *next = calloc(VIEW_ROWS_MAX, sizeof(*next));
	char name[OWNER_LEN + ADDRESS_TEXT_MAX + 16];
	struct books b;
	uint64_t id;

	for (size_t i = 0; next && i < VIEW_ROWS_MAX; i++) {
		if (!row_at(r, i, name, sizeof(name), &id, &b))
			break;
		if (i < lines)
			put_row(f, name, width, &b, before_of(v, id), seconds);
		next[i] = (struct view_row){id, b};
	}
	if (next)
		memcpy(v->rows, next, sizeof(v->rows));
	free(next);
}

void attach_view__draw(struct attach_view *v, const struct attach_report *r)
{
	struct winsize w = size_of_screen();
	int width = w.ws_col > VALUES_WIDTH + 12 ? w.ws_col - VALUES_WIDTH : 12;
	uint64_t since = v->at_ns ? v->at_ns : r->begun_ns;
	double seconds = (double)(r->ended_ns - since) / 1e9;
	struct judgement j;

	judge__give(&j, &r->table.total, r->told, r->notices);
	fprintf(stdout,
		HOME "netiotrace attach  %.0f s  %zu open, %zu in all  by %s, order %s" CLEAR_LINE
		     "\n",
		(double)(r->ended_ns - r->begun_ns) / 1e9, r->table.open_nr,
		r->table.total.connections, r->o->by == BY_PROCESS ? "process" : "connection",
		sort__name(r->o->sort));
	fprintf(stdout, "%-*s %8s %8s %8s %8s %8s %8s %8s %5s" CLEAR_LINE "\n", width, "per second",
		"sent", "copied", "pinned", "spliced", "deferred", "received", "copies/B", "zc");
	put_rows(stdout, v, r, width, w.ws_row > LINES_BESIDE ? w.ws_row - LINES_BESIDE : 1,
		 seconds);
	fprintf(stdout, "%.*s" CLEAR_LINE "\n", w.ws_col, j.text);
	fputs("q quit   b process/connection   s order" CLEAR_LINE CLEAR_BELOW, stdout);
	fflush(stdout);
	v->at_ns = r->ended_ns;
}

bool attach_view__key(struct attach_view *v, struct attach_options *o)
{
	char keys[16];
	ssize_t n = v->shown ? read(STDIN_FILENO, keys, sizeof(keys)) : 0;

	for (ssize_t i = 0; i < n; i++) {
		if (keys[i] == 'q')
			return true;
		if (keys[i] == 's')
			o->sort = (enum sort)((o->sort + 1) % SORT_NR);
		if (keys[i] == 'b')
			o->by = o->by == BY_PROCESS ? BY_CONNECTION : BY_PROCESS;
	}
	return false;
}
