/* SPDX-License-Identifier: GPL-2.0-only */
/* One process, connection, port or cgroup on the screen; see detail_view.h. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/printable.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "detail_view.h"

#define SIZE_COLS    9
#define GAP_COLS     2
#define COUNT_COLS   9
#define SHARE_COLS   7
#define SIZES_BESIDE 2 /* lines of a histogram apart from its rows */
#define SIZES_MIN    4 /* rows of a histogram, at least */
#define STACKS_SHOWN 5

struct page {
	struct sweep_grid *g;
	const struct attach_result *r;
	const struct view_item *item;
	bool utf8;
	int row, last; /* the next row; the last one there is */
};

__attribute__((format(printf, 3, 4))) static void put(struct page *p, unsigned int attr,
						      const char *format, ...)
{
	char line[1024];
	va_list args;

	if (p->row > p->last)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	sweep_grid__put(p->g, p->row++, 0, p->g->cols, attr, line);
}

static void put_head(struct page *p)
{
	const struct sock_state *s = &p->item->stream;
	char local[ADDRESS_TEXT_MAX], remote[ADDRESS_TEXT_MAX];

	put(p, GRID_PLAIN, "%s", p->item->name);
	sweep_grid__paint(p->g, 0, 0, p->g->cols, GRID_BOLD | GRID_REVERSE);
	if (!p->item->is_connection)
		return;
	attach_result__address(local, sizeof(local), s->family, s->local, s->local_port);
	attach_result__address(remote, sizeof(remote), s->family, s->remote, s->remote_port);
	put(p, GRID_PLAIN, "%s > %s   %s%s   cgroup %s", local, remote,
	    s->closed_ns ? "closed" : "open",
	    s->flags & SOCK_STATE_SHARED ? ", of several processes" : "",
	    attach_result__cgroup(p->r, s));
}

static const char *bytes_text(char *buf, uint64_t bytes)
{
	return format_bytes_si(buf, UNITS_BUF, (double)bytes);
}

static void put_ledger(struct page *p)
{
	const struct socket_ledger *b = &p->item->books;
	struct real copies = socket_ledger__copies_per_byte(b);
	const char *least = socket_ledger__arrivals_missed(b) ? "at least " : "";
	char text[6][UNITS_BUF];

	put(p, GRID_PLAIN, "sent %s = %s copied + %s pinned + %s spliced   deferred copies %s%s",
	    bytes_text(text[0], socket_ledger__booked(b, NIO_SIDE_SENDER)),
	    attach_result__bytes(text[1], UNITS_BUF, b, NIO_STAGE_TX_COPY),
	    attach_result__bytes(text[2], UNITS_BUF, b, NIO_STAGE_TX_PIN),
	    bytes_text(text[3], b->stages[NIO_STAGE_TX_SPLICE].bytes), least,
	    bytes_text(text[4], b->stages[NIO_STAGE_DEFERRED_COPY].bytes));
	if (copies.known)
		put(p, GRID_PLAIN, "received %s   %s%.2f copies a byte",
		    bytes_text(text[5], socket_ledger__booked(b, NIO_SIDE_RECEIVER)), least,
		    copies.value);
	else
		put(p, GRID_PLAIN, "received %s   copies a byte: n/a (%s)",
		    bytes_text(text[5], socket_ledger__booked(b, NIO_SIDE_RECEIVER)),
		    copies.reason);
}

static void put_calls(struct page *p)
{
	static const char *const words[NIO_CALL_NR] = {
#define X(id, key, text) [NIO_CALL_##id] = key,
		NIO_SEND_KINDS(X)
#undef X
	};
	const struct nio_amount *calls = p->item->books.calls;
	char line[512] = "", count[UNITS_BUF], bytes[UNITS_BUF];
	size_t used = 0;

	for (int i = 0; i < NIO_CALL_NR && used < sizeof(line); i++)
		if (calls[i].events)
			used += snprintf(line + used, sizeof(line) - used, "%s%s %s (%s)",
					 used ? ", " : "",
					 format_count(count, sizeof(count), calls[i].events),
					 words[i], bytes_text(bytes, calls[i].bytes));
	put(p, GRID_PLAIN, "send calls: %s", used ? line : "none");
}

/* The sizes of one direction. */
struct sizes {
	uint64_t count[NIO_SIZES];
	uint64_t sum, most;
};

/* Sizes below the first row are counted in it, so that none is lost. */
static struct sizes sizes_of(const uint64_t count[NIO_SIZES], int from)
{
	struct sizes s = {.most = 1};

