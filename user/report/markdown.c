/* SPDX-License-Identifier: GPL-2.0-only */
/* A page as Markdown, with the pictures as files beside it. */
#include <string.h>

#include "base/printable.h"
#include "doc.h"

/* Escapes the characters of Markdown's syntax; "|" would end a table's cell. */
static void put_text(FILE *f, const char *text)
{
	size_t n;

	for (; *text; text += n ? n : 1) {
		n = printable__length(text);
		if (!n)
			fputc(*text == '\n' ? ' ' : '?', f);
		else if (n == 1 && strchr("\\`*_{}[]<>#|~&", *text))
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, n, f);
	}
}

/* Our own drawings are there as SVG only. */
static const char *suffix_of(const char *picture)
{
	return strncmp(picture, "diagram-", 8) ? "png" : "svg";
}

static void md_heading(struct doc *d, int level, const char *text)
{
	fprintf(d->f, "%.*s ", level, "######");
	put_text(d->f, text);
	fputs("\n\n", d->f);
}

static void md_page(struct doc *d, const char *title)
{
	md_heading(d, 1, title);
}

/* A picture has its file to go to, a heading its anchor. */
static void md_link(struct doc *d, const struct doc_link *link)
{
	char slug[256];

	fputc('[', d->f);
	put_text(d->f, link->text);
	doc__slug(slug, sizeof(slug), link->text);
	if (link->file)
		fprintf(d->f, "](%s)", link->file);
	else if (link->picture)
		fprintf(d->f, "](%s.%s)", link->picture, suffix_of(link->picture));
	else
		fprintf(d->f, "](#%s)", slug);
}

static void md_cell(struct doc *d, const char *text)
{
	fputs("| ", d->f);
	put_text(d->f, text);
	fputc(' ', d->f);
}

static void md_table(struct doc *d, const char *const *heads)
{
	for (size_t i = 0; i < d->columns; i++)
		md_cell(d, heads[i]);
	fputs("|\n", d->f);
	for (size_t i = 0; i < d->columns; i++)
		fputs("|---", d->f);
	fputs("|\n", d->f);
}

static void md_picture(struct doc *d, const char *name, const char *svg, const char *alt)
{
	(void)svg;
	fputs("![", d->f);
	put_text(d->f, alt);
	fprintf(d->f, "](%s.%s)\n\n", name, suffix_of(name));
}

const struct doc_form doc_markdown = {
	.marks =
		{
			[DOC_PARAGRAPH] = {"", "\n\n", NULL},
			[DOC_STRONG] = {"**", "**\n\n", NULL},
			[DOC_FOLD] = {"", "", NULL},
			[DOC_FOLD_TITLE] = {"", "\n\n", NULL},
			[DOC_PAIR] = {"", "", NULL},
			[DOC_CONTENTS] = {"Contents: ", "\n\n", ", "},
			[DOC_SEE] = {"See: ", "\n\n", ", "},
			[DOC_TABLE_ROW] = {"", "|\n", NULL},
			[DOC_TABLE_END] = {"", "\n", NULL},
			[DOC_PAGE_END] = {"", "", NULL},
		},
	.text = put_text,
	.page = md_page,
	.heading = md_heading,
	.link = md_link,
	.table = md_table,
	.cell = md_cell,
	.picture = md_picture,
};
