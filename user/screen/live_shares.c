/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares in the live view: a column per mode, a bar per row. Rows are the parts of a mean send
 * call, or the classes of CPU time. The largest shares have rows of their own, the others share the
 * last. Pure layout on a grid.
 */
#include <stdio.h>
#include <string.h>

#include "live_hist.h"
#include "live_layout.h"
#include "model/cpu_figures.h"
#include "model/time_figures.h"

#define LABEL_COLS     15
#define GAP_COLS       2
#define PERCENT_COLS   6
#define VALUE_COLS     8
#define VALUE_MIN_COLS 28 /* columns this wide have room for values beside the shares */
#define VALUE_LEN      32

/* The parts of a send call, then the time outside tcp_sendmsg. */
#define PARTS_NR (PATH_NR - 1)
#define ROWS_MAX (CPU_CLASS_NR > PARTS_NR + 1 ? (int)CPU_CLASS_NR : PARTS_NR + 1)

struct column {
	const struct live_mode *mode;
	bool known; /* else text says why there is nothing */
	char head[48];
	char text[256];
	double share[ROWS_MAX];
	struct real value[ROWS_MAX]; /* known: what the share is in units */
};

struct shares {
	struct sweep_grid *g;
	bool utf8;
	struct column columns[MODE_NR];
	size_t nr;
	int width;
	int rows; /* that there are */
	bool shown[ROWS_MAX];
	bool rest;        /* the last row is the sum of the others */
	const char *unit; /* heading of the values; "": they bring their own */
	const char *(*label)(int row);
	char *(*format)(char *buf, size_t len, struct real v);
};

static void init(struct shares *s, struct sweep_grid *g, const struct live_frame *f, bool utf8)
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

static void choose(struct shares *s, int room)
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
		if (best < 0)
			break;
		s->shown[best] = true;
	}
}

/* The share of a row; row == s->rows: of all that have none. */
static double share_of(const struct shares *s, const struct column *c, int row, struct real *value)
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

static void draw_row(const struct shares *s, const struct column *c, int i, int row, int col)
{
	unsigned int attr = live_layout__attr(c->mode->mode);
	int values = s->width >= VALUE_MIN_COLS ? VALUE_COLS : 0;
	int bar = s->width - PERCENT_COLS - 1 - values;
	struct real value;
	double share = share_of(s, c, i, &value);
	char text[VALUE_LEN] = "-";

	if (share > 0) {
		sweep_grid__bar(s->g, row, col, bar, attr, share / longest(s), s->utf8);
		format_share(text, sizeof(text), share);
	} else if (!value.known) {
		snprintf(text, sizeof(text), "n/a");
	}
	sweep_grid__put_right(s->g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (values && share > 0)
		sweep_grid__put_right(s->g, row, col + s->width - values, values, attr,
				      s->format(text, sizeof(text), value));
}

static void draw_column(const struct shares *s, const struct column *c, int row, int last, int col)
{
	unsigned int attr = live_layout__attr(c->mode->mode);
	const char *name = mode__words(c->mode->mode);
	int after = (int)strlen(name) + 1;

	sweep_grid__put(s->g, row, col, s->width, attr | GRID_BOLD, name);
	if (!c->known) {
		sweep_grid__text(s->g, row + 1, last, col, s->width, attr, c->text);
		return;
	}
	sweep_grid__put(s->g, row, col + after, s->width - after, attr, c->head);
	if (s->width >= VALUE_MIN_COLS)
		sweep_grid__put_right(s->g, row, col + s->width - VALUE_COLS, VALUE_COLS, attr,
				      s->unit);
	for (int i = 0; i <= s->rows; i++)
		if (i < s->rows ? s->shown[i] : s->rest)
			draw_row(s, c, i, ++row, col);
}

/* Heads on row, then the shares; returns the first row below. */
static int draw(struct shares *s, int row, int last)
{
	int at = row;

	choose(s, last - row);
	for (size_t i = 0; i < s->nr; i++)
		draw_column(s, &s->columns[i], row, last,
			    LABEL_COLS + (int)i * (s->width + GAP_COLS));
	for (int i = 0; i <= s->rows; i++)
		if (i < s->rows ? s->shown[i] : s->rest)
			sweep_grid__put(s->g, ++at, 0, LABEL_COLS - 1, GRID_PLAIN,
					i < s->rows ? s->label(i) : "all others");
	return at + 1;
}

static void draw_title(struct sweep_grid *g, int row, enum live_quantity q, const char *title)
{
	sweep_grid__printf(g, row, 0, g->cols, GRID_BOLD, "< %d/%d >  %s", (int)q + 1,
			   LIVE_QUANTITY_NR, title);
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
static void take_parts(struct column *c)
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
static void draw_per_kib(const struct shares *s, const struct column *c, int row, int last, int col)
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
		sweep_grid__put(s->g, row, col + at, s->width - at,
				live_layout__attr(c->mode->mode), item);
		at += len;
	}
}

void live_shares__parts(struct sweep_grid *g, int row, int last, const struct live_frame *f,
			bool utf8)
{
	struct shares s;

	init(&s, g, f, utf8);
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
	row = draw(&s, row, last - 2);
	row += row + 1 < last - 1;
	sweep_grid__put(g, row, 0, LABEL_COLS - 1, GRID_PLAIN, "for a KiB");
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
static void take_classes(struct column *c, int width)
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

void live_shares__cpu(struct sweep_grid *g, int row, int last, const struct live_frame *f,
		      bool utf8)
{
	struct shares s;

	init(&s, g, f, utf8);
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
		draw(&s, row, last);
}
