/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The histograms of the live screen: one column per mode, all on one axis and one scale, so that
 * modes compare at a glance. Bars are shares of the column's own events: modes that ran for
 * different times compare too. Pure layout on a grid.
 */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "live_hist.h"
#include "live_layout.h"

#define AXIS_COLS      7
#define GAP_COLS       2
#define PERCENT_COLS   6
#define COUNT_COLS     10
#define COUNT_MIN_COLS 40 /* columns this wide have room for counts beside the shares */
#define ITEM_COLS      13 /* "p99.9 1.01ms" and a space */
#define PERCENTILES_NR 6

/* The data of a quantity in a run: sizes or times of a stage, or a latency. */
struct quantity {
	bool is_stage;
	int index;
};

static const struct quantity quantities[LIVE_QUANTITY_NR] = {
/* clang-format off */
#define QUANTITY_HIST(id)    [LIVE_##id] = {true, NIO_STAGE_##id},
#define QUANTITY_NO_HIST(id)
#define X(id, key, head, side, copies, account, done, probe, hist, help) QUANTITY_##hist(id)
	NIO_STAGES(X)
#undef X
#define X(id, ...) [LIVE_##id] = {false, LATENCY_##id},
	LATENCIES(X)
#undef X
	/* clang-format on */
};

/* One mode's histogram, or why there is none. */
struct column {
	const struct live_mode *mode;
	const struct hist *h; /* NULL: see text */
	const char *event;
	bool sampled; /* these are not all of them */
	double mean;
	char text[256];
	uint64_t counts[HIST_AXIS_ROWS_MAX];
};

struct columns {
	struct sweep_grid *g;
	const struct quantity *q;
	struct hist_axis axis;
	struct column col[MODE_NR];
	int nr, width;
	double max_share;
	bool one_event; /* all modes count the same kind of event */
	bool sizes;     /* shows bytes, else ns */
	bool utf8;
};

static void column__no_hist(struct column *c, const char *reason)
{
	snprintf(c->text, sizeof(c->text), "n/a: %s",
		 reason && *reason ? reason : "the reason was not recorded");
}

static void column__take_times(struct column *c, const struct stage_result *s)
{
	if (!s->times) {
		column__no_hist(c,
				s->ns.known ? "only the sum of the times is kept" : s->ns.reason);
		return;
	}
	c->h = s->times;
	c->mean = s->timed.value ? (double)s->ns.value / (double)s->timed.value
				 : hist__mean(s->times);
}

static void column__take_stage(struct column *c, enum nio_stage stage, bool times)
{
	const struct stage_result *s = &c->mode->total.stages[stage];
	const char *reason = NULL;

	c->event = s->event;
	if (!figures__stage_known(&c->mode->total, stage, &reason)) {
		column__no_hist(c, reason);
		return;
	}
	if (times) {
		column__take_times(c, s);
		return;
	}
	if (!s->sizes) {
		column__no_hist(c, s->reason ? s->reason : "sizes are not recorded here");
		return;
	}
	c->h = s->sizes;
	c->sampled = run_result__sampled_events(&c->mode->total, stage);
	c->mean = s->events && !c->sampled ? (double)s->bytes / (double)s->events
					   : hist__mean(s->sizes);
}

static void column__take_latency(struct column *c, enum latency_kind kind)
{
	const struct latency_result *l = &c->mode->total.app.latency[kind];

	if (!l->hist) {
		column__no_hist(c, l->reason);
		return;
	}
	c->h = l->hist;
	c->mean = hist__mean(l->hist);
}

/* The text of an empty column: the mode lacks the stage, or another column has it. */
static void column__no_events(struct column *c, const struct quantity *q)
{
	const struct run_result *run = &c->mode->total;
	bool pins = mode__has(c->mode->mode, MODE_PINS);
	const char *text = "no events so far";

	if (q->is_stage && q->index == NIO_STAGE_TX_COPY && pins &&
	    run->stages[NIO_STAGE_TX_PIN].bytes)
		text = "no copy at the send: its pages are pinned, see pin";
	else if (q->is_stage && q->index == NIO_STAGE_TX_PIN && !pins)
		text = "this mode copies at the send, see send";
	else if (q->is_stage && q->index == NIO_STAGE_DEFERRED_COPY && !pins)
		text = "nothing is pinned in this mode, so nothing is left to copy";
	snprintf(c->text, sizeof(c->text), "%s", text);
}

