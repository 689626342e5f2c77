/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of the full-screen view of a run: title, progress, status, ledger, cost, the chosen
 * quantity, the answers so far, keys. Pure: a model in, a grid of cells out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "live_layout.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/verdict.h"

unsigned int live_layout__attr(enum mode mode)
{
	return 1 + (unsigned int)mode;
}

#define MODE_COLS   10
#define COPIES_COLS 9
#define GBPS_COLS   7
#define RATE_BUF    (UNITS_BUF + 8)
#define RATE_COLS   10 /* "4.38 GB/s" and a space */

struct ledger_columns {
	enum nio_stage stage[NIO_STAGE_NR];
	int nr;
	int width;
};

/* tx_splice moves bytes only in some sessions: its column is there when it says something. */
static bool stage_is_shown(const struct live_frame *f, enum nio_stage stage)
{
	size_t i;

	if (stage != NIO_STAGE_TX_SPLICE)
		return true;
	for (i = 0; i < f->modes_nr; i++)
		if (f->modes[i].seen && f->modes[i].total.stages[stage].bytes)
			return true;
	return false;
}

static struct ledger_columns plan_ledger(const struct live_frame *f, int cols)
{
	struct ledger_columns c = {.nr = 0};
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++)
		if (stage_is_shown(f, i))
			c.stage[c.nr++] = i;
	c.width = (cols - MODE_COLS - COPIES_COLS - GBPS_COLS) / c.nr;
	if (c.width > RATE_COLS)
		c.width = RATE_COLS;
	return c;
}

/* "4.38 GB/s", or "4.38GB" in a narrow column. */
static void format_rate(char *buf, size_t len, double rate, int width)
{
	char bytes[UNITS_BUF], *space;

	format_bytes_si(bytes, sizeof(bytes), rate);
	if (width >= RATE_COLS) {
		snprintf(buf, len, "%s/s", bytes);
		return;
	}
	space = strchr(bytes, ' ');
	if (space)
		memmove(space, space + 1, strlen(space));
	snprintf(buf, len, "%s", bytes);
}

static void stage_cell(char *buf, size_t len, const struct live_mode *m, enum nio_stage stage,
		       int width)
{
	const char *reason;

	if (!figures__stage_known(&m->total, stage, &reason) || !isfinite(m->stage_rate[stage]))
		snprintf(buf, len, "n/a");
	else if (m->stage_rate[stage] > 0)
		format_rate(buf, len, m->stage_rate[stage], width);
	else
		snprintf(buf, len, "-");
}

static void draw_ledger_figures(struct sweep_grid *g, int row, int col, unsigned int attr,
				const struct live_mode *m)
{
	struct copies_figure c = figures__copies(&m->total);
	char buf[UNITS_BUF] = "n/a";

	/* The mark has its own column, so that the figures are aligned. */
	if (c.value.known)
		snprintf(buf, sizeof(buf), "%.2f%s", c.value.value, c.excluded ? "*" : " ");
	else
		snprintf(buf, sizeof(buf), "n/a ");
	sweep_grid__put_right(g, row, col, COPIES_COLS, attr, buf);
	if (isfinite(m->gbps))
		snprintf(buf, sizeof(buf), "%.1f", m->gbps);
	else
		snprintf(buf, sizeof(buf), "n/a");
	sweep_grid__put_right(g, row, col + COPIES_COLS, GBPS_COLS, attr, buf);
}

static void draw_ledger_mode(struct sweep_grid *g, int row, const struct live_mode *m,
			     const struct ledger_columns *c)
{
	unsigned int attr = live_layout__attr(m->mode) | (m->running ? GRID_BOLD : GRID_PLAIN);
	char cell[RATE_BUF];
	int i;

	/* The first column begins with a blank. */
	sweep_grid__printf(g, row, 0, MODE_COLS + 1, attr, "%c %s", m->running ? '>' : ' ',
			   mode__words(m->mode));
	if (!m->seen) {
		sweep_grid__put(g, row, MODE_COLS + 2, g->cols, GRID_DIM, "not run yet");
		return;
	}
	for (i = 0; i < c->nr; i++) {
		stage_cell(cell, sizeof(cell), m, c->stage[i], c->width);
		sweep_grid__put_right(g, row, MODE_COLS + i * c->width, c->width, attr, cell);
	}
	draw_ledger_figures(g, row, MODE_COLS + c->nr * c->width, attr, m);
}