	for (int i = 0; i < NIO_SIZES; i++) {
		s.count[i < from ? from : i] += count[i];
		s.sum += count[i];
	}
	for (int i = 0; i < NIO_SIZES; i++)
		s.most = s.count[i] > s.most ? s.count[i] : s.most;
	return s;
}

static void draw_size(struct page *p, const struct sizes *s, int i, int col, int width)
{
	int bar = width - COUNT_COLS - SHARE_COLS;
	char text[UNITS_BUF];

	if (!s->count[i])
		return;
	sweep_grid__bar(p->g, p->row, col, bar, GRID_PLAIN, (double)s->count[i] / (double)s->most,
			p->utf8);
	format_share(text, sizeof(text), (double)s->count[i] / (double)s->sum);
	sweep_grid__put_right(p->g, p->row, col + bar, SHARE_COLS, GRID_PLAIN, text);
	format_count(text, sizeof(text), s->count[i]);
	sweep_grid__put_right(p->g, p->row, col + bar + SHARE_COLS, COUNT_COLS, GRID_PLAIN, text);
}

/* The histograms in this number of rows. */
static void put_sizes(struct page *p, int room)
{
	const struct socket_ledger *b = &p->item->books;
	int width = (p->g->cols - SIZE_COLS) / 2 - GAP_COLS, from = NIO_SIZES, to = -1;
	struct sizes tx, rx;
	char size[UNITS_BUF];
	bool folded;

	for (int i = 0; i < NIO_SIZES; i++) {
		if (!b->tx_sizes[i] && !b->rx_sizes[i])
			continue;
		from = i < from ? i : from;
		to = i;
	}
	if (to < 0)
		return;
	folded = to - from >= room;
	from = folded ? to - room + 1 : from;
	tx = sizes_of(b->tx_sizes, from);
	rx = sizes_of(b->rx_sizes, from);
	sweep_grid__put(p->g, p->row, SIZE_COLS + GAP_COLS + width, width, GRID_BOLD,
			"a copy received");
	sweep_grid__put(p->g, p->row, SIZE_COLS, width, GRID_BOLD, "a send call");
	sweep_grid__put(p->g, p->row++, 0, SIZE_COLS, GRID_BOLD, "bytes");
	for (int i = from; i <= to && p->row <= p->last; i++, p->row++) {
		sweep_grid__put_right(
			p->g, p->row, 0, SIZE_COLS - 1, GRID_PLAIN,
			folded && i == from ? "less" : format_size(size, sizeof(size), 1ULL << i));
		draw_size(p, &tx, i, SIZE_COLS, width);
		draw_size(p, &rx, i, SIZE_COLS + width + GAP_COLS, width);
	}
}

static void say_cpu(FILE *f, const struct page *p)
{
	struct cpu_found found = p->r->cpu;

	if (!p->item->is_process)
		return;
	found.total = p->item->cpu;
	fputs("CPU: ", f);
	cpu_found__say(f, &found);
	fputc('\n', f);
}

/* The hottest stacks of the row's process, a line each, its innermost frames first. */
static void say_stacks(FILE *f, const struct page *p)
{
	const struct profile *profile = &p->r->cpu.profile;
	size_t len = strlen(p->item->owner);
	const struct profile_stack *said[STACKS_SHOWN];
	uint64_t all = 0;
	size_t nr = 0;

	for (size_t i = 0; len && i < profile->nr; i++)
		if (cpu_found__is_of(&profile->stacks[i], p->item->owner))
			all += profile->stacks[i].count;
	for (; all && nr < STACKS_SHOWN; nr++) {
		const struct profile_stack *most = NULL;

		for (size_t i = 0; i < profile->nr; i++) {
			const struct profile_stack *s = &profile->stacks[i];
			bool done = !cpu_found__is_of(s, p->item->owner);

			for (size_t k = 0; k < nr; k++)
				done |= said[k] == s;
			if (!done && (!most || s->count > most->count))
				most = s;
		}
		if (!most)
			break;
		said[nr] = most;
		fprintf(f, "%s%4.1f %%  ", nr ? "\n" : "hottest stacks, innermost frame first:\n",
			100 * (double)most->count / (double)all);
		cpu_found__say_stack(f, most->frames + len + 1, (size_t)p->g->cols - 10);
	}
	if (nr)
		fputc('\n', f);
}

