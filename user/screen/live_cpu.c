/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where CPU time goes on the live screen: a column per mode, a bar per class of both sides' samples
 * together. A mode is sampled in a round of its own after each of its rounds, so that what is shown
 * is of those that are over. Pure layout on a grid.
 */
#include <stdio.h>
#include <string.h>

#include "model/cpu_figures.h"
#include "live_bar.h"
#include "live_layout.h"

#define LABEL_COLS     15
#define GAP_COLS       2
#define PERCENT_COLS   6
#define VALUE_COLS     8
#define VALUE_MIN_COLS 28 /* columns this wide have room for times beside the shares */
#define VALUE_LEN      32

struct column {
	const struct live_mode *mode;
	uint64_t samples; /* of both sides; 0: there is nothing to show */
	double share[CPU_CLASS_NR];
	struct real per_kib[CPU_CLASS_NR]; /* of CPU time, both sides together */
};

/* Which classes have a row of their own, and what the others are together. */
struct rows {
	bool shown[CPU_CLASS_NR];
	bool rest; /* the last row is of those that are not */
};

/*
 * Sides are weighed by their CPU time where that is known, as their samples are: of a sum, not of
 * two shares.
 */
static void column__init(struct column *c, const struct live_mode *mode)
{
	const struct cpu_result *cpu = &mode->total.cpu;
	double whole = 0;

	memset(c, 0, sizeof(*c));
	c->mode = mode;
	for (int side = 0; side < NIO_SIDE_NR && cpu->known; side++)
		c->samples += cpu->by[side].samples;
	for (int i = 0; i < CPU_CLASS_NR && c->samples; i++) {
		uint64_t n = cpu->by[NIO_SAMPLE_SENDER].classes[i] +
			     cpu->by[NIO_SAMPLE_RECEIVER].classes[i];

		c->per_kib[i] = cpu_figures__both(&mode->total, (enum cpu_class)i).value;
		c->share[i] = (double)n / (double)c->samples;
		whole += c->per_kib[i].known ? c->per_kib[i].value : 0;
	}
	for (int i = 0; i < CPU_CLASS_NR && whole > 0; i++)
		c->share[i] = c->per_kib[i].value / whole;
}

static double largest_share(const struct column *columns, size_t n, int class)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (columns[i].share[class] > most)
			most = columns[i].share[class];
	return most;
}

/* As many classes as there is room for, the largest in any mode; in the order of the list. */
static struct rows choose(const struct column *columns, size_t n, int room)
{
	struct rows r = {0};
	int occurring = 0;

	for (int c = 0; c < CPU_CLASS_NR; c++)
		occurring += largest_share(columns, n, c) > 0;
	r.rest = occurring > room;
	for (int k = 0; k < room - r.rest && k < occurring; k++) {
		int best = -1;

		for (int c = 0; c < CPU_CLASS_NR; c++)
			if (!r.shown[c] && (best < 0 || largest_share(columns, n, c) >
								largest_share(columns, n, best)))
				best = c;
		r.shown[best] = true;
	}
	return r;
}

struct figure {
	double share;
	struct real per_kib;
};

/* Of a class, or (CPU_CLASS_NR) of all that have no row. */
static struct figure figure_of(const struct column *c, const struct rows *r, int class)
{
	struct figure f = {.per_kib = {.known = true}};

	for (int i = 0; i < CPU_CLASS_NR; i++) {
		if (class == CPU_CLASS_NR ? r->shown[i] : i != class)
			continue;
		f.share += c->share[i];
		f.per_kib.value += c->per_kib[i].value;
		f.per_kib.known &= c->per_kib[i].known;
	}
	return f;
}

static void draw_class(struct grid *g, const struct column *c, struct figure f, int row, int col,
		       int width, double max, bool utf8)
{
	unsigned int attr = view_mode__attr(c->mode->mode);
	int values = width >= VALUE_MIN_COLS ? VALUE_COLS : 0;
	int bar = width - PERCENT_COLS - 1 - values;
	char text[VALUE_LEN] = "-";

	if (f.share > 0) {
		bar__draw(g, row, col, bar, attr, f.share / max, utf8);
		bar__format_share(text, sizeof(text), f.share);
	}
	grid__put_right(g, row, col + bar + 1, PERCENT_COLS, attr, text);
	if (values && f.share > 0)
		grid__put_right(g, row, col + width - values, values, attr,
				view_cost__format(text, sizeof(text), f.per_kib));
}

