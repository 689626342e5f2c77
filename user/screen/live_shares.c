/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The charts of shares: the parts of a mean send call, and the classes of CPU time. The largest
 * shares have rows of their own, the others share the last one.
 */
#include <stdio.h>
#include <string.h>

#include "live_chart.h"
#include "live_layout.h"
#include "model/figures.h"

#define LABEL_COLS 15

/* The parts of a send call, then the time outside tcp_sendmsg. */
#define PARTS_NR (PATH_NR - 1)
_Static_assert(PARTS_NR + 2 <= HIST_AXIS_ROWS_MAX, "parts, outside and all others have rows");
_Static_assert(CPU_CLASS_NR + 1 <= HIST_AXIS_ROWS_MAX, "classes and all others have rows");

static double largest(const struct live_chart *c, int row)
{
	double most = 0;

	for (int i = 0; i < c->nr; i++)
		if (c->columns[i].share[row] > most)
			most = c->columns[i].share[row];
	return most;
}

/* Has a row a share, or one that is not known? */
static bool occurs(const struct live_chart *c, int row)
{
	bool unknown = false;

	for (int i = 0; i < c->nr; i++)
		unknown |= !c->columns[i].text[0] && !c->columns[i].value[row].known;
	return unknown || largest(c, row) > 0;
}

/* Rows smaller than this one of the n that occur; equal ones: those below. */
static int smaller(const struct live_chart *c, const int *rows, int n, int row)
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		double a = largest(c, rows[i]), b = largest(c, row);

		count += a < b || (a <= b && rows[i] > row);
	}
	return count;
}

/* Keeps the rows that occur; if there is no room for all, the smallest become "all others". */
static void fold(struct live_chart *c)
{
	int rows[HIST_AXIS_ROWS_MAX], n = 0, room = live_chart__room(c), folded, kept = 0;
	bool small[HIST_AXIS_ROWS_MAX];

	for (int row = 0; row < c->rows; row++)
		if (occurs(c, row))
			rows[n++] = row;
	folded = n > room ? n - room + 1 : 0;
	for (int i = 0; i < n; i++)
		small[i] = smaller(c, rows, n, rows[i]) < folded;
	for (int m = 0; m < c->nr; m++) {
		struct live_chart_column *column = &c->columns[m];
		struct real rest = {.known = true};
		double share = 0;

		kept = 0;
		for (int i = 0; i < n; i++) {
			if (small[i]) {
				share += column->share[rows[i]];
				rest.value += column->value[rows[i]].known
						      ? column->value[rows[i]].value
						      : 0;
				continue;
			}
			column->share[kept] = column->share[rows[i]];
			column->value[kept++] = column->value[rows[i]];
		}
		column->share[kept] = share;
		column->value[kept] = rest;
	}
	kept = 0;
	for (int i = 0; i < n; i++)
		if (!small[i])
			memmove(c->label[kept++], c->label[rows[i]], LIVE_CHART_VALUE);
	if (folded)
		strcpy(c->label[kept++], "all others");
	c->rows = kept;
}

static void begin(struct live_chart *c, enum live_quantity q, const char *title)
{
	snprintf(c->title, sizeof(c->title), "< %d/%d >  %s", (int)q + 1, LIVE_QUANTITY_NR, title);
	c->zeros = true;
}

static char *format_time(char *buf, size_t len, struct real v)
{
	return hist_axis__value(HIST_AXIS_TIME, v.value, buf, len);
}

/* Shares are of the whole call where the load generator timed it, else of the known parts. */
static void compute_parts(struct live_chart_column *c, const struct run_result *run)
{
	struct real total = time_figures__part(run, PATH_SEND_TOTAL);
	const char *reason = NULL;
	char value[LIVE_CHART_VALUE];
	double whole, sum = 0;

	for (int i = 0; i <= PARTS_NR; i++) {
		c->value[i] = i < PARTS_NR ? time_figures__part(run, (enum path_part)(i + 1))
					   : time_figures__outside(run);
		if (i < PARTS_NR && c->value[i].known)
			sum += c->value[i].value;
		else if (!reason)
			reason = c->value[i].reason;
	}
	if (sum <= 0) {
		snprintf(c->text, sizeof(c->text), "n/a: %s",
			 reason ? reason : "no call was followed so far");
		return;
	}
	whole = total.known && total.value > sum ? total.value : sum;
	for (int i = 0; i <= PARTS_NR; i++)
		c->share[i] = c->value[i].known ? c->value[i].value / whole : 0;
	format_time(value, sizeof(value), (struct real){.value = whole});
	snprintf(c->head, sizeof(c->head), "%s", value);
}