static void draw_ledger_heading(struct sweep_grid *g, int row, const struct ledger_columns *c)
{
	int i, col = MODE_COLS + c->nr * c->width;

	sweep_grid__put(g, row, 2, MODE_COLS, GRID_BOLD, c->width < RATE_COLS ? "bytes/s" : "mode");
	for (i = 0; i < c->nr; i++)
		sweep_grid__put_right(g, row, MODE_COLS + i * c->width, c->width, GRID_BOLD,
				      stage__heading(c->stage[i]));
	sweep_grid__put_right(g, row, col, COPIES_COLS, GRID_BOLD, "copies/B");
	sweep_grid__put_right(g, row, col + COPIES_COLS, GBPS_COLS, GRID_BOLD, "Gbit/s");
}

/* The side of the copies per byte, and the stages missing in a figure with '*'. */
static void draw_excluded(struct sweep_grid *g, int row, const struct live_frame *f)
{
	char line[192] = "";
	unsigned int excluded = 0;
	bool sender_side = false;
	size_t i, used;

	for (i = 0; i < f->modes_nr; i++)
		if (f->modes[i].seen)
			excluded |= figures__copies(&f->modes[i].total).excluded;
	for (i = 0; i < f->modes_nr; i++)
		sender_side |= f->modes[i].seen && f->modes[i].total.sender_side;
	if (sender_side)
		strcpy(line,
		       "  copies/B is of the sender's side, the receiver is on another machine");
	if (!excluded) {
		sweep_grid__put(g, row, 0, g->cols, GRID_DIM, line);
		return;
	}
	strcpy(line, sender_side ? "  * copies/B: of the sender's side, without"
				 : "  * copies/B is without");
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!(excluded & 1u << i))
			continue;
		used = strlen(line);
		snprintf(line + used, sizeof(line) - used, " %s", stage__heading(i));
	}
	used = strlen(line);
	snprintf(line + used, sizeof(line) - used, ": not measured");
	sweep_grid__put(g, row, 0, g->cols, GRID_DIM, line);
}

static int draw_ledger(struct sweep_grid *g, int row, const struct live_frame *f)
{
	struct ledger_columns c = plan_ledger(f, g->cols);
	size_t i;

	draw_ledger_heading(g, row++, &c);
	for (i = 0; i < f->modes_nr; i++)
		draw_ledger_mode(g, row++, &f->modes[i], &c);
	draw_excluded(g, row, f);
	return row + 1;
}

#define FIGURE_COLS 14
#define COST_GAP    3

struct cost_columns {
	enum perf_derived figures[DERIVED_NR];
	int nr;
	const char *reason; /* why hardware counters are missing; NULL: some exist */
	bool of_sender;     /* alone: the receiver is on another machine */
};

/* The reason of any mode that has run; NULL: one of them has hardware counters. */
static const char *no_hardware(const struct live_frame *f)
{
	const char *reason = NULL;

	for (size_t i = 0; i < f->modes_nr; i++) {
		if (!f->modes[i].seen)
			continue;
		reason = perf_derive__no_hardware(&f->modes[i].total);
		if (!reason)
			return NULL;
	}
	return reason;
}

static struct cost_columns plan_cost(const struct live_frame *f)
{
	struct cost_columns c = {.reason = no_hardware(f)};

	for (size_t i = 0; i < f->modes_nr; i++)
		c.of_sender |= f->modes[i].seen && f->modes[i].total.sender_side;
	if (c.reason)
		c.figures[c.nr++] = DERIVED_CPU_NS_PER_KIB;
	for (int d = 0; d < DERIVED_NR; d++) {
		if (!perf_derived__shown((enum perf_derived)d, VISIBILITY_LIVE) ||
		    d == DERIVED_CPU_NS_PER_KIB)
			continue;
		if (!c.reason || !perf_derived__needs_pmu((enum perf_derived)d))
			c.figures[c.nr++] = (enum perf_derived)d;
	}
	return c;
}

char *live_layout__cost(char *buf, size_t len, struct real v)
{
	if (!v.known)
		snprintf(buf, len, "n/a");
	else if (v.value < 100)
		snprintf(buf, len, "%.2f", v.value);
	else if (v.value < 100000)
		snprintf(buf, len, "%.0f", v.value);
	else
		snprintf(buf, len, "%.0fk", v.value / 1000);
	return buf;
}

