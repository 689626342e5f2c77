/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The charts of histograms: sizes or times of a stage, or a latency. Bars are shares of the
 * column's own events: modes that ran for different times compare too.
 */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "live_chart.h"
#include "model/figures.h"

#define AXIS_COLS 7

/* The data of a quantity in a run: sizes or times of a stage, or a latency. */
struct quantity {
	bool is_stage;
	int index;
};

static const struct quantity quantities[LIVE_QUANTITY_NR] = {
/* clang-format off */
#define QUANTITY_HIST(id)    [LIVE_##id] = {true, NIO_STAGE_##id},
#define QUANTITY_NO_HIST(id)
#define X(id, key, head, side, copies, account, probe, hist, help) QUANTITY_##hist(id)
	NIO_STAGES(X)
#undef X
#define X(id, ...) [LIVE_##id] = {false, LATENCY_##id},
	LATENCIES(X)
#undef X
	/* clang-format on */
};

/* One mode's histogram, or why there is none. */
struct source {
	const struct hist *h; /* NULL: see reason */
	const char *reason;
	const char *event;
	bool sampled; /* these are not all of them */
	double mean;
};

static struct source source_of_times(const struct stage_result *s)
{
	if (!s->times)
		return (struct source){.reason = s->ns.known ? "only the sum of the times is kept"
							     : s->ns.reason};
	return (struct source){.h = s->times,
			       .mean = s->timed.value ? (double)s->ns.value / (double)s->timed.value
						      : hist__mean(s->times)};
}

static struct source source_of_stage(const struct run_result *run, enum nio_stage stage, bool times)
{
	const struct stage_result *s = &run->stages[stage];
	struct source src = {.reason = NULL};

	if (!figures__stage_known(run, stage, &src.reason))
		return src;
	if (times) {
		src = source_of_times(s);
	} else if (s->sizes) {
		src.h = s->sizes;
		src.sampled = run_result__sampled_events(run, stage);
		src.mean = s->events && !src.sampled ? (double)s->bytes / (double)s->events
						     : hist__mean(s->sizes);
	} else {
		src.reason = s->reason ? s->reason : "sizes are not recorded here";
	}
	src.event = s->event;
	return src;
}

static struct source source_of(const struct run_result *run, const struct quantity *q, bool times)
{
	const struct latency_result *l = &run->app.latency[q->index];

	if (q->is_stage)
		return source_of_stage(run, q->index, times);
	return (struct source){
		.h = l->hist, .reason = l->reason, .mean = l->hist ? hist__mean(l->hist) : 0};
}

/* The text of a column without events: the mode lacks the stage, or another one has its bytes. */
static const char *no_events(const struct run_result *run, const struct quantity *q)
{
	bool pins = mode__has(run->mode, MODE_PINS);

	if (q->is_stage && q->index == NIO_STAGE_TX_COPY && pins &&
	    run->stages[NIO_STAGE_TX_PIN].bytes)
		return "no copy at the send: its pages are pinned, see pin";
	if (q->is_stage && q->index <= NIO_STAGE_TX_PIN && mode__has(run->mode, MODE_SPLICES))
		return "pages are passed by reference: see splice";
	if (q->is_stage && q->index == NIO_STAGE_TX_PIN && !pins)
		return "this mode copies at the send, see send";
	if (q->is_stage && q->index == NIO_STAGE_DEFERRED_COPY && !pins)
		return "nothing is pinned in this mode, so nothing is left to copy";
	return "no events so far";
}

/* Counts stay readable in a narrow column: from a million on, in millions. */
static char *format_events(char *buf, size_t len, struct real n)
{
	if (n.value < 1e6)
		return format_count(buf, len, (uint64_t)n.value);
	snprintf(buf, len, "%.1f M", n.value / 1e6);
	return buf;
}

/* Size percentiles are given by the bucket's lower bound, where round sizes lie; one size as is. */
static uint64_t quantile(const struct hist *h, double q, bool sizes)
{
	uint64_t v = q < 1 ? hist__quantile(h, q) : h->max;

	if (sizes && h->min != h->max)
		v = hist__bucket_low(h, hist_bucket(v, h->sub_bits, h->n_buckets));
	return v;
}

static void add_percentiles(struct live_chart_column *c, const struct source *src,
			    enum hist_axis_kind kind)
{
	static const struct {
		const char *label;
		double q; /* negative: the mean */
	} items[LIVE_CHART_FOOT_MAX] = {
		{"p50", 0.5},     {"p90", 0.9}, {"p99", 0.99},
		{"p99.9", 0.999}, {"max", 1},   {"mean", -1},
	};

