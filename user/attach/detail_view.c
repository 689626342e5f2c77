/* SPDX-License-Identifier: GPL-2.0-only */
/* One process, connection, port or cgroup on the screen; see detail_view.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/wrap.h"
#include "common/units.h"
#include "cpu_text.h"
#include "detail_view.h"

#define CLEAR_LINE "\033[K" /* before it is written: see top_view.c */

#define BAR_WIDTH_MAX 30
#define SIZES_BESIDE  4 /* lines of a histogram besides its rows, and the keys below all */
#define SIZES_MIN     4 /* rows of it, whatever else there is to say */

/* What is being drawn. */
struct page {
	FILE *f;
	const struct findings *r;
	const struct view_item *item;
	unsigned int rows, columns, used; /* lines */
};

__attribute__((format(printf, 2, 3))) static void put(struct page *p, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (p->used + 1 >= p->rows)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(p->f, CLEAR_LINE "%.*s\n", (int)p->columns, line);
	p->used++;
}

static void put_head(struct page *p)
{
	const struct sock_state *s = p->item->stream;
	char local[ADDRESS_TEXT_MAX], remote[ADDRESS_TEXT_MAX];

	put(p, "%s", p->item->name);
	if (!s)
		return;
	findings__address(local, sizeof(local), s->family, s->local, s->local_port);
	findings__address(remote, sizeof(remote), s->family, s->remote, s->remote_port);
	put(p, "%s > %s   %s%s   cgroup %s", local, remote, s->closed_ns ? "closed" : "open",
	    s->flags & SOCK_STATE_SHARED ? ", of several processes" : "",
	    findings__cgroup(p->r, s));
}

static const char *bytes_text(char *buf, uint64_t bytes)
{
	return format_bytes_si(buf, UNITS_BUF, (double)bytes);
}

static void put_ledger(struct page *p)
{
	const struct books *b = &p->item->books;
	struct real copies = books__copies_per_byte(b);
	const char *least = books__arrivals_missed(b) ? "at least " : "";
	char text[6][UNITS_BUF];

	put(p, "sent %s = %s copied + %s pinned + %s spliced   deferred copies %s%s",
	    bytes_text(text[0], books__booked(b, NIO_SIDE_SENDER)),
	    findings__bytes(text[1], UNITS_BUF, b, NIO_STAGE_TX_COPY),
	    findings__bytes(text[2], UNITS_BUF, b, NIO_STAGE_TX_PIN),
	    bytes_text(text[3], b->stages[NIO_STAGE_TX_SPLICE].bytes), least,
	    bytes_text(text[4], b->stages[NIO_STAGE_DEFERRED_COPY].bytes));
	if (copies.known)
		put(p, "received %s   %s%.2f copies a byte",
		    bytes_text(text[5], books__booked(b, NIO_SIDE_RECEIVER)), least, copies.value);
	else
		put(p, "received %s   copies a byte: n/a (%s)",
		    bytes_text(text[5], books__booked(b, NIO_SIDE_RECEIVER)), copies.reason);
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
	put(p, "send calls: %s", used ? line : "none");
}

/* The buckets that are used, of both directions together: false, there are none. */
static bool range_of(const struct books *b, int *from, int *to)
{
	*from = NIO_SIZES;
	*to = -1;
	for (int i = 0; i < NIO_SIZES; i++) {
		if (!b->tx_sizes[i] && !b->rx_sizes[i])
			continue;
		*from = i < *from ? i : *from;
		*to = i;
	}
	return *to >= 0;
}

static uint64_t largest_of(const uint64_t sizes[NIO_SIZES])
{
	uint64_t most = 1;

	for (int i = 0; i < NIO_SIZES; i++)
		most = sizes[i] > most ? sizes[i] : most;
	return most;
}

/* At least one mark of what is not 0. */
static void draw_bar(char bar[BAR_WIDTH_MAX + 1], uint64_t value, uint64_t most, unsigned int width)
{
	unsigned int marks = (unsigned int)((double)value / (double)most * width);

	if (value && !marks)
		marks = 1;
	memset(bar, '#', marks);
	bar[marks] = '\0';
}

