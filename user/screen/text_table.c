/* SPDX-License-Identifier: GPL-2.0-only */
/* Layout of the tables of text_table.h: packs groups, aligns cells. */
#include <string.h>

#include "text_table.h"

#define MODE_WIDTH 10
#define LINE_LEN   512

static unsigned int group__width(const struct text_group *g)
{
	unsigned int width = 0;
	size_t i;

	for (i = 0; i < g->columns_nr; i++)
		width += g->columns[i].width;
	return width;
}

/* Right-aligns text in the field of width bytes at line[at]. What is too long keeps its beginning.
 */
static void place_right(char *line, size_t at, size_t width, const char *text)
{
	size_t len = strlen(text);

	if (at + width >= LINE_LEN)
		return;
	if (len >= width)
		len = width - 1;
	memcpy(line + at + width - len, text, len);
}

static void place_left(char *line, size_t at, const char *text)
{
	size_t len = strlen(text);

	if (at + len < LINE_LEN)
		memcpy(line + at, text, len);
}

static void blank(char *line)
{
	memset(line, ' ', LINE_LEN - 1);
	line[LINE_LEN - 1] = '\0';
}

static void print_line(FILE *f, char *line)
{
	size_t len = LINE_LEN - 1;

	while (len && line[len - 1] == ' ')
		len--;
	line[len] = '\0';
	fprintf(f, "%s\n", line);
}

/* A title begins where the heading of its group's first column begins. */
static void print_titles(FILE *f, const struct text_group *groups, size_t n)
{
	size_t i, at = MODE_WIDTH, lead;
	char line[LINE_LEN];

	blank(line);
	for (i = 0; i < n; i++) {
		lead = groups[i].columns[0].width - strlen(groups[i].columns[0].head);
		place_left(line, at + lead, groups[i].title);
		at += group__width(&groups[i]);
	}
	print_line(f, line);
}

static void print_row(FILE *f, const struct mode_summary *s, const struct text_group *groups,
		      size_t n)
{
	char line[LINE_LEN], cell[TEXT_CELL_LEN];
	size_t i, c, at = MODE_WIDTH;

	blank(line);
	place_left(line, 0, s ? mode__name(s->mode) : "mode");
	for (i = 0; i < n; i++) {
		for (c = 0; c < groups[i].columns_nr; c++) {
			cell[0] = '\0';
			if (s)
				groups[i].cell(cell, s, c);
			place_right(line, at, groups[i].columns[c].width,
				    s ? cell : groups[i].columns[c].head);
			at += groups[i].columns[c].width;
		}
	}
	print_line(f, line);
}

void text_table__print(FILE *f, unsigned int width, const struct result *r,
		       const struct text_group *groups, size_t n)
{
	unsigned int used;
	size_t take, i;

	for (; n; groups += take, n -= take) {
		used = MODE_WIDTH + group__width(&groups[0]);
		for (take = 1; take < n; take++) {
			used += group__width(&groups[take]);
			if (used > width)
				break;
		}
		fputc('\n', f);
		print_titles(f, groups, take);
		print_row(f, NULL, groups, take);
		for (i = 0; i < r->summary_nr; i++)
			print_row(f, &r->summary[i], groups, take);
	}
}
