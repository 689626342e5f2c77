/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger on the live screen: a row per mode, rates per stage. Pure layout on a grid. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "live_layout.h"

#define MODE_COLS   10
#define COPIES_COLS 9
#define GBPS_COLS   7
#define RATE_BUF    (UNITS_BUF + 8)
#define RATE_COLS   10 /* "4.38 GB/s", apart */

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

static struct ledger_columns plan_columns(const struct live_frame *f, int cols)
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

/* "4.38 GB/s", or "4.38GB" where the column is too narrow for it. */
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

static void draw_figures(struct grid *g, int row, int col, unsigned int attr,
			 const struct live_mode *m)
{
	struct copies_figure c = figures__copies(&m->total);
	char buf[UNITS_BUF] = "n/a";

	/* The mark has a column of its own, so that the figures stand below each other. */
	if (c.value.known)
		snprintf(buf, sizeof(buf), "%.2f%s", c.value.value, c.excluded ? "*" : " ");
	else
		snprintf(buf, sizeof(buf), "n/a ");
	grid__put_right(g, row, col, COPIES_COLS, attr, buf);
	if (isfinite(m->gbps))
		snprintf(buf, sizeof(buf), "%.1f", m->gbps);
	else
		snprintf(buf, sizeof(buf), "n/a");
	grid__put_right(g, row, col + COPIES_COLS, GBPS_COLS, attr, buf);
}

static void draw_mode(struct grid *g, int row, const struct live_mode *m,
		      const struct ledger_columns *c)
{
	unsigned int attr = view_mode__attr(m->mode) | (m->running ? GRID_BOLD : GRID_PLAIN);
	char cell[RATE_BUF];
	int i;

	grid__printf(g, row, 0, MODE_COLS, attr, "%c %s", m->running ? '>' : ' ',
		     mode__name(m->mode));
	if (!m->seen) {
		grid__put(g, row, MODE_COLS + 2, g->cols, GRID_DIM, "not run yet");
		return;
	}
	for (i = 0; i < c->nr; i++) {
		stage_cell(cell, sizeof(cell), m, c->stage[i], c->width);
		grid__put_right(g, row, MODE_COLS + i * c->width, c->width, attr, cell);
	}
	draw_figures(g, row, MODE_COLS + c->nr * c->width, attr, m);
}

static void draw_heading(struct grid *g, int row, const struct ledger_columns *c)
{
	int i, col = MODE_COLS + c->nr * c->width;

	grid__put(g, row, 2, MODE_COLS, GRID_BOLD, c->width < RATE_COLS ? "bytes/s" : "mode");
	for (i = 0; i < c->nr; i++)
		grid__put_right(g, row, MODE_COLS + i * c->width, c->width, GRID_BOLD,
				stage__heading(c->stage[i]));
	grid__put_right(g, row, col, COPIES_COLS, GRID_BOLD, "copies/B");
	grid__put_right(g, row, col + COPIES_COLS, GBPS_COLS, GRID_BOLD, "Gbit/s");
}

/* Whose copies per byte those are, and what the '*' beside them means: which stages they lack. */
static void draw_excluded(struct grid *g, int row, const struct live_frame *f)
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
		grid__put(g, row, 0, g->cols, GRID_DIM, line);
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
	grid__put(g, row, 0, g->cols, GRID_DIM, line);
}

int view_ledger__draw(struct grid *g, int row, const struct live_frame *f)
{
	struct ledger_columns c = plan_columns(f, g->cols);
	size_t i;

	draw_heading(g, row++, &c);
	for (i = 0; i < f->modes_nr; i++)
		draw_mode(g, row++, &f->modes[i], &c);
	draw_excluded(g, row, f);
	return row + 1;
}
