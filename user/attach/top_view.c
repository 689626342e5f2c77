/* SPDX-License-Identifier: GPL-2.0-only */
/* The live view of attach; see top_view.h. Pure. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "screen/curses_screen.h"
#include "top_view.h"

/* Rows that a filter looks at: names of all of a million connections take too long. */
#define ROWS_LOOKED_AT 32768
#define ROWS_JUDGED    3 /* rows that the verdict names */

void top_view__clear(struct top_view *v)
{
	free(v->now.list);
	free(v->before.list);
	memset(v, 0, sizeof(*v));
}

/* The i-th row; false: there is none. */
static bool item_at(const struct attach_result *r, size_t i, struct view_item *item)
{
	memset(item, 0, sizeof(*item));
	if (!attach_row__at(&item->row, r, r->o->by, i))
		return false;
	attach_row__name(item->name, r, &item->row, true);
	if (item->row.process) {
		item->cpu = item->row.process->cpu;
		attach_result__owner(item->owner, item->row.process->comm, item->row.process->tgid);
	}
	if (item->row.socket) {
		item->socket = *item->row.socket;
		attach_result__owner(item->owner, item->socket.comm, item->socket.tgid);
	}
	return true;
}

static void read_values(struct top_row *row, const struct attach_result *r)
{
	const struct socket_ledger *ledger = &row->item.row.ledger;

	for (int v = 0; v < VALUE_NR; v++) {
		row->value[v] = row_value__of((enum row_value)v, ledger);
		row->amount[v] = row_value__amount((enum row_value)v, r, ledger);
	}
	copies_per_byte__text(row->copies, r, ledger);
	for (int sort = 0; sort < SORT_NR; sort++)
		row->value[TOP_SORT + sort] = sort__value((enum sort)sort, ledger);
}

/* The row of totals has an id that no other has. */
#define TOTAL_ID UINT64_MAX

/*
 * The values of a row at the refresh before; zeroes for a row that is new since; NULL: it was
 * there, and its values are not known.
 */
static const uint64_t *before_of(const struct top_view *v, const struct view_item *item)
{
	static const uint64_t nothing[TOP_VALUES_NR];

	if (item->row.id == TOTAL_ID && v->before.total.item.row.id)
		return v->before.total.value;
	for (size_t i = 0; item->row.id && i < v->before.nr; i++)
		if (v->before.list[i].item.row.id == item->row.id)
			return v->before.list[i].value;
	return item->row.ledger.first_ns >= v->since_ns ? nothing : NULL;
}

static void compute_rates(struct top_row *row, const uint64_t *was, double seconds)
{
	row->rates_known = was && seconds > 0;
	for (int i = 0; i < TOP_VALUES_NR && row->rates_known; i++)
		row->rate[i] =
			row->value[i] > was[i] ? (double)(row->value[i] - was[i]) / seconds : 0;
}

/* The rows at the last refresh are what rates are against until the next. */
static void note_refresh(struct top_view *v, const struct attach_result *r)
{
	struct top_rows last = v->now;

	if (v->at_ns == r->ended_ns)
		return;
	v->now = v->before;
	v->before = last;
	v->since_ns = v->at_ns;
	v->at_ns = r->ended_ns;
}

static void compute_total(struct top_view *v, const struct attach_result *r, double seconds)
{
	struct top_row *total = &v->now.total;

	memset(total, 0, sizeof(*total));
	total->item.row = attach_row__total(r);
	total->item.row.id = TOTAL_ID;
	read_values(total, r);
	compute_rates(total, before_of(v, &total->item), seconds);
}