static void draw_cost_mode(struct sweep_grid *g, int row, const struct live_mode *m,
			   const struct cost_columns *c)
{
	unsigned int attr = live_layout__attr(m->mode) | (m->running ? GRID_BOLD : GRID_PLAIN);
	char cell[32];
	int i;

	sweep_grid__printf(g, row, 2, MODE_COLS, attr, "%s", mode__words(m->mode));
	for (i = 0; m->seen && i < c->nr; i++) {
		live_layout__cost(
			cell, sizeof(cell),
			perf_derive(&m->total, c->figures[i], perf_whose__here(&m->total)));
		sweep_grid__put_right(g, row, MODE_COLS + i * FIGURE_COLS, FIGURE_COLS, attr, cell);
	}
}

static int draw_cost(struct sweep_grid *g, int row, const struct live_frame *f)
{
	struct cost_columns c = plan_cost(f);
	int i, col = MODE_COLS + c.nr * FIGURE_COLS + COST_GAP;
	size_t m;

	sweep_grid__put(g, row, 2, MODE_COLS, GRID_BOLD, c.of_sender ? "sender's" : "cost");
	for (i = 0; i < c.nr; i++)
		sweep_grid__put_right(g, row, MODE_COLS + i * FIGURE_COLS, FIGURE_COLS, GRID_BOLD,
				      perf_derived__head(c.figures[i]));
	if (c.reason)
		sweep_grid__put(g, row, col, g->cols - col, GRID_DIM, c.reason);
	for (m = 0; m < f->modes_nr; m++)
		draw_cost_mode(g, ++row, &f->modes[m], &c);
	return row + 1;
}

#define HELP_COLS 16

static const struct {
	const char *name, *text;
} help_lines[] = {
	{"copies/B", "copies of a payload byte: gather+send+deferred+receive+other"},
	{"cost", "of both sides together; a deferred copy runs on either's clock"},
	{"bars", "share of a mode's events; sizes: lower bounds, 12.5 % apart"},
	{"- and n/a", "- is a measured zero; n/a was not measured, the column says why"},
	{"q p r", "quit; pause and go on (or space); count from now on"},
	{"left right", "send call, its parts, CPU time; times; send, pin, deferred, receive"},
	{"t", "of send, pin, deferred, receive: sizes, or the time an event took"},
	{"call parts", "mean time inside tcp_sendmsg; outside: the rest of the call"},
	{"CPU time", "samples of a short round after each; both sides together"},
};

static int help_line(struct sweep_grid *g, int row, const char *name, const char *text)
{
	sweep_grid__put(g, row, 1, HELP_COLS, GRID_BOLD, name);
	sweep_grid__put(g, row, 1 + HELP_COLS, g->cols, GRID_PLAIN, text);
	return row + 1;
}

/* With more stages than now, the smallest screen lacks the last lines. */
static void draw_help(struct sweep_grid *g)
{
	int row = 1;
	size_t i;

	sweep_grid__put(g, 0, 0, g->cols, GRID_PLAIN, "netiotrace: what is shown");
	sweep_grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
	for (i = 0; i < NIO_STAGE_NR; i++)
		row = help_line(g, row, stage__heading(i), stage__help(i));
	for (i = 0; i < LATENCY_NR; i++)
		row = help_line(g, row, latency__heading(i), latency__help(i));
	row += g->rows > LIVE_MIN_ROWS;
	for (i = 0; i < sizeof(help_lines) / sizeof(help_lines[0]) && row < g->rows - 1; i++)
		row = help_line(g, row, help_lines[i].name, help_lines[i].text);
	sweep_grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, "any key closes this");
}

/* Writes an item three spaces after the last, unless it does not fit the row. Returns the end. */
static int draw_item(struct sweep_grid *g, int row, int col, const char *item)
{
	int len = (int)strlen(item), at = col ? col + 3 : 0;

	if (!len || at + len > g->cols)
		return col;
	sweep_grid__put(g, row, at, len, GRID_PLAIN, item);
	return at + len;
}

static void draw_title(struct sweep_grid *g, const struct live_frame *f)
{
	char item[256];
	int col;

	snprintf(item, sizeof(item), "netiotrace %s", f->version ? f->version : "");
	col = draw_item(g, 0, 0, item);
	col = draw_item(g, 0, col, figures__kernel(item, sizeof(item), f->env));
	col = draw_item(g, 0, col, f->env->path);
	if (f->probes)
		snprintf(item, sizeof(item), "%s, %u probe%s", f->backend ? f->backend : "",
			 f->probes, plural(f->probes));
	else
		snprintf(item, sizeof(item), "backend %s", f->backend ? f->backend : "none");
	draw_item(g, 0, col, item);
	sweep_grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
}