/* "send 76.4ns" of each copy. */
static void add_per_kib(struct live_chart_column *c, const struct run_result *run)
{
	for (int i = 0; i < NIO_STAGE_NR; i++) {
		struct real v = time_figures__per_kib(run, i);

		if (!stage__is_copy(i) || !v.known || !(v.value > 0) ||
		    c->foot_nr == LIVE_CHART_FOOT_MAX)
			continue;
		snprintf(c->foot[c->foot_nr].label, sizeof(c->foot[0].label), "%s",
			 stage__heading(i));
		format_time(c->foot[c->foot_nr++].value, LIVE_CHART_VALUE, v);
	}
}

void live_shares__parts(struct grid *g, int row, int last, const struct live_frame *f, bool utf8)
{
	struct live_chart c;

	live_chart__begin(&c, g, row, last, utf8, f, LABEL_COLS);
	begin(&c, LIVE_CALL_PARTS, "call parts: the mean send call, and where its time goes");
	c.format = format_time;
	c.foot_label = "for a KiB";
	c.rows = PARTS_NR + 1;
	for (int i = 0; i <= PARTS_NR; i++)
		snprintf(c.label[i], sizeof(c.label[i]), "%s",
			 i < PARTS_NR ? path_part__heading((enum path_part)(i + 1)) : "outside");
	for (int i = 0; i < c.nr; i++) {
		if (!f->modes[i].seen)
			continue;
		compute_parts(&c.columns[i], &f->modes[i].total);
		add_per_kib(&c.columns[i], &f->modes[i].total);
	}
	fold(&c);
	live_chart__draw(&c);
}

/* Sides are weighed by their CPU time where that is known, else by their samples. */
static void compute_classes(const struct live_chart *chart, struct live_chart_column *c)
{
	const struct cpu_result *cpu = &c->mode->total.cpu;
	unsigned long long samples = 0;
	double whole = 0;

	for (int side = 0; side < NIO_SIDE_NR && cpu->known; side++)
		samples += cpu->by[side].samples;
	if (!samples) {
		if (c->mode->running)
			strcpy(c->text, "sampled after this round");
		else
			snprintf(c->text, sizeof(c->text), "n/a: %s", cpu->reason);
		return;
	}
	for (int i = 0; i < CPU_CLASS_NR; i++) {
		uint64_t n = cpu->by[NIO_SAMPLE_SENDER].classes[i] +
			     cpu->by[NIO_SAMPLE_RECEIVER].classes[i];

		c->value[i] = cpu_figures__class(&c->mode->total, i, false);
		c->share[i] = (double)n / (double)samples;
		c->value[i].known |= !n;
		whole += c->value[i].known ? c->value[i].value : 0;
	}
	for (int i = 0; i < CPU_CLASS_NR && whole > 0; i++)
		c->share[i] = c->value[i].value / whole;
	snprintf(c->head, sizeof(c->head),
		 !chart->wide   ? "n=%llu"
		 : samples == 1 ? "%llu sample"
				: "%llu samples",
		 samples);
}

void live_shares__cpu(struct grid *g, int row, int last, const struct live_frame *f, bool utf8)
{
	struct live_chart c;

	live_chart__begin(&c, g, row, last, utf8, f, LABEL_COLS);
	begin(&c, LIVE_CPU, "CPU time by class, both sides: samples of a round of its own");
	c.format = live_layout__cost;
	c.unit = "ns/KiB";
	c.rows = CPU_CLASS_NR;
	for (int i = 0; i < CPU_CLASS_NR; i++)
		snprintf(c.label[i], sizeof(c.label[i]), "%s",
			 cpu_class__heading((enum cpu_class)i));
	for (int i = 0; i < c.nr; i++)
		if (f->modes[i].seen)
			compute_classes(&c, &c.columns[i]);
	fold(&c);
	live_chart__draw(&c);
}