static void compute_rows(struct top_view *v, const struct attach_result *r)
{
	bool filtered = v->filter[0];
	struct top_rows *rows = &v->now;
	double seconds;
	size_t all;

	note_refresh(v, r);
	seconds = (double)(r->ended_ns - (v->since_ns ? v->since_ns : r->begun_ns)) / 1e9;
	if (!rows->list)
		rows->list = xcalloc(TOP_ROWS_MAX, sizeof(*rows->list));
	rows->nr = v->more = 0;
	v->elapsed_ns = r->ended_ns - r->begun_ns;
	for (size_t i = 0; i < (filtered ? ROWS_LOOKED_AT : TOP_ROWS_MAX); i++) {
		struct top_row row = {.rates_known = false};

		if (!item_at(r, i, &row.item))
			break;
		if (!table_view__matches(v, row.item.name))
			continue;
		if (rows->nr == TOP_ROWS_MAX) {
			v->more++;
			continue;
		}
		read_values(&row, r);
		compute_rates(&row, before_of(v, &row.item), seconds);
		rows->list[rows->nr++] = row;
	}
	all = attach_result__rows(r, r->o->by);
	if (!filtered && all > rows->nr)
		v->more = all - rows->nr;
	compute_total(v, r, seconds);
	if (!v->opened)
		return;
	for (size_t i = 0; i < rows->nr; i++)
		if (rows->list[i].item.row.id == v->item.row.id)
			v->item = rows->list[i].item;
}

static double sort_rate(const struct top_row *row, enum sort sort)
{
	return row->rates_known ? row->rate[TOP_SORT + sort] : 0;
}

/* By the rates shown; equal rates keep the order of the refresh. */
static void sort_rows(struct top_rows *rows, enum sort sort)
{
	for (size_t i = 1; i < rows->nr; i++) {
		struct top_row row = rows->list[i];
		size_t k = i;

		for (; k && sort_rate(&rows->list[k - 1], sort) < sort_rate(&row, sort); k--)
			;
		if (k == i)
			continue;
		memmove(&rows->list[k + 1], &rows->list[k], (i - k) * sizeof(row));
		rows->list[k] = row;
	}
}

/* A refresh may find out how bytes of earlier intervals were sent. Then more than is sent now is in
 * these columns. */
static bool is_rate_known(const struct top_row *row, int v)
{
	double ways = 0;

	for (int way = VALUE_COPIED; way <= VALUE_SPLICED; way++)
		ways += row->rate[way];
	return row->rates_known && (v < VALUE_COPIED || v > VALUE_SPLICED ||
				    ways <= row->rate[VALUE_SENT] * (1 + 1e-9));
}

/* An estimate, or a minimum, is never a measured zero. */
static void write_rate(char cell[TABLE_CELL_LEN], const struct top_row *row, enum row_value v)
{
	const struct amount *a = &row->amount[v];
	bool moves = row->rate[VALUE_SENT] > 0 || row->rate[VALUE_RECEIVED] > 0;
	char text[UNITS_BUF];

	if (!is_rate_known(row, v) || a->doubt & (DOUBT_UNKNOWN | DOUBT_WIDE))
		strcpy(cell, "n/a");
	else if (row->rate[v] <= 0 && !(a->doubt && moves && row->value[v]))
		strcpy(cell, "-");
	else
		snprintf(cell, TABLE_CELL_LEN, "%s%s",
			 a->doubt & DOUBT_ESTIMATE ? "~" : amount__mark(a),
			 a->doubt & DOUBT_ESTIMATE
				 ? format_bytes_si(text, sizeof(text), row->rate[v])
				 : amount__format(text, a, row->rate[v]));
}

void top_row__cell(char cell[TABLE_CELL_LEN], const struct top_row *row, int column)
{
	const struct socket_ledger *ledger = &row->item.row.ledger;
	struct real copied = socket_ledger__copied_fraction(ledger);

	if (column < VALUE_NR)
		write_rate(cell, row, (enum row_value)column);
	else if (column == COLUMN_COPIES)
		snprintf(cell, TABLE_CELL_LEN, "%.15s", row->copies);
	else if (copied.known)
		snprintf(cell, TABLE_CELL_LEN, "%.0f %%", copied.value * 100);
	else
		strcpy(cell,
		       socket_ledger__pins(ledger) || socket_ledger__zerocopy_sends(ledger).value
			       ? "n/a"
			       : "-");
}

