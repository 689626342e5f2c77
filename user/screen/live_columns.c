/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lower part of the live screen, a column per mode. Histograms share one axis and one scale;
 * bars are shares of the column's own events, so that modes that ran for different times compare.
 * Of the parts of a send call and of CPU time by class, the largest shares have a row each, the
 * others are together in the last. Pure layout on a grid.
 */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "live_hist.h"
#include "live_layout.h"
#include "model/cpu_figures.h"
#include "model/figures.h"
#include "model/time_figures.h"

#define AXIS_COLS      7
#define GAP_COLS       2
#define PERCENT_COLS   6
#define COUNT_COLS     10
#define COUNT_MIN_COLS 40 /* columns this wide have room for counts beside the shares */
#define ITEM_COLS      13 /* "p99.9 1.01ms", apart */
#define PERCENTILES_NR 6

/* What of a run a quantity shows: a stage's sizes or times, or a latency. */
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
	struct grid *g;
	const struct quantity *q;
	struct hist_axis axis;
	struct column col[MODE_NR];
	int nr, width;
	double max_share;
	bool one_event; /* all modes count the same kind of event */
	bool sizes;     /* bytes are shown, else ns */
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

/* What a mode does not do, or does in another column, is said: an empty one looks like a fault. */
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
	grid__put(cs->g, row, 0, cs->g->cols, GRID_BOLD, line);
	if (cs->q->is_stage && len + 3 + (int)strlen(note) <= cs->g->cols)
		grid__put_right(cs->g, row, len, cs->g->cols - len, GRID_DIM, note);
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

	grid__put(cs->g, row, col, cs->width, attr | GRID_BOLD, name);
	if (!c->h)
		return;
	format_events(count, sizeof(count), c->h->count);
	grid__printf(cs->g, row, col + after, cs->width - after, attr, "%s %s%s%s", count,
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
	grid__bar(cs->g, row, col, bar, attr, share / cs->max_share, cs->utf8);
	format_share(text, sizeof(text), share);
	grid__put_right(cs->g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (!counts)
		return;
	format_events(text, sizeof(text), c->counts[i]);
	grid__put_right(cs->g, row, col + cs->width - counts, counts, attr, text);
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
		grid__put(cs->g, row + i / per_line, x, 5, GRID_DIM, items[i].label);
		x += (int)strlen(items[i].label) + 1;
		grid__put(cs->g, row + i / per_line, x, col + cs->width - x, attr, value);
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

static void columns__init(struct columns *cs, struct grid *g, const struct live_frame *f,
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

void live_columns__draw(struct grid *g, int row, int last, const struct live_frame *f,
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
		grid__put_right(g, first_bar + (int)r, 0, AXIS_COLS - 1, GRID_PLAIN,
				hist_axis__label(&cs.axis, r, label, sizeof(label)));
	for (i = 0; i < cs.nr; i++) {
		col = AXIS_COLS + i * (cs.width + GAP_COLS);
		draw_column_heading(&cs, &cs.col[i], row, col);
		if (!cs.col[i].h) {
			grid__text(g, first_bar, last, col, cs.width,
				   live_layout__attr(cs.col[i].mode->mode), cs.col[i].text);
			continue;
		}
		for (r = 0; r < cs.axis.rows; r++)
			draw_row(&cs, &cs.col[i], r, first_bar + (int)r, col);
		draw_percentiles(&cs, &cs.col[i], percentiles, col);
	}
}

#define LABEL_COLS     15
#define VALUE_COLS     8
#define VALUE_MIN_COLS 28 /* columns this wide have room for values beside the shares */
#define VALUE_LEN      32

/* The parts of a send call, and behind them the time outside of tcp_sendmsg. */
#define PARTS_NR (PATH_NR - 1)
#define ROWS_MAX (CPU_CLASS_NR > PARTS_NR + 1 ? (int)CPU_CLASS_NR : PARTS_NR + 1)

struct share_column {
	const struct live_mode *mode;
	bool known; /* else text says why there is nothing */
	char head[48];
	char text[256];
	double share[ROWS_MAX];
	struct real value[ROWS_MAX]; /* known: what the share is in units */
};

struct shares {
	struct grid *g;
	bool utf8;
	struct share_column columns[MODE_NR];
	size_t nr;
	int width;
	int rows; /* that there are */
	bool shown[ROWS_MAX];
	bool rest;        /* a last row stands for those that are not shown */
	const char *unit; /* heading of the values; "": they bring their own */
	const char *(*label)(int row);
	char *(*format)(char *buf, size_t len, struct real v);
};

static void shares__init(struct shares *s, struct grid *g, const struct live_frame *f, bool utf8)
{
	memset(s, 0, sizeof(*s));
	s->g = g;
	s->utf8 = utf8;
	s->nr = f->modes_nr;
	if (s->nr)
		s->width = (g->cols - LABEL_COLS + GAP_COLS) / (int)s->nr - GAP_COLS;
	for (size_t i = 0; i < s->nr; i++) {
		s->columns[i].mode = &f->modes[i];
		if (!f->modes[i].seen)
			snprintf(s->columns[i].text, sizeof(s->columns[i].text), "not run yet");
	}
}

static double largest_share(const struct shares *s, int row)
{
	double most = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (s->columns[i].known && s->columns[i].share[row] > most)
			most = s->columns[i].share[row];
	return most;
}

/* Does a row say anything: a share, or that it is not known? */
static bool occurs(const struct shares *s, int row)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->columns[i].known &&
		    (s->columns[i].share[row] > 0 || !s->columns[i].value[row].known))
			return true;
	return false;
}

static void shares__choose(struct shares *s, int room)
{
	int occurring = 0;

	for (int row = 0; row < s->rows; row++)
		occurring += occurs(s, row);
	s->rest = occurring > room;
	for (int k = 0; k < room - s->rest && k < occurring; k++) {
		int best = -1;

		for (int row = 0; row < s->rows; row++)
			if (!s->shown[row] && occurs(s, row) &&
			    (best < 0 || largest_share(s, row) > largest_share(s, best)))
				best = row;
		s->shown[best] = true;
	}
}

/* The share of a row; row == s->rows: of all that have none. */
static double share_of(const struct shares *s, const struct share_column *c, int row,
		       struct real *value)
{
	double share = 0;

	if (row < s->rows) {
		*value = c->value[row];
		return c->share[row];
	}
	*value = (struct real){.known = true};
	for (int i = 0; i < s->rows; i++) {
		if (s->shown[i])
			continue;
		share += c->share[i];
		value->value += c->value[i].known ? c->value[i].value : 0;
	}
	return share;
}

static double longest(const struct shares *s)
{
	struct real value;
	double max = 0, share;

	for (size_t i = 0; i < s->nr; i++)
		for (int row = 0; row <= s->rows; row++) {
			if (!s->columns[i].known || !(row < s->rows ? s->shown[row] : s->rest))
				continue;
			share = share_of(s, &s->columns[i], row, &value);
			max = share > max ? share : max;
		}
	return max > 0 ? max : 1;
}

static void draw_share(const struct shares *s, const struct share_column *c, int i, int row,
		       int col)
{
	unsigned int attr = live_layout__attr(c->mode->mode);
	int values = s->width >= VALUE_MIN_COLS ? VALUE_COLS : 0;
	int bar = s->width - PERCENT_COLS - 1 - values;
	struct real value;
	double share = share_of(s, c, i, &value);
	char text[VALUE_LEN] = "-";

	if (share > 0) {
		grid__bar(s->g, row, col, bar, attr, share / longest(s), s->utf8);
		format_share(text, sizeof(text), share);
	} else if (!value.known) {
		snprintf(text, sizeof(text), "n/a");
	}
	grid__put_right(s->g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (values && share > 0)
		grid__put_right(s->g, row, col + s->width - values, values, attr,
				s->format(text, sizeof(text), value));
}

static void draw_share_column(const struct shares *s, const struct share_column *c, int row,
			      int last, int col)
{
	unsigned int attr = live_layout__attr(c->mode->mode);
	const char *name = mode__words(c->mode->mode);
	int after = (int)strlen(name) + 1;

	grid__put(s->g, row, col, s->width, attr | GRID_BOLD, name);
	if (!c->known) {
		grid__text(s->g, row + 1, last, col, s->width, attr, c->text);
		return;
	}
	grid__put(s->g, row, col + after, s->width - after, attr, c->head);
	if (s->width >= VALUE_MIN_COLS)
		grid__put_right(s->g, row, col + s->width - VALUE_COLS, VALUE_COLS, attr, s->unit);
	for (int i = 0; i <= s->rows; i++)
		if (i < s->rows ? s->shown[i] : s->rest)
			draw_share(s, c, i, ++row, col);
}

/* Heads on row, then the shares; returns the first row below. */
static int shares__draw(struct shares *s, int row, int last)
{
	int at = row;

	shares__choose(s, last - row);
	for (size_t i = 0; i < s->nr; i++)
		draw_share_column(s, &s->columns[i], row, last,
				  LABEL_COLS + (int)i * (s->width + GAP_COLS));
	for (int i = 0; i <= s->rows; i++)
		if (i < s->rows ? s->shown[i] : s->rest)
			grid__put(s->g, ++at, 0, LABEL_COLS - 1, GRID_PLAIN,
				  i < s->rows ? s->label(i) : "all others");
	return at + 1;
}

static void draw_title(struct grid *g, int row, enum live_quantity q, const char *title)
{
	grid__printf(g, row, 0, g->cols, GRID_BOLD, "< %d/%d >  %s", (int)q + 1, LIVE_QUANTITY_NR,
		     title);
}

static const char *label_of_part(int row)
{
	return row < PARTS_NR ? path_part__heading((enum path_part)(row + 1)) : "outside";
}

static char *format_time(char *buf, size_t len, struct real v)
{
	return hist_axis__value(HIST_AXIS_TIME, v.value, buf, len);
}

/* Shares are of the whole call where the load generator timed it, else of the known parts. */
static void take_parts(struct share_column *c)
{
	const struct run_result *run = &c->mode->total;
	struct real total = time_figures__part(run, PATH_SEND_TOTAL);
	const char *reason = NULL;
	char value[VALUE_LEN];
	double whole, sum = 0;

	for (int i = 0; i <= PARTS_NR; i++) {
		c->value[i] = i < PARTS_NR ? time_figures__part(run, (enum path_part)(i + 1))
					   : time_figures__outside(run);
		if (i < PARTS_NR && c->value[i].known)
			sum += c->value[i].value;
		else if (!reason)
			reason = c->value[i].reason;
	}
	c->known = sum > 0;
	whole = total.known && total.value > sum ? total.value : sum;
	for (int i = 0; i <= PARTS_NR && c->known; i++)
		c->share[i] = c->value[i].known ? c->value[i].value / whole : 0;
	snprintf(c->head, sizeof(c->head), " %s",
		 hist_axis__value(HIST_AXIS_TIME, whole, value, sizeof(value)));
	snprintf(c->text, sizeof(c->text), "n/a: %s",
		 reason ? reason : "no call was followed so far");
}

/* "send 76.4ns" of each copy, as many on a line as fit. */
static void draw_per_kib(const struct shares *s, const struct share_column *c, int row, int last,
			 int col)
{
	char value[VALUE_LEN], item[2 * VALUE_LEN];
	int at = 0, len;
	struct real v;

	for (int i = 0; i < NIO_STAGE_NR; i++) {
		v = time_figures__per_kib(&c->mode->total, i);
		if (!stage__is_copy(i) || !v.known || !(v.value > 0))
			continue;
		snprintf(item, sizeof(item), "%s %s", stage__heading(i),
			 hist_axis__value(HIST_AXIS_TIME, v.value, value, sizeof(value)));
		len = (int)strlen(item);
		if (at && at + 1 + len > s->width) {
			at = 0;
			row++;
		}
		if (row > last)
			return;
		at += at > 0;
		grid__put(s->g, row, col + at, s->width - at, live_layout__attr(c->mode->mode),
			  item);
		at += len;
	}
}

void live_columns__parts(struct grid *g, int row, int last, const struct live_frame *f, bool utf8)
{
	struct shares s;

	shares__init(&s, g, f, utf8);
	s.rows = PARTS_NR + 1;
	s.unit = "";
	s.label = label_of_part;
	s.format = format_time;
	for (size_t i = 0; i < s.nr; i++)
		if (f->modes[i].seen)
			take_parts(&s.columns[i]);
	draw_title(g, row++, LIVE_CALL_PARTS,
		   "call parts: the mean send call, and where its time goes");
	if (!s.nr)
		return;
	row = shares__draw(&s, row, last - 2);
	row += row + 1 < last - 1;
	grid__put(g, row, 0, LABEL_COLS - 1, GRID_PLAIN, "for a KiB");
	for (size_t i = 0; i < s.nr; i++)
		if (f->modes[i].seen)
			draw_per_kib(&s, &s.columns[i], row, last,
				     LABEL_COLS + (int)i * (s.width + GAP_COLS));
}

static const char *label_of_class(int row)
{
	return cpu_class__heading((enum cpu_class)row);
}

/* Sides are weighed by their CPU time where that is known, else by their samples. */
static void take_classes(struct share_column *c, int width)
{
	const struct cpu_result *cpu = &c->mode->total.cpu;
	uint64_t samples = 0;
	double whole = 0;

	for (int side = 0; side < NIO_SIDE_NR && cpu->known; side++)
		samples += cpu->by[side].samples;
	c->known = samples > 0;
	for (int i = 0; i < CPU_CLASS_NR && c->known; i++) {
		uint64_t n = cpu->by[NIO_SAMPLE_SENDER].classes[i] +
			     cpu->by[NIO_SAMPLE_RECEIVER].classes[i];

		c->value[i] = cpu_figures__both(&c->mode->total, (enum cpu_class)i).value;
		c->share[i] = (double)n / (double)samples;
		if (!n)
			c->value[i].known = true;
		whole += c->value[i].known ? c->value[i].value : 0;
	}
	for (int i = 0; i < CPU_CLASS_NR && whole > 0; i++)
		c->share[i] = c->value[i].value / whole;
	snprintf(c->head, sizeof(c->head),
		 width < VALUE_MIN_COLS ? "n=%llu"
		 : samples == 1         ? "%llu sample"
					: "%llu samples",
		 (unsigned long long)samples);
	if (c->mode->running)
		snprintf(c->text, sizeof(c->text), "sampled after this round");
	else
		snprintf(c->text, sizeof(c->text), "n/a: %s", cpu->reason);
}

void live_columns__cpu(struct grid *g, int row, int last, const struct live_frame *f, bool utf8)
{
	struct shares s;

	shares__init(&s, g, f, utf8);
	s.rows = CPU_CLASS_NR;
	s.unit = "ns/KiB";
	s.label = label_of_class;
	s.format = live_layout__cost;
	for (size_t i = 0; i < s.nr; i++)
		if (f->modes[i].seen)
			take_classes(&s.columns[i], s.width);
	draw_title(g, row++, LIVE_CPU,
		   "CPU time by class, both sides: samples of a round of its own");
	if (s.nr)
		shares__draw(&s, row, last);
}