static void draw_heading(struct grid *g, const struct column *c, int row, int col, int width)
{
	unsigned int attr = view_mode__attr(c->mode->mode);
	const char *name = mode__name(c->mode->mode);
	int after = (int)strlen(name) + 1;

	grid__put(g, row, col, width, attr | GRID_BOLD, name);
	if (c->samples)
		grid__printf(g, row, col + after, width - after, attr,
			     width < VALUE_MIN_COLS ? "n=%llu"
			     : c->samples == 1      ? "%llu sample"
						    : "%llu samples",
			     (unsigned long long)c->samples);
	if (c->samples && width >= VALUE_MIN_COLS)
		grid__put_right(g, row, col + width - VALUE_COLS, VALUE_COLS, attr, "ns/KiB");
}

static const char *nothing(const struct live_mode *m, char *buf, size_t len)
{
	if (!m->seen)
		return "not run yet";
	if (m->running)
		return "sampled after this round";
	snprintf(buf, len, "n/a: %s", m->total.cpu.reason);
	return buf;
}

static void draw_column(struct grid *g, const struct column *c, const struct rows *r, int row,
			int last, int col, int width, double max, bool utf8)
{
	char text[256];

	draw_heading(g, c, row++, col, width);
	if (!c->samples) {
		bar__text(g, row, last, col, width, view_mode__attr(c->mode->mode),
			  nothing(c->mode, text, sizeof(text)));
		return;
	}
	for (int i = 0; i < CPU_CLASS_NR; i++)
		if (r->shown[i])
			draw_class(g, c, figure_of(c, r, i), row++, col, width, max, utf8);
	if (r->rest)
		draw_class(g, c, figure_of(c, r, CPU_CLASS_NR), row, col, width, max, utf8);
}

static void draw_labels(struct grid *g, const struct rows *r, int row)
{
	for (int i = 0; i < CPU_CLASS_NR; i++)
		if (r->shown[i])
			grid__put(g, row++, 0, LABEL_COLS - 1, GRID_PLAIN,
				  cpu_class__heading((enum cpu_class)i));
	if (r->rest)
		grid__put(g, row, 0, LABEL_COLS - 1, GRID_PLAIN, "all others");
}

static double longest(const struct column *columns, size_t n, const struct rows *r)
{
	double max = 0;

	for (size_t i = 0; i < n; i++)
		for (int c = 0; c <= CPU_CLASS_NR; c++)
			if (c == CPU_CLASS_NR ? r->rest : r->shown[c]) {
				double share = figure_of(&columns[i], r, c).share;

				max = share > max ? share : max;
			}
	return max > 0 ? max : 1;
}

void view_cpu__draw(struct grid *g, int row, int last, const struct live_frame *f, bool utf8)
{
	struct column columns[MODE_NR];
	size_t nr = f->modes_nr;
	struct rows rows;
	int width;

	grid__printf(g, row++, 0, g->cols, GRID_BOLD,
		     "< %d/%d >  CPU time by class, both sides: samples of a round of its own",
		     VIEW_CPU + 1, VIEW_QUANTITY_NR);
	if (!nr)
		return;
	width = (g->cols - LABEL_COLS + GAP_COLS) / (int)nr - GAP_COLS;
	for (size_t i = 0; i < nr; i++)
		column__init(&columns[i], &f->modes[i]);
	rows = choose(columns, nr, last - row);
	draw_labels(g, &rows, row + 1);
	for (size_t i = 0; i < nr; i++)
		draw_column(g, &columns[i], &rows, row, last,
			    LABEL_COLS + (int)i * (width + GAP_COLS), width,
			    longest(columns, nr, &rows), utf8);
}