static void column__init(struct column *c, const struct live_mode *mode, const struct quantity *q,
			 bool times)
{
	memset(c, 0, sizeof(*c));
	c->mode = mode;
	if (!mode->seen)
		snprintf(c->text, sizeof(c->text), "not run yet");
	else if (q->is_stage)
		column__take_stage(c, q->index, times);
	else
		column__take_latency(c, q->index);
	if (c->h && !c->h->count) {
		column__no_events(c, q);
		c->h = NULL;
	}
}

/* The event all columns count, or NULL where they differ or none is known. */
static const char *common_event(struct columns *cs)
{
	const char *event = NULL;
	int i;

	cs->one_event = true;
	for (i = 0; i < cs->nr; i++) {
		if (!cs->col[i].event)
			continue;
		if (event && strcmp(event, cs->col[i].event))
			cs->one_event = false;
		event = cs->col[i].event;
	}
	return cs->one_event ? event : NULL;
}

static void draw_quantity(struct columns *cs, int row, enum live_quantity q)
{
	const char *note = cs->sizes ? "sizes: 12.5 % buckets, lower bounds" : "12.5 % buckets";
	const char *event = common_event(cs);
	char line[160];
	int len;

	if (!cs->q->is_stage)
		snprintf(line, sizeof(line), "< %d/%d >  %s: %s", (int)q + 1, LIVE_QUANTITY_NR,
			 latency__heading(cs->q->index), latency__help(cs->q->index));
	else
		snprintf(line, sizeof(line), "< %d/%d >  %s: %s per %s", (int)q + 1,
			 LIVE_QUANTITY_NR, stage__heading(cs->q->index),
			 cs->sizes ? "bytes" : "time", event ? event : "event");
	len = (int)strlen(line);
	sweep_grid__put(cs->g, row, 0, cs->g->cols, GRID_BOLD, line);
	if (cs->q->is_stage && len + 3 + (int)strlen(note) <= cs->g->cols)
		sweep_grid__put_right(cs->g, row, len, cs->g->cols - len, GRID_DIM, note);
}

/* Counts stay readable in a narrow column: from a million on, in millions. */
static void format_events(char *buf, size_t len, uint64_t n)
{
	if (n < 1000000)
		format_count(buf, len, n);
	else
		snprintf(buf, len, "%.1f M", (double)n / 1e6);
}

static void draw_column_heading(struct columns *cs, const struct column *c, int row, int col)
{
	unsigned int attr = live_layout__attr(c->mode->mode);
	const char *name = mode__words(c->mode->mode);
	int after = (int)strlen(name) + 2;
	char count[UNITS_BUF];

	sweep_grid__put(cs->g, row, col, cs->width, attr | GRID_BOLD, name);
	if (!c->h)
		return;
	format_events(count, sizeof(count), c->h->count);
	sweep_grid__printf(cs->g, row, col + after, cs->width - after, attr, "%s %s%s%s", count,
			   cs->one_event ? "" : "x ", cs->one_event ? "events" : c->event,
			   c->sampled ? ", sampled" : "");
}