/* Sums since the start decide which columns are empty, so that columns do not come and go. */
static void choose_columns(struct text_column columns[COLUMN_NR], const struct top_view *v,
			   enum sort sort)
{
	memcpy(columns, attach_columns, sizeof(attach_columns));
	for (int i = 0; i < COLUMN_NR; i++)
		columns[i].content = TEXT_FIGURES;
	for (int i = 0; i < VALUE_NR; i++)
		if (!v->now.total.value[i] && amount__is_known(&v->now.total.amount[i]))
			columns[i].content = TEXT_ZERO;
	if (!socket_ledger__zerocopy_sends(&v->now.total.item.row.ledger).value)
		columns[COLUMN_ZEROCOPY].content = TEXT_ZERO;
	columns[VALUE_COPIED].sorted = sort == SORT_COPIED;
	columns[VALUE_SENT].sorted = sort == SORT_SENT || sort == SORT_BYTES;
	columns[VALUE_RECEIVED].sorted = sort == SORT_RECEIVED || sort == SORT_BYTES;
	columns[COLUMN_ZEROCOPY].sorted = sort == SORT_ZEROCOPY;
}

/* How the selected row sends, then the others, then what the selected one could do for less. */
static char *verdict_of(const struct top_view *v, const struct attach_result *r)
{
	const struct top_row *rows = v->now.list, *selected = v->now.nr ? rows : NULL;
	struct attach_verdict verdict;
	size_t len, said = 0;
	char *text;
	FILE *f = xopen_memstream(&text, &len);

	for (size_t i = 0; i < v->now.nr; i++)
		if (rows[i].item.row.id == v->selected)
			selected = &rows[i];
	for (size_t i = 0; selected && i <= v->now.nr && said < ROWS_JUDGED; i++) {
		const struct top_row *row = i ? &rows[i - 1] : selected;

		if (i && (row == selected || !socket_ledger__bytes(&row->item.row.ledger)))
			continue;
		fprintf(f, "%s ", row->item.name);
		attach_result__print_ways(f, r, &row->item.row.ledger);
		fputs(". ", f);
		said++;
	}
	if (selected) {
		view_item__verdict(&verdict, r, &selected->item);
		if (verdict.text[0] || verdict.advice[0])
			fprintf(f, "%s: %s%s%s", selected->item.name, verdict.advice,
				verdict.advice[0] ? " " : "", verdict.text);
	}
	xclose_memstream(f);
	return text;
}

/* What is no rate. */
#define SUMS "copies/B, zc cop., text"

/* What the numbers are of, and what must be 0 or known. */
static void write_status(char *buf, size_t len, const struct top_view *v,
			 const struct attach_result *r)
{
	const struct socket_ledger *ledger = &v->now.total.item.row.ledger;
	struct real tx = socket_ledger__unaccounted(ledger, NIO_SIDE_SENDER);
	struct real rx = socket_ledger__unaccounted(ledger, NIO_SIDE_RECEIVER);
	char gap[40] = "n/a", missed[40] = "missed n/a";

	if (tx.known && rx.known)
		snprintf(gap, sizeof(gap), "%.0f B", tx.value ? tx.value : rx.value);
	if (r->missed.known)
		snprintf(missed, sizeof(missed), "%" PRIu64 " missed", r->missed.value);
	snprintf(buf, len, "per second; " SUMS " since the start   unaccounted %s   %s", gap,
		 missed);
}

