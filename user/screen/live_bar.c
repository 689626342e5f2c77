/* SPDX-License-Identifier: GPL-2.0-only */
/* Bars, shares and wrapped text of live_bar.h. Pure layout on a grid. */
#include <stdio.h>

#include "live_bar.h"
#include "base/wrap.h"

void bar__draw(struct grid *g, int row, int col, int width, unsigned int attr, double fraction,
	       bool utf8)
{
	static const char *const part[] = {"",       "\u258f", "\u258e", "\u258d",
					   "\u258c", "\u258b", "\u258a", "\u2589"};
	int unit = utf8 ? 8 : 1, n = (int)(fraction * width * unit + 0.5), i;

	if (!n)
		n = 1;
	for (i = 0; i < n / unit; i++)
		grid__glyph(g, row, col + i, attr, utf8 ? "\u2588" : "#");
	if (n % unit)
		grid__glyph(g, row, col + i, attr, part[n % unit]);
}

void bar__format_share(char *buf, size_t len, double share)
{
	if (share < 0.0005)
		snprintf(buf, len, "<0.1%%");
	else if (share > 0.9995)
		snprintf(buf, len, share < 1 ? ">99.9%%" : "100%%");
	else
		snprintf(buf, len, "%.1f%%", share * 100);
}

void bar__text(struct grid *g, int row, int last, int col, int width, unsigned int attr,
	       const char *text)
{
	const char *line;
	size_t len;

	for (; row <= last; row++) {
		len = wrap__next(&text, (size_t)width, &line);
		if (!len)
			return;
		grid__printf(g, row, col, width, attr, "%.*s", (int)len, line);
	}
}