	for (c->foot_nr = 0; c->foot_nr < LIVE_CHART_FOOT_MAX; c->foot_nr++) {
		double q = items[c->foot_nr].q;

		strcpy(c->foot[c->foot_nr].label, items[c->foot_nr].label);
		hist_axis__value(kind,
				 q < 0 ? src->mean
				       : (double)quantile(src->h, q, kind == HIST_AXIS_SIZE),
				 c->foot[c->foot_nr].value, LIVE_CHART_VALUE);
	}
}

/* The event that all columns count; "event" where they differ or none is known. */
static const char *common_event(const struct source *src, int nr)
{
	const char *event = NULL;

	for (int i = 0; i < nr; i++) {
		if (event && src[i].event && strcmp(event, src[i].event) != 0)
			return "event";
		event = src[i].event ? src[i].event : event;
	}
	return event ? event : "event";
}

static void set_title(struct live_chart *c, enum live_quantity q, enum hist_axis_kind kind,
		      const char *event)
{
	const struct quantity *what = &quantities[q];

	snprintf(c->title, sizeof(c->title), "< %d/%d >  %s: ", (int)q + 1, LIVE_QUANTITY_NR,
		 what->is_stage ? stage__heading(what->index) : latency__heading(what->index));
	if (!what->is_stage) {
		strcat(c->title, latency__help(what->index));
		return;
	}
	strcat(c->title, kind == HIST_AXIS_SIZE ? "bytes per " : "time per ");
	strcat(c->title, event);
	c->note = kind == HIST_AXIS_SIZE ? "sizes: 12.5 % buckets, lower bounds" : "12.5 % buckets";
}

/* "147 736 events", "n=147 736" in a narrow column; the event where columns count different ones.
 */
static void set_head(const struct live_chart *c, struct live_chart_column *column,
		     const struct source *src, const char *event)
{
	bool named = src->event && strcmp(event, src->event) != 0;
	char count[UNITS_BUF];

	format_events(count, sizeof(count), (struct real){.value = (double)src->h->count});
	if (named)
		snprintf(column->head, sizeof(column->head), "%s x %s", count, src->event);
	else
		snprintf(column->head, sizeof(column->head), c->wide ? "%s events%s" : "n=%s%s",
			 count,
			 !src->sampled ? ""
			 : c->wide     ? ", sampled"
				       : " (part)");
}

static void fill_column(struct live_chart_column *c, const struct source *src,
			const struct hist_axis *axis)
{
	uint64_t counts[HIST_AXIS_ROWS_MAX];

	hist_axis__count(axis, src->h, counts);
	for (unsigned int row = 0; row < axis->rows; row++) {
		c->share[row] = (double)counts[row] / (double)src->h->count;
		c->value[row] = (struct real){.value = (double)counts[row], .known = true};
	}
}

void live_columns__draw(struct grid *g, int row, int last, const struct live_frame *f,
			enum live_quantity q, bool times, bool utf8)
{
	const struct quantity *what = &quantities[q];
	enum hist_axis_kind kind = what->is_stage && !times ? HIST_AXIS_SIZE : HIST_AXIS_TIME;
	struct source src[MODE_NR] = {{.h = NULL}};
	const struct hist *h[MODE_NR];
	struct hist_axis axis;
	const char *event;
	struct live_chart c;

	live_chart__begin(&c, g, row, last, utf8, f, AXIS_COLS);
	c.format = format_events;
	for (int i = 0; i < c.nr; i++)
		if (f->modes[i].seen)
			src[i] = source_of(&f->modes[i].total, what, times);
	event = common_event(src, c.nr);
	set_title(&c, q, kind, event);
	for (int i = 0; i < c.nr; i++) {
		struct live_chart_column *column = &c.columns[i];
		const char *reason = src[i].reason;

		h[i] = src[i].h && src[i].h->count ? src[i].h : NULL;
		if (h[i]) {
			set_head(&c, column, &src[i], event);
			add_percentiles(column, &src[i], kind);
		} else if (src[i].h) {
			strcpy(column->text, no_events(&f->modes[i].total, what));
		} else if (f->modes[i].seen) {
			snprintf(column->text, sizeof(column->text), "n/a: %s",
				 reason && *reason ? reason : "the reason was not recorded");
		}
	}
	hist_axis__fit(&axis, kind, h, (size_t)c.nr, (unsigned int)live_chart__room(&c));
	c.rows = (int)axis.rows;
	for (int r = 0; r < c.rows; r++) {
		char label[UNITS_BUF];

		snprintf(c.label[r], sizeof(c.label[r]), "%*s", AXIS_COLS - 1,
			 hist_axis__label(&axis, (unsigned int)r, label, sizeof(label)));
	}
	for (int i = 0; i < c.nr; i++)
		if (h[i])
			fill_column(&c.columns[i], &src[i], &axis);
	live_chart__draw(&c);
}
