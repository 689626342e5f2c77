/* SPDX-License-Identifier: GPL-2.0-only */
/* One process, connection, port or cgroup on the screen; see top_view.h. Pure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "top_view.h"

#define SIZE_COLS    9
#define GAP_COLS     2
#define COUNT_COLS   9
#define SHARE_COLS   7
#define SIZES_BESIDE 2 /* lines of a histogram apart from its rows */
#define SIZES_MIN    4 /* rows of a histogram, at least */
#define STACKS_SHOWN 5

struct page {
	struct grid *g;
	const struct attach_result *r;
	const struct view_item *item;
	bool utf8;
	int row, last; /* the next row; the last one there is */
};

static void print_ends(FILE *f, const struct page *p)
{
	const struct sock_state *s = &p->item->socket;
	char local[ADDRESS_TEXT_MAX], remote[ADDRESS_TEXT_MAX];
	const char *cgroup = attach_result__cgroup(p->r, s);

	if (p->item->row.by == BY_PROCESS && p->item->row.process)
		attach_result__print_shared(f, p->item->row.process);
	if (p->item->row.by != BY_CONNECTION)
		return;
	fprintf(f, "%s > %s   %s%s   cgroup %s",
		attach_result__address(local, sizeof(local), s->family, s->local, s->local_port),
		attach_result__address(remote, sizeof(remote), s->family, s->remote,
				       s->remote_port),
		s->closed_ns ? "closed" : "open",
		s->flags & SOCK_STATE_SHARED ? ", of several processes" : "",
		cgroup ? cgroup : "(unknown)");
}

static void print_ledger(FILE *f, const struct page *p)
{
	const struct socket_ledger *ledger = &p->item->row.ledger;
	struct real copies = socket_ledger__copies_per_byte(ledger);
	const char *before = "send calls: ";
	char text[VALUE_NR][UNITS_BUF], count[UNITS_BUF], bytes[UNITS_BUF];

	for (int v = 0; v < VALUE_NR; v++) {
		struct amount a = row_value__amount((enum row_value)v, p->r, ledger);

		amount__bytes(text[v], &a);
	}
	fprintf(f,
		"sent %s = %s copied + %s pinned + %s spliced   deferred copies %s\n"
		"received %s   ",
		text[VALUE_SENT], text[VALUE_COPIED], text[VALUE_PINNED], text[VALUE_SPLICED],
		text[VALUE_DEFERRED], text[VALUE_RECEIVED]);
	if (copies.known)
		fprintf(f, "%s copies a byte\n", copies_per_byte__text(count, p->r, ledger));
	else
		fprintf(f, "copies a byte: n/a (%s)\n", copies.reason);
	for (unsigned int i = 0; i < NIO_CALL_NR; i++) {
		const struct nio_amount *calls = &ledger->calls[i];

		if (!calls->events)
			continue;
		fprintf(f, "%s%s%s %s (%s)", before, ledger->divided[NIO_SIDE_SENDER] ? "~" : "",
			format_count(count, sizeof(count), calls->events),
			socket_ledger__call_key(i),
			format_bytes_si(bytes, sizeof(bytes), (double)calls->bytes));
		before = ", ";
	}
	if (*before == ',')
		fputs("\n", f);
	else
		fprintf(f, "send calls: %s\n",
			socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER) ? "unknown" : "none");
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
	grid__bar(p->g, p->row, col, bar, GRID_PLAIN, (double)s->count[i] / (double)s->most,
		  p->utf8);
	format_share(text, sizeof(text), (double)s->count[i] / (double)s->sum);
	grid__put_right(p->g, p->row, col + bar, SHARE_COLS, GRID_PLAIN, text);
	format_count(text, sizeof(text), s->count[i]);
	grid__put_right(p->g, p->row, col + bar + SHARE_COLS, COUNT_COLS, GRID_PLAIN, text);
}