/* The process, group or socket of a row in the present table. false: it is not there any more. */
static bool row_of(struct attach_row *row, const struct attach_result *r,
		   const struct view_item *item)
{
	*row = (struct attach_row){.books = &item->books};
	if (item->is_connection)
		row->socket = &item->stream;
	for (size_t i = 0; item->is_process && i < r->table.processes_nr && !row->process; i++)
		if (view_item__process_id(&r->table.processes[i]) == item->id)
			row->process = &r->table.processes[i];
	if (attach_result__groups(r) && !item->is_process && !item->is_connection) {
		row->group = groups__find(attach_result__groups(r), item->id);
		row->kind = r->o->by == BY_PORT ? GROUP_PORT : GROUP_CGROUP;
	}
	return row->process || row->group || row->socket;
}

void view_item__judge(struct judgement *j, const struct attach_result *r,
		      const struct view_item *item)
{
	struct attach_row row;

	*j = (struct judgement){.copied_fraction.known = false};
	if (row_of(&row, r, item))
		attach_result__judge(j, r, &row);
}

uint64_t view_item__process_id(const struct process *p)
{
	return p->started << 32 | p->tgid;
}

void view_item__say(FILE *f, const struct attach_result *r, const struct view_item *item)
{
	const struct socket_ledger *b = &item->books;
	uint64_t sent = socket_ledger__booked(b, NIO_SIDE_SENDER);
	uint64_t copied = b->stages[NIO_STAGE_TX_COPY].bytes;
	char n[UNITS_BUF], of[UNITS_BUF];

	format_count(of, sizeof(of), b->completed);
	if (b->completed && b->copied == b->completed)
		fprintf(f, "was not zero-copy: all %s zero-copy sends were copied", of);
	else if (b->completed && b->copied)
		fprintf(f, "was partly zero-copy: %s of %s zero-copy sends were copied",
			format_count(n, sizeof(n), b->copied), of);
	else if (b->completed)
		fprintf(f, "was zero-copy: none of %s zero-copy sends was copied", of);
	else if (b->ids || b->calls[NIO_CALL_ZEROCOPY].events)
		fputs("asked for zero-copy; whether it was is not known yet", f);
	else if (!sent)
		fputs(socket_ledger__booked(b, NIO_SIDE_RECEIVER) ? "only receives"
								  : "moved nothing yet",
		      f);
	else if (!r->told || socket_ledger__unclassified(b))
		fputs("sends, and not all of how is known", f);
	else if (copied >= sent)
		fputs("copies all it sends", f);
	else if (!copied)
		fputs("sends without a copy (sendfile, splice)", f);
	else if (copied < sent / 2)
		fprintf(f, "sends %s without a copy (sendfile, splice)",
			(format_share(n, sizeof(n), 1 - (double)copied / (double)sent), n));
	else
		fprintf(f, "copies %s of what it sends",
			(format_share(n, sizeof(n), (double)copied / (double)sent), n));
}

static void say_verdict(FILE *f, const struct page *p)
{
	struct judgement j;

	view_item__judge(&j, p->r, p->item);
	fprintf(f, "%s ", p->item->name);
	view_item__say(f, p->r, p->item);
	fprintf(f, ".\n%s\n%s\n", j.text, j.advice);
}

static int lines_of(const char *text, int columns)
{
	const char *line;
	int lines = 0;

	while (wrap__next(&text, (size_t)columns, &line))
		lines++;
	return lines;
}

/* The text below the sizes, and the part of it that must be above them. The caller frees both. */
static char *text_of(const struct page *p, void (*say)(FILE *f, const struct page *p))
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	say(f, p);
	xclose_memstream(f);
	return text;
}

static void put_text(struct page *p, unsigned int attr, const char *text)
{
	p->row = sweep_grid__text(p->g, p->row, p->last, 0, p->g->cols, attr, text);
}

void detail_view__draw(struct sweep_grid *g, const struct attach_result *r,
		       const struct view_item *item, bool utf8)
{
	struct page p = {.g = g, .r = r, .item = item, .utf8 = utf8, .last = g->rows - 2};
	char *verdict = text_of(&p, say_verdict), *cpu = text_of(&p, say_cpu);
	char *stacks = text_of(&p, say_stacks);
	int room;

	put_head(&p);
	put_text(&p, GRID_BOLD, verdict);
	put_ledger(&p);
	put_calls(&p);
	room = p.last + 1 - p.row - lines_of(cpu, g->cols) - lines_of(stacks, g->cols) -
	       SIZES_BESIDE;
	put_sizes(&p, room < SIZES_MIN ? SIZES_MIN : room);
	put_text(&p, GRID_PLAIN, cpu);
	put_text(&p, GRID_PLAIN, stacks);
	free(verdict);
	free(cpu);
	free(stacks);
}
