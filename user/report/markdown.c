/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as Markdown, with the pictures as files beside it. */
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

static void md_heading(FILE *f, int level, const char *text)
{
	fprintf(f, "%.*s ", level, "######");
	put_text(f, text);
	fputs("\n\n", f);
}

static void md_begin(FILE *f, const char *title)
{
	md_heading(f, 1, title);
}

static void md_nothing(FILE *f)
{
	(void)f;
}

/* A picture has its file to go to, a heading its anchor. */
static void put_link(FILE *f, const struct report_link *link)
{
	char slug[256];

	fputc('[', f);
	put_text(f, link->text);
	if (link->picture) {
		fprintf(f, "](%s.%s)", link->picture, suffix_of(link->picture));
		return;
	}
	report_body__slug(slug, sizeof(slug), link->text);
	fprintf(f, "](#%s)", slug);
}

static void md_links(FILE *f, const char *before, const struct report_link *links, size_t n)
{
	put_text(f, before);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		put_link(f, &links[i]);
	}
	fputs("\n\n", f);
}

static void md_contents(FILE *f, const struct report_link *links, size_t n)
{
	md_links(f, "Contents: ", links, n);
}

static void md_paragraph(FILE *f, const char *text)
{
	put_text(f, text);
	fputs("\n\n", f);
}

static void md_strong(FILE *f, const char *text)
{
	fputs("**", f);
	put_text(f, text);
	fputs("**\n\n", f);
}

static void md_list(FILE *f, char *const *items, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		fputs("- ", f);
		put_text(f, items[i]);
		fputc('\n', f);
	}
	fputc('\n', f);
}

static void md_table_row(FILE *f, const char *const *cells, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		fputs("| ", f);
		put_text(f, cells[i]);
		fputc(' ', f);
	}
	fputs("|\n", f);
}

static void md_table_begin(FILE *f, const char *const *heads, size_t n)
{
	size_t i;

	md_table_row(f, heads, n);
	for (i = 0; i < n; i++)
		fputs("|---", f);
	fputs("|\n", f);
}

static void md_table_end(FILE *f)
{
	fputc('\n', f);
}

static void md_picture(FILE *f, const char *name, const char *svg, const char *alt,
		       const char *caption)
{
	(void)svg;
	fputs("![", f);
	put_text(f, alt);
	fprintf(f, "](%s.%s)\n\n", name, suffix_of(name));
	if (caption)
		md_paragraph(f, caption);
}

static void md_fold_begin(FILE *f, const char *summary)
{
	md_paragraph(f, summary);
}

const struct report_form report_markdown = {
	.begin = md_begin,
	.end = md_nothing,
	.contents = md_contents,
	.heading = md_heading,
	.paragraph = md_paragraph,
	.strong = md_strong,
	.list = md_list,
	.table_begin = md_table_begin,
	.table_row = md_table_row,
	.table_end = md_table_end,
	.picture = md_picture,
	.pair_begin = md_nothing,
	.pair_end = md_nothing,
	.links = md_links,
	.fold_begin = md_fold_begin,
	.fold_end = md_nothing,
};
