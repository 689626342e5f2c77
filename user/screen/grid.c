/* SPDX-License-Identifier: GPL-2.0-only */
/* The cells of grid.h: bounds, clipping, bars. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/xalloc.h"
#include "grid.h"

static const char more[] = " ...";

struct grid *grid__new(int rows, int cols)
{
	struct grid *g;
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

void grid__free(struct grid *g)
{
	free(g);
}

static struct grid_cell *grid__cell(struct grid *g, int row, int col)
{
	if (row < 0 || col < 0 || row >= g->rows || col >= g->cols)
		return NULL;
	return &g->cells[row * g->cols + col];
}

static void grid__char(struct grid *g, int row, int col, unsigned int attr, char c)
{
	struct grid_cell *cell = grid__cell(g, row, col);

	if (!cell)
		return;
	memset(cell->text, 0, sizeof(cell->text));
	cell->text[0] = c >= 0x20 && c < 0x7f ? c : '?';
	cell->attr = (unsigned char)attr;
}

void grid__put(struct grid *g, int row, int col, int width, unsigned int attr, const char *s)
{
	int i;

	if (width > g->cols - col)
		width = g->cols - col;
	for (i = 0; i < width && s[i]; i++)
		grid__char(g, row, col + i, attr, i == width - 1 && s[i + 1] ? '~' : s[i]);
}

void grid__put_right(struct grid *g, int row, int col, int width, unsigned int attr, const char *s)
{
	size_t len = strlen(s);
	int pad = width > 0 && len < (size_t)width ? width - (int)len : 0;

	grid__put(g, row, col + pad, width - pad, attr, s);
}

void grid__printf(struct grid *g, int row, int col, int width, unsigned int attr, const char *fmt,
		  ...)
{
	char buf[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	grid__put(g, row, col, width, attr, buf);
}

void grid__glyph(struct grid *g, int row, int col, unsigned int attr, const char *utf8)
{
	struct grid_cell *cell = grid__cell(g, row, col);

	if (!cell)
		return;
	snprintf(cell->text, sizeof(cell->text), "%s", utf8);
	cell->attr = (unsigned char)attr;
}

void grid__paint(struct grid *g, int row, int col, int width, unsigned int attr)
{
	struct grid_cell *cell;
	int i;

	for (i = 0; i < width; i++) {
		cell = grid__cell(g, row, col + i);
		if (cell)
			cell->attr = (unsigned char)attr;
	}
}

void grid__bar(struct grid *g, int row, int col, int width, unsigned int attr, double fraction,
	       bool utf8)
{
	static const char *const part[] = {"",       "\u258f", "\u258e", "\u258d",
					   "\u258c", "\u258b", "\u258a", "\u2589"};
	int unit = utf8 ? 8 : 1, n = (int)(fraction * width * unit + 0.5), i;

	if (width < 1)
		return;
	if (!n)
		n = 1;
	for (i = 0; i < n / unit; i++)
		grid__glyph(g, row, col + i, attr, utf8 ? "\u2588" : "#");
	if (n % unit)
		grid__glyph(g, row, col + i, attr, part[n % unit]);
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

int grid__text(struct grid *g, int row, int last, int col, int width, unsigned int attr,
	       const char *text)
{
	const char *line;
	size_t len;

	for (; row <= last && (len = wrap__next(&text, (size_t)width, &line)); row++) {
		bool cut = row == last && text[strspn(text, " \n")];

		if (cut && len + sizeof(more) - 1 > (size_t)width)
			len = width < (int)sizeof(more) ? 0 : (size_t)width - sizeof(more) + 1;
		grid__printf(g, row, col, width, attr, "%.*s%s", (int)len, line, cut ? more : "");
	}
	return row;
}

int grid__text_rows(const char *text, int width)
{
	const char *line;
	int rows = 0;

	while (wrap__next(&text, (size_t)width, &line))
		rows++;
	return rows;
}

void grid__title(struct grid *g, const char *text)
{
	grid__put(g, 0, 0, g->cols, GRID_PLAIN, text);
	grid__paint(g, 0, 0, g->cols, GRID_BOLD | GRID_REVERSE);
}

int grid__too_small(struct grid *g, int cols, int rows)
{
	char text[80];

	if (g->rows >= rows && g->cols >= cols)
		return 0;
	snprintf(text, sizeof(text), "terminal too small: needs %dx%d, is %dx%d", cols, rows,
		 g->cols, g->rows);
	return grid__text(g, 0, g->rows - 1, 0, g->cols, GRID_PLAIN, text);
}
