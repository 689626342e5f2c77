/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the parts of the live picture go: title, progress, status, ledger, histograms, losses,
 * keys. Pure: a model in, a grid of cells out; knows no terminal.
 */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "live_layout.h"

unsigned int view_mode__attr(enum mode mode)
{
	return 1 + (unsigned int)mode;
}

/* Writes an item three spaces behind the last, unless it does not fit the row. Returns the end. */
static int draw_item(struct grid *g, int row, int col, const char *item)
{
	int len = (int)strlen(item), at = col ? col + 3 : 0;

	if (!len || at + len > g->cols)
		return col;
	grid__put(g, row, at, len, GRID_PLAIN, item);
	return at + len;
}

static void draw_title(struct grid *g, const struct live_frame *f)
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
	grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
}

static void draw_progress(struct grid *g, const struct live_frame *f)
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
			return mode__name(f->modes[i].mode);
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

static void draw_status(struct grid *g, const struct live_frame *f, const struct view_model *m)
{
	static const char paused[] = " PAUSED ";
	char text[128], since[64] = "";
	int col = 0;

	if (m->frozen.valid) {
		grid__put(g, 2, 0, g->cols, GRID_BOLD | GRID_REVERSE, paused);
		col = (int)sizeof(paused);
	}
	phase_text(text, sizeof(text), f);
	if (m->base.valid)
		snprintf(since, sizeof(since), "; counts since %.1f s",
			 (double)m->base.frame.elapsed_ns / 1e9);
	grid__printf(g, 2, col, g->cols - col, f->phase == LIVE_WARMUP ? GRID_BOLD : GRID_PLAIN,
		     "%s%s", text, since);
}

/* Each loss in words of its own; a kind that lost nothing, or is not known, is not mentioned. */
static void draw_losses(struct grid *g, int row, const struct health *h)
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
	char line[256] = "LOSSES:";
	size_t i, used;

	if (!figures__any_loss(h))
		return;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].n->known || !kinds[i].n->value)
			continue;
		used = strlen(line);
		snprintf(line + used, sizeof(line) - used, "%s %llu %s",
			 line[used - 1] == ':' ? "" : ",", (unsigned long long)kinds[i].n->value,
			 kinds[i].what);
	}
	grid__put(g, row, 0, g->cols, GRID_BOLD, line);
}

static void draw_keys(struct grid *g, int row, bool utf8)
{
	static const char rest[] = " quantity   t sizes/times   r reset   ? help";
	static const char first[] = "q quit   p pause   ";
	int col = (int)sizeof(first) - 1;

	grid__put(g, row, 0, g->cols, GRID_DIM, first);
	if (utf8) {
		grid__glyph(g, row, col++, GRID_DIM, "\u2190");
		grid__put(g, row, col++, 1, GRID_DIM, "/");
		grid__glyph(g, row, col++, GRID_DIM, "\u2192");
	} else {
		grid__put(g, row, col, g->cols, GRID_DIM, "left/right");
		col += (int)strlen("left/right");
	}
	grid__put(g, row, col, g->cols, GRID_DIM, rest);
}

static void draw_frame(struct grid *g, const struct live_frame *f, const struct view_model *m,
		       bool utf8)
{
	int bottom = g->rows - 1, roomy = g->rows >= 30, row;

	draw_title(g, f);
	draw_progress(g, f);
	draw_status(g, f, m);
	row = view_ledger__draw(g, 3 + roomy, f);
	row = view_cost__draw(g, row + roomy, f);
	if (m->quantity == VIEW_CALL_PARTS)
		view_parts__draw(g, row + roomy, bottom - 2, f, utf8);
	else if (m->quantity == VIEW_CPU)
		view_cpu__draw(g, row + roomy, bottom - 2, f, utf8);
	else
		view_columns__draw(g, row + roomy, bottom - 2, f, m->quantity, m->times, utf8);
	draw_losses(g, bottom - 1, &f->health);
	draw_keys(g, bottom, utf8);
}

void view_layout__draw(struct grid *g, const struct view_model *m, bool utf8)
{
	struct frame_copy shown;
	int err;

	if (g->rows < VIEW_MIN_ROWS || g->cols < VIEW_MIN_COLS) {
		grid__printf(g, 0, 0, g->cols, GRID_PLAIN,
			     "terminal too small: needs %dx%d, is %dx%d", VIEW_MIN_COLS,
			     VIEW_MIN_ROWS, g->cols, g->rows);
		return;
	}
	if (m->help) {
		view_help__draw(g);
		return;
	}
	err = view_model__shown(m, &shown);
	if (err) {
		grid__put(g, 0, 0, g->cols, GRID_PLAIN,
			  m->latest.valid ? "out of memory: the picture cannot be drawn"
					  : "netiotrace: waiting for the first figures");
		draw_keys(g, g->rows - 1, utf8);
		return;
	}
	draw_frame(g, &shown.frame, m, utf8);
	frame_copy__clear(&shown);
}