static void draw_table(struct grid *g, struct top_view *v, const struct attach_result *r, bool utf8)
{
	struct text_column columns[COLUMN_NR];
	char title[128], status[160], *verdict;

	sort_rows(&v->now, r->o->sort);
	choose_columns(columns, v, r->o->sort);
	snprintf(title, sizeof(title),
		 "attach   %.0f s   by %s, sorted by %s   %zu open, %" PRIu64 " in all",
		 (double)v->elapsed_ns / 1e9, by__name(r->o->by), sort__name(r->o->sort),
		 r->table.open_nr, v->now.total.item.row.ledger.connections);
	write_status(status, sizeof(status), v, r);
	verdict = verdict_of(v, r);
	table_view__draw(g, v,
			 &(struct table_frame){title, status, by__name(r->o->by), columns, verdict},
			 utf8);
	free(verdict);
}

void top_view__draw(struct grid *g, struct top_view *v, const struct attach_result *r, bool utf8)
{
	if (!v->help.shown && grid__too_small(g, TABLE_MIN_COLS, TABLE_MIN_ROWS))
		return;
	if (!v->paused)
		compute_rows(v, r);
	if (!v->opened || v->help.shown) {
		draw_table(g, v, r, utf8);
		return;
	}
	detail_view__draw(g, r, &v->item, utf8);
	grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, "q quit  Enter back  p pause  ? help");
	if (v->paused)
		grid__put_right(g, g->rows - 1, 0, g->cols, GRID_BOLD | GRID_REVERSE, " PAUSED ");
}

/* Opens the selected row, or closes the one that is open. */
static void toggle(struct top_view *v)
{
	v->opened = !v->opened && v->now.nr;
	for (size_t i = 0; i < v->now.nr && v->opened; i++)
		if (!i || v->now.list[i].item.row.id == v->selected)
			v->item = v->now.list[i].item;
}

/* The ids of other rows are of another kind. */
static void turn_by(struct top_view *v, struct attach_options *o)
{
	o->by = (enum by)((o->by + 1) % BY_NR);
	v->now.nr = v->before.nr = v->before.total.item.row.id = 0;
	v->opened = v->paused = false;
	v->selected = v->at = v->first = 0;
}

/* A key that is typed into the filter. */
static void type(struct top_view *v, int key)
{
	size_t len = strlen(v->filter);

	if (key == '\n') {
		v->typing = false;
	} else if (key == SCREEN_KEY_ESCAPE) {
		v->typing = false;
		v->filter[0] = '\0';
	} else if (key == SCREEN_KEY_BACKSPACE && len) {
		v->filter[len - 1] = '\0';
	} else if (key >= 0x20 && key < 0x7f && len < TABLE_FILTER_MAX) {
		v->filter[len] = (char)key;
		v->filter[len + 1] = '\0';
	}
}

static bool move_by_key(struct top_view *v, int key)
{
	int at = (int)(v->move ? v->move - 1 : v->at);
	bool moves = scroll__key(&at, key, (int)v->page, (int)v->shown_nr - 1);

	v->move = moves ? (size_t)at + 1 : v->move;
	return moves;
}

/* true: q, or r: it is over. */
static bool act(struct top_view *v, struct attach_options *o, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return true;
	case '\n':
		toggle(v);
		break;
	case 'p':
	case ' ':
		v->paused = !v->paused;
		break;
	case '/':
		v->typing = true;
		break;
	case '?':
		v->help.shown = true;
		break;
	case SCREEN_KEY_ESCAPE:
		v->filter[0] = '\0';
		break;
	case 's':
		o->sort = (enum sort)((o->sort + 1) % SORT_NR);
		break;
	case 'b':
		turn_by(v, o);
		break;
	case 'r':
		v->restarts = true;
		return true;
	default:
		break;
	}
	return false;
}

bool top_view__key(struct top_view *v, struct attach_options *o, int key)
{
	bool over = false;

	if (v->help.shown)
		help_page__key(&v->help, key);
	else if (v->typing)
		type(v, key);
	else if (!move_by_key(v, key))
		over = act(v, o, key);
	if (key == SCREEN_KEY_ESCAPE)
		v->opened = false;
	return over;
}