static void draw_row(struct columns *cs, const struct column *c, unsigned int i, int row, int col)
{
	unsigned int attr = live_layout__attr(c->mode->mode);
	double share = (double)c->counts[i] / (double)c->h->count;
	int counts = cs->width >= COUNT_MIN_COLS ? COUNT_COLS : 0;
	int bar = cs->width - PERCENT_COLS - 1 - counts;
	char text[UNITS_BUF];

	if (!c->counts[i])
		return;
	sweep_grid__bar(cs->g, row, col, bar, attr, share / cs->max_share, cs->utf8);
	format_share(text, sizeof(text), share);
	sweep_grid__put_right(cs->g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (!counts)
		return;
	format_events(text, sizeof(text), c->counts[i]);
	sweep_grid__put_right(cs->g, row, col + cs->width - counts, counts, attr, text);
}

/* Size percentiles are given by the bucket's lower bound, where round sizes lie; one size as is. */
static void format_quantile(const struct columns *cs, const struct column *c, double q, char *buf,
			    size_t len)
{
	uint64_t v = q < 1 ? hist__quantile(c->h, q) : c->h->max;

	if (cs->sizes && c->h->min != c->h->max)
		v = hist__bucket_low(c->h, hist_bucket(v, c->h->sub_bits, c->h->n_buckets));
	hist_axis__value(cs->axis.kind, (double)v, buf, len);
}

static int percentiles_per_line(int width)
{
	return width >= ITEM_COLS * PERCENTILES_NR ? PERCENTILES_NR : width >= 36 ? 3 : 2;
}

/* Where item i of a line begins. "p99.9 1.01ms", first of three, must not touch the next. */
static int item_at(int i, int width, int per_line)
{
	int first = width / per_line;

	if (per_line == 3 && first < ITEM_COLS)
		first = ITEM_COLS;
	return i ? first + (i - 1) * (width - first) / (per_line - 1) : 0;
}

static void draw_percentiles(struct columns *cs, const struct column *c, int row, int col)
{
	static const struct {
		const char *label;
		double q; /* negative: the mean */
	} items[PERCENTILES_NR] = {
		{"p50", 0.5},     {"p90", 0.9}, {"p99", 0.99},
		{"p99.9", 0.999}, {"max", 1},   {"mean", -1},
	};
	int per_line = percentiles_per_line(cs->width), i, x;
	unsigned int attr = live_layout__attr(c->mode->mode);
	char value[UNITS_BUF];

	for (i = 0; i < PERCENTILES_NR; i++) {
		x = col + item_at(i % per_line, cs->width, per_line);
		if (items[i].q < 0)
			hist_axis__value(cs->axis.kind, c->mean, value, sizeof(value));
		else
			format_quantile(cs, c, items[i].q, value, sizeof(value));
		sweep_grid__put(cs->g, row + i / per_line, x, 5, GRID_DIM, items[i].label);
		x += (int)strlen(items[i].label) + 1;
		sweep_grid__put(cs->g, row + i / per_line, x, col + cs->width - x, attr, value);
	}
}

static void columns__fit(struct columns *cs, unsigned int rows)
{
	const struct hist *h[MODE_NR];
	double share;
	unsigned int r;
	int i;

	for (i = 0; i < cs->nr; i++)
		h[i] = cs->col[i].h;
	hist_axis__fit(&cs->axis, cs->sizes ? HIST_AXIS_SIZE : HIST_AXIS_TIME, h, (size_t)cs->nr,
		       rows);
	for (i = 0; i < cs->nr; i++) {
		if (!h[i])
			continue;
		hist_axis__count(&cs->axis, h[i], cs->col[i].counts);
		for (r = 0; r < cs->axis.rows; r++) {
			share = (double)cs->col[i].counts[r] / (double)h[i]->count;
			if (share > cs->max_share)
				cs->max_share = share;
		}
	}
}

static void columns__init(struct columns *cs, struct sweep_grid *g, const struct live_frame *f,
			  enum live_quantity q, bool times, bool utf8)
{
	int i;

	memset(cs, 0, sizeof(*cs));
	cs->g = g;
	cs->utf8 = utf8;
	cs->q = &quantities[q];
	cs->sizes = cs->q->is_stage && !times;
	cs->nr = (int)f->modes_nr;
	if (cs->nr)
		cs->width = (g->cols - AXIS_COLS + GAP_COLS) / cs->nr - GAP_COLS;
	for (i = 0; i < cs->nr; i++)
		column__init(&cs->col[i], &f->modes[i], cs->q, times);
}

void live_columns__draw(struct sweep_grid *g, int row, int last, const struct live_frame *f,
			enum live_quantity q, bool times, bool utf8)
{
	int i, col, first_bar, percentiles;
	struct columns cs;
	char label[UNITS_BUF];
	unsigned int r;

	columns__init(&cs, g, f, q, times, utf8);
	draw_quantity(&cs, row++, q);
	if (!cs.nr)
		return;
	first_bar = row + 1;
	percentiles = last + 1 - PERCENTILES_NR / percentiles_per_line(cs.width);
	columns__fit(&cs, (unsigned int)(percentiles - first_bar));
	for (r = 0; r < cs.axis.rows; r++)
		sweep_grid__put_right(g, first_bar + (int)r, 0, AXIS_COLS - 1, GRID_PLAIN,
				      hist_axis__label(&cs.axis, r, label, sizeof(label)));
	for (i = 0; i < cs.nr; i++) {
		col = AXIS_COLS + i * (cs.width + GAP_COLS);
		draw_column_heading(&cs, &cs.col[i], row, col);
		if (!cs.col[i].h) {
			sweep_grid__text(g, first_bar, last, col, cs.width,
					 live_layout__attr(cs.col[i].mode->mode), cs.col[i].text);
			continue;
		}
		for (r = 0; r < cs.axis.rows; r++)
			draw_row(&cs, &cs.col[i], r, first_bar + (int)r, col);
		draw_percentiles(&cs, &cs.col[i], percentiles, col);
	}
}