static void draw_progress(struct sweep_grid *g, const struct live_frame *f)
{
	char item[256];
	int col;

	col = draw_item(g, 1, 0, figures__load(item, sizeof(item), f->size, f->fields, f->threads));
	if (f->rounds) {
		snprintf(item, sizeof(item), "round %u of %u", f->round, f->rounds);
		col = draw_item(g, 1, col, item);
	}
	if (f->planned_ns)
		snprintf(item, sizeof(item), "%.1f of %.1f s", (double)f->elapsed_ns / 1e9,
			 (double)f->planned_ns / 1e9);
	else
		snprintf(item, sizeof(item), "%.1f s", (double)f->elapsed_ns / 1e9);
	draw_item(g, 1, col, item);
}

static const char *running_mode(const struct live_frame *f)
{
	size_t i;

	for (i = 0; i < f->modes_nr; i++)
		if (f->modes[i].running)
			return mode__words(f->modes[i].mode);
	return "";
}

static void phase_text(char *buf, size_t len, const struct live_frame *f)
{
	const char *mode = running_mode(f);

	switch (f->phase) {
	case LIVE_STARTING:
		snprintf(buf, len, "starting%s%s: nothing is counted yet", *mode ? " " : "", mode);
		break;
	case LIVE_WARMUP:
		snprintf(buf, len, "WARM-UP%s%s: nothing is counted yet", *mode ? " of " : "",
			 mode);
		break;
	case LIVE_RUNNING:
		snprintf(buf, len, "measuring%s%s; rates over the last %.1f s", *mode ? " " : "",
			 mode, f->interval_s);
		break;
	case LIVE_SAMPLING:
		snprintf(buf, len, "sampling%s%s: where its CPU time goes", *mode ? " " : "", mode);
		break;
	case LIVE_TIMING:
		snprintf(buf, len, "timing%s%s: the parts of its send calls", *mode ? " " : "",
			 mode);
		break;
	case LIVE_DRAINING:
		snprintf(buf, len, "draining%s%s: waiting for what is in flight", *mode ? " " : "",
			 mode);
		break;
	case LIVE_DONE:
		snprintf(buf, len, "done");
		break;
	}
}

static void draw_status(struct sweep_grid *g, const struct live_frame *f,
			const struct live_model *m)
{
	static const char paused[] = " PAUSED ";
	char text[128], since[64] = "";
	int col = 0;

	if (m->frozen.valid) {
		sweep_grid__put(g, 2, 0, g->cols, GRID_BOLD | GRID_REVERSE, paused);
		col = (int)sizeof(paused);
	}
	phase_text(text, sizeof(text), f);
	if (m->base.valid)
		snprintf(since, sizeof(since), "; counts since %.1f s",
			 (double)m->base.frame.elapsed_ns / 1e9);
	sweep_grid__printf(g, 2, col, g->cols - col,
			   f->phase == LIVE_WARMUP ? GRID_BOLD : GRID_PLAIN, "%s%s", text, since);
}

/* Kinds of losses with their counts; "" where nothing was lost or nothing is known. */
static void format_losses(char *line, size_t len, const struct health *h)
{
	const struct {
		const struct num *n;
		const char *what;
	} kinds[] = {
		{&h->missed, "program runs missed"},
		{&h->dropped, "events dropped"},
		{&h->map_full, "lost to full maps"},
		{&h->unmatched, "unmatched"},
	};
	size_t used = 0;

	*line = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && used < len; i++)
		if (kinds[i].n->known && kinds[i].n->value)
			used += (size_t)snprintf(
				line + used, len - used, "%s %llu %s",
				used ? "," : "LOSSES:", (unsigned long long)kinds[i].n->value,
				kinds[i].what);
}

/* Was zero-copy zero-copy so far? "" without a zero-copy mode or without completions. */
static void format_verdict(char *buf, size_t len, const struct live_frame *f)
{
	*buf = '\0';
	for (size_t i = 0; i < f->modes_nr; i++) {
		const struct run_result *run = &f->modes[i].total;
		const struct zc_counts *n = verdict__completions(run);

		if (!f->modes[i].seen || f->modes[i].mode != MODE_ZEROCOPY || !n->completed)
			continue;
		if (run->verdict.cause == ZC_CAUSE_NO_SG || n->copied == n->completed)
			snprintf(buf, len, "zero-copy: NO, all copied");
		else if (!n->copied)
			snprintf(buf, len, "zero-copy: yes, none copied");
		else
			snprintf(buf, len, "zero-copy: partly, %.0f %% copied",
				 100 * (double)n->copied / (double)n->completed);
	}
}