/* Sizes below the first row are counted in it: what is not shown would be taken for none. */
static void fold(uint64_t sizes[NIO_SIZES], int from)
{
	for (int i = 0; i < from; i++)
		sizes[from] += sizes[i];
}

static void put_row(struct page *p, const struct books *b, int i, bool folded, int width)
{
	char tx[BAR_WIDTH_MAX + 1], rx[BAR_WIDTH_MAX + 1], size[UNITS_BUF];

	draw_bar(tx, b->tx_sizes[i], largest_of(b->tx_sizes), width);
	draw_bar(rx, b->rx_sizes[i], largest_of(b->rx_sizes), width);
	put(p, "%10s  %-*s %9" PRIu64 "  %-*s %9" PRIu64,
	    folded ? "less" : format_size(size, sizeof(size), 1ULL << i), width, tx, b->tx_sizes[i],
	    width, rx, b->rx_sizes[i]);
}

/* room: rows that there are for them. */
static void put_sizes(struct page *p, int room)
{
	struct books b = p->item->books;
	int width = p->columns > 2 * BAR_WIDTH_MAX + 40 ? BAR_WIDTH_MAX
		    : p->columns > 60                   ? ((int)p->columns - 40) / 2
							: 10;
	int from, to;
	bool folded;

	if (!range_of(&b, &from, &to))
		return;
	folded = to - from >= room;
	if (folded) {
		from = to - room + 1;
		fold(b.tx_sizes, from);
		fold(b.rx_sizes, from);
		memset(b.tx_sizes, 0, from * sizeof(b.tx_sizes[0]));
		memset(b.rx_sizes, 0, from * sizeof(b.rx_sizes[0]));
	}
	put(p, " ");
	put(p, "%10s  %-*s %10s  %-*s", "bytes from", width + 10, "a send call", "", width,
	    "a copy received");
	for (int i = from; i <= to; i++)
		put_row(p, &b, i, folded && i == from, width);
	put(p, " ");
}

static void say_cpu(FILE *f, const struct page *p)
{
	struct cpu_found found = p->r->cpu;

	if (!p->item->process)
		return;
	found.total = p->item->process->cpu;
	fputs("CPU: ", f);
	cpu_text__say(f, &found);
	fputc('\n', f);
}

static void say_verdict(FILE *f, const struct page *p)
{
	const struct findings_row row = {
		.books = &p->item->books,
		.process = p->item->process,
		.group = p->item->group,
		.kind = p->r->o->by == BY_PORT ? GROUP_PORT : GROUP_CGROUP,
		.socket = p->item->stream,
	};
	struct judgement j;

	findings__judge(&j, p->r, &row);
	fprintf(f, "%s\n%s\n", j.text, j.advice);
}

/* What stands below the sizes: paragraphs, a line each. Freed by the caller; NULL: out of memory.
 */
static char *words_of(const struct page *p)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	say_cpu(f, p);
	say_verdict(f, p);
	return fclose(f) ? NULL : text;
}

/* Lines that it takes; with p they are put. */
static unsigned int wrap(struct page *p, const char *text, unsigned int columns)
{
	unsigned int lines = 0;
	const char *line;
	size_t len;

	for (; (len = wrap__next(&text, columns, &line)); lines++)
		if (p)
			put(p, "%.*s", (int)len, line);
	return lines;
}

static int room_for_sizes(const struct page *p, const char *words)
{
	int room = (int)p->rows - (int)p->used - (int)wrap(NULL, words, p->columns) - SIZES_BESIDE;

	return room < SIZES_MIN ? SIZES_MIN : room;
}

void detail_view__draw(FILE *f, const struct findings *r, const struct view_item *item,
		       unsigned int rows, unsigned int columns)
{
	struct page p = {.f = f, .r = r, .item = item, .rows = rows, .columns = columns};
	char *words = words_of(&p);
	const char *below = words ? words : "";

	put_head(&p);
	put_ledger(&p);
	put_calls(&p);
	put_sizes(&p, room_for_sizes(&p, below));
	wrap(&p, below, columns);
	free(words);
}