/* The histograms in this number of rows. */
static void put_sizes(struct page *p, int room)
{
	const struct socket_ledger *ledger = &p->item->row.ledger;
	const uint64_t *sends = socket_ledger__sizes(ledger, NIO_SIDE_SENDER);
	const uint64_t *copies = socket_ledger__sizes(ledger, NIO_SIDE_RECEIVER);
	int width = (p->g->cols - SIZE_COLS) / 2 - GAP_COLS, from = NIO_SIZES, to = -1;
	struct sizes tx, rx;
	char size[UNITS_BUF];
	bool folded;

	for (int i = 0; i < NIO_SIZES; i++) {
		if (!sends[i] && !copies[i])
			continue;
		from = i < from ? i : from;
		to = i;
	}
	if (to < 0)
		return;
	folded = to - from >= room;
	from = folded ? to - room + 1 : from;
	tx = sizes_of(sends, from);
	rx = sizes_of(copies, from);
	grid__put(p->g, p->row, SIZE_COLS + GAP_COLS + width, width, GRID_BOLD, "a copy received");
	grid__put(p->g, p->row, SIZE_COLS, width, GRID_BOLD, "a send call");
	grid__put(p->g, p->row++, 0, SIZE_COLS, GRID_BOLD, "bytes");
	for (int i = from; i <= to && p->row <= p->last; i++, p->row++) {
		grid__put_right(p->g, p->row, 0, SIZE_COLS - 1, GRID_PLAIN,
				folded && i == from ? "less"
						    : format_size(size, sizeof(size), 1ULL << i));
		draw_size(p, &tx, i, SIZE_COLS, width);
		draw_size(p, &rx, i, SIZE_COLS + width + GAP_COLS, width);
	}
}

/* CPU time, and the hottest stacks of the row's process, a line each. */
static void print_cpu(FILE *f, const struct page *p)
{
	const struct profile *profile = &p->r->cpu.profile;
	const struct profile_stack *most[STACKS_SHOWN] = {NULL};
	const char *owner = p->item->owner;
	uint64_t all = 0;
	size_t nr = 0, at;

	if (p->item->row.by == BY_PROCESS) {
		fputs("CPU: ", f);
		cpu_split__print(f, &p->r->cpu, &p->item->cpu);
		fputc('\n', f);
	}
	for (size_t i = 0; owner[0] && i < profile->nr; i++) {
		const struct profile_stack *s = &profile->stacks[i];

		if (!cpu_split__is_of(s, owner))
			continue;
		all += s->count;
		for (at = nr; at && most[at - 1]->count < s->count; at--)
			if (at < STACKS_SHOWN)
				most[at] = most[at - 1];
		if (at == STACKS_SHOWN)
			continue;
		most[at] = s;
		nr += nr < STACKS_SHOWN;
	}
	for (size_t i = 0; i < nr; i++) {
		fprintf(f, "%s%4.1f %%  ", i ? "\n" : "hottest stacks, innermost frame first:\n",
			100 * (double)most[i]->count / (double)all);
		cpu_split__print_stack(f, most[i]->frames + strlen(owner) + 1,
				       (size_t)p->g->cols - 10);
	}
}

void view_item__verdict(struct attach_verdict *verdict, const struct attach_result *r,
			const struct view_item *item)
{
	struct attach_row row = item->row, now;

	*verdict = (struct attach_verdict){.copied_fraction.known = false};
	if (row.by == BY_CONNECTION) {
		row.socket = &item->socket;
		attach_result__verdict(verdict, r, &row);
		return;
	}
	/* The books shown, with the ports that the process has in the present table. */
	for (size_t i = 0; attach_row__at(&now, r, row.by, i); i++) {
		if (now.id != row.id)
			continue;
		row.process = now.process;
		attach_result__verdict(verdict, r, &row);
		return;
	}
}

static void print_verdict(FILE *f, const struct page *p)
{
	struct attach_verdict verdict;

	view_item__verdict(&verdict, p->r, p->item);
	fprintf(f, "%s ", p->item->name);
	attach_result__print_ways(f, p->r, &p->item->row.ledger);
	fprintf(f, ".\n%s\n%s\n", verdict.text, verdict.advice);
}

/* A text of the page. The caller frees it. */
static char *text_of(const struct page *p, void (*print)(FILE *f, const struct page *p))
{
	char *text;
	size_t len;
	FILE *f = xopen_memstream(&text, &len);

	print(f, p);
	xclose_memstream(f);
	return text;
}

/* Frees text. */
static void put_text(struct page *p, unsigned int attr, char *text)
{
	p->row = grid__text(p->g, p->row, p->last, 0, p->g->cols, attr, text);
	free(text);
}

void detail_view__draw(struct grid *g, const struct attach_result *r, const struct view_item *item,
		       bool utf8)
{
	struct page p = {.g = g, .r = r, .item = item, .utf8 = utf8, .row = 1, .last = g->rows - 2};
	char *cpu = text_of(&p, print_cpu);
	int room;

	grid__title(g, item->name);
	put_text(&p, GRID_PLAIN, text_of(&p, print_ends));
	put_text(&p, GRID_BOLD, text_of(&p, print_verdict));
	put_text(&p, GRID_PLAIN, text_of(&p, print_ledger));
	room = p.last + 1 - p.row - grid__text_rows(cpu, g->cols) - SIZES_BESIDE;
	put_sizes(&p, room < SIZES_MIN ? SIZES_MIN : room);
	put_text(&p, GRID_PLAIN, cpu);
}
