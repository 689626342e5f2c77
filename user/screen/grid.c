/* SPDX-License-Identifier: GPL-2.0-only */
/* The cells of grid.h: bounds, clipping, bars. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "grid.h"

#define HELP_COLS 16

struct sweep_grid *sweep_grid__new(int rows, int cols)
{
	struct sweep_grid *g;
	size_t n;

	if (rows < 1 || cols < 1 || rows > GRID_SIDE_MAX || cols > GRID_SIDE_MAX)
		return NULL;
	n = (size_t)rows * (size_t)cols;
	g = xcalloc(1, sizeof(*g) + n * sizeof(g->cells[0]));
	g->rows = rows;
	g->cols = cols;
	for (size_t i = 0; i < n; i++)
		g->cells[i].text[0] = ' ';
	return g;
}

void sweep_grid__free(struct sweep_grid *g)
{
	free(g);
}

static struct grid_cell *sweep_grid__cell(struct sweep_grid *g, int row, int col)
{
	if (row < 0 || col < 0 || row >= g->rows || col >= g->cols)
		return NULL;
	return &g->cells[row * g->cols + col];
}

static void sweep_grid__char(struct sweep_grid *g, int row, int col, unsigned int attr, char c)
{
	struct grid_cell *cell = sweep_grid__cell(g, row, col);

	if (!cell)
		return;
	memset(cell->text, 0, sizeof(cell->text));
	cell->text[0] = c >= 0x20 && c < 0x7f ? c : '?';
	cell->attr = (unsigned char)attr;
}

void sweep_grid__put(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
		     const char *s)
{
	int i;

	if (width > g->cols - col)
		width = g->cols - col;
	for (i = 0; i < width && s[i]; i++)
		sweep_grid__char(g, row, col + i, attr, i == width - 1 && s[i + 1] ? '~' : s[i]);
}

void sweep_grid__put_right(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
			   const char *s)
{
	size_t len = strlen(s);
	int pad = width > 0 && len < (size_t)width ? width - (int)len : 0;

	sweep_grid__put(g, row, col + pad, width - pad, attr, s);
}

void sweep_grid__printf(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
			const char *fmt, ...)
{
	char buf[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	sweep_grid__put(g, row, col, width, attr, buf);
}

void sweep_grid__glyph(struct sweep_grid *g, int row, int col, unsigned int attr, const char *utf8)
{
	struct grid_cell *cell = sweep_grid__cell(g, row, col);

	if (!cell)
		return;
	snprintf(cell->text, sizeof(cell->text), "%s", utf8);
	cell->attr = (unsigned char)attr;
}

void sweep_grid__paint(struct sweep_grid *g, int row, int col, int width, unsigned int attr)
{
	struct grid_cell *cell;
	int i;

	for (i = 0; i < width; i++) {
		cell = sweep_grid__cell(g, row, col + i);
		if (cell)
			cell->attr = (unsigned char)attr;
	}
}

void sweep_grid__bar(struct sweep_grid *g, int row, int col, int width, unsigned int attr,
		     double fraction, bool utf8)
{
	static const char *const part[] = {"",       "\u258f", "\u258e", "\u258d",
					   "\u258c", "\u258b", "\u258a", "\u2589"};
	int unit = utf8 ? 8 : 1, n = (int)(fraction * width * unit + 0.5), i;

	if (!n)
		n = 1;
	for (i = 0; i < n / unit; i++)
		sweep_grid__glyph(g, row, col + i, attr, utf8 ? "\u2588" : "#");
	if (n % unit)
		sweep_grid__glyph(g, row, col + i, attr, part[n % unit]);
}

void format_share(char *buf, size_t len, double share)
{
	if (share < 0.0005)
		snprintf(buf, len, "<0.1%%");
	else if (share > 0.9995)
		snprintf(buf, len, share < 1 ? ">99.9%%" : "100%%");
	else
		snprintf(buf, len, "%.1f%%", share * 100);
}

int sweep_grid__text(struct sweep_grid *g, int row, int last, int col, int width, unsigned int attr,
		     const char *text)
{
	const char *line;
	size_t len;

	for (; row <= last && (len = wrap__next(&text, (size_t)width, &line)); row++)
		sweep_grid__printf(g, row, col, width, attr, "%.*s", (int)len, line);
	return row;
}

void sweep_grid__title(struct sweep_grid *g, const char *text)
{
	sweep_grid__put(g, 0, 0, g->cols, GRID_PLAIN, text);
	sweep_grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
}

static int draw_help(struct sweep_grid *g, int row, const char *const (*list)[2])
{
	for (; (*list)[0]; list++) {
		sweep_grid__put(g, row, 1, HELP_COLS, GRID_BOLD, (*list)[0]);
		row = sweep_grid__text(g, row, g->rows - 2, 1 + HELP_COLS, g->cols - 1 - HELP_COLS,
				       GRID_PLAIN, (*list)[1]);
	}
	return row;
}

void sweep_grid__help(struct sweep_grid *g, const char *title, const char *const (*list)[2],
		      const char *const (*more)[2])
{
	sweep_grid__title(g, title);
	draw_help(g, draw_help(g, 1, list), more);
	sweep_grid__put(g, g->rows - 1, 0, g->cols, GRID_DIM, "any key closes this");
}

bool sweep_grid__too_small(struct sweep_grid *g, int cols, int rows)
{
	if (g->rows >= rows && g->cols >= cols)
		return false;
	sweep_grid__printf(g, 0, 0, g->cols, GRID_PLAIN,
			   "terminal too small: needs %dx%d, is %dx%d", cols, rows, g->cols,
			   g->rows);
	return true;
}