static double gbps_of(const struct live_mode *m)
{
	return m->total.duration_ns
		       ? (double)run_result__delivered(&m->total) * 8 / (double)m->total.duration_ns
		       : 0;
}

static double cost_of(const struct live_mode *m)
{
	struct real cpu =
		perf_derive(&m->total, DERIVED_CPU_NS_PER_KIB, perf_whose__here(&m->total));

	return cpu.known && cpu.value > 0 ? 1 / cpu.value : 0;
}

/* "fastest two-copy": the mode with the largest value so far; "" unless two modes have one. */
static void format_best(char *buf, size_t len, const struct live_frame *f, const char *what,
			double (*value_of)(const struct live_mode *m))
{
	const struct live_mode *best = NULL;
	size_t known = 0;

	*buf = '\0';
	for (size_t i = 0; i < f->modes_nr; i++) {
		const struct live_mode *m = &f->modes[i];

		if (!m->seen || value_of(m) <= 0)
			continue;
		known++;
		if (!best || value_of(m) > value_of(best))
			best = m;
	}
	if (known > 1)
		snprintf(buf, len, "%s %s", what, mode__words(best->mode));
}

/* The answers so far, in one line; losses replace them. */
static void draw_answers(struct sweep_grid *g, int row, const struct live_frame *f)
{
	char item[256];
	int col = 0;

	format_losses(item, sizeof(item), &f->health);
	if (*item) {
		sweep_grid__put(g, row, 0, g->cols, GRID_BOLD, item);
		return;
	}
	format_verdict(item, sizeof(item), f);
	col = draw_item(g, row, col, item);
	format_best(item, sizeof(item), f, "fastest", gbps_of);
	col = draw_item(g, row, col, item);
	format_best(item, sizeof(item), f, "cheapest", cost_of);
	col = draw_item(g, row, col, item);
	if (f->health.missed.known)
		col = draw_item(g, row, col, "nothing missed");
	if (col)
		draw_item(g, row, col, "(so far)");
}

static void draw_keys(struct sweep_grid *g, int row, bool utf8)
{
	static const char rest[] = " quantity   t sizes/times   r reset   ? help";
	static const char first[] = "q quit   p pause   ";
	int col = (int)sizeof(first) - 1;

	sweep_grid__put(g, row, 0, g->cols, GRID_DIM, first);
	if (utf8) {
		sweep_grid__glyph(g, row, col++, GRID_DIM, "\u2190");
		sweep_grid__put(g, row, col++, 1, GRID_DIM, "/");
		sweep_grid__glyph(g, row, col++, GRID_DIM, "\u2192");
	} else {
		sweep_grid__put(g, row, col, g->cols, GRID_DIM, "left/right");
		col += (int)strlen("left/right");
	}
	sweep_grid__put(g, row, col, g->cols, GRID_DIM, rest);
}

static void draw_frame(struct sweep_grid *g, const struct live_frame *f, const struct live_model *m,
		       bool utf8)
{
	int bottom = g->rows - 1, roomy = g->rows >= 30, row;

	draw_title(g, f);
	draw_progress(g, f);
	draw_status(g, f, m);
	row = draw_ledger(g, 3 + roomy, f);
	row = draw_cost(g, row + roomy, f);
	if (m->quantity == LIVE_CALL_PARTS)
		live_shares__parts(g, row + roomy, bottom - 2, f, utf8);
	else if (m->quantity == LIVE_CPU)
		live_shares__cpu(g, row + roomy, bottom - 2, f, utf8);
	else
		live_columns__draw(g, row + roomy, bottom - 2, f, m->quantity, m->times, utf8);
	draw_answers(g, bottom - 1, f);
	draw_keys(g, bottom, utf8);
}

void live_layout__draw(struct sweep_grid *g, const struct live_model *m, bool utf8)
{
	struct frame_copy shown;

	if (g->rows < LIVE_MIN_ROWS || g->cols < LIVE_MIN_COLS) {
		sweep_grid__printf(g, 0, 0, g->cols, GRID_PLAIN,
				   "terminal too small: needs %dx%d, is %dx%d", LIVE_MIN_COLS,
				   LIVE_MIN_ROWS, g->cols, g->rows);
		return;
	}
	if (m->help) {
		draw_help(g);
		return;
	}
	if (!live_model__shown(m, &shown)) {
		sweep_grid__put(g, 0, 0, g->cols, GRID_PLAIN,
				"netiotrace: waiting for the first figures");
		draw_keys(g, g->rows - 1, utf8);
		return;
	}
	draw_frame(g, &shown.frame, m, utf8);
	frame_copy__clear(&shown);
}
