/* SPDX-License-Identifier: GPL-2.0-only */
/* A page as one HTML file with embedded style and pictures, without scripts. */
#include <stdbool.h>
#include <string.h>

#include "common/embed.h"
#include "diagram.h"
#include "doc.h"

/*
 * Colours are variables, so that a dark page is a second set of them. Pictures are drawn on white;
 * a dark page shows them inverted, with the hues turned back. Print is always light, and bars
 * have no patterns there (only the legend, before the third group): browsers print each pattern as
 * a bitmap, 43 MB for 199 bars.
 */
EMBED(page_style, "user/report/page.css");

static void html_page(struct doc *d, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      d->f);
	xml__put(d->f, title);
	fprintf(d->f, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>", page_style);
	xml__put(d->f, title);
	fputs("</h1>\n", d->f);
}

static void put_element(FILE *f, const char *open, const char *text, const char *close)
{
	fputs(open, f);
	xml__put(f, text);
	fputs(close, f);
}

static void html_heading(struct doc *d, int level, const char *text)
{
	char slug[256];

	doc__slug(slug, sizeof(slug), text);
	fprintf(d->f, "<h%d id=\"%s\">", level, slug);
	xml__put(d->f, text);
	fprintf(d->f, "</h%d>\n", level);
}

static void html_link(struct doc *d, const struct doc_link *link)
{
	char slug[256];

	doc__slug(slug, sizeof(slug), link->text);
	if (link->file)
		fprintf(d->f, "<a href=\"%s\">", link->file);
	else
		fprintf(d->f, "<a href=\"#%s\">", link->picture ? link->picture : slug);
	put_element(d->f, "", link->text, "</a>");
}

/* Tables of more than three columns are wide: a name, and numbers to the right. */
static void html_table(struct doc *d, const char *const *heads)
{
	fprintf(d->f, "<div class=\"scroll\"><table%s>\n<thead><tr>",
		d->columns > 3 ? " class=\"wide\"" : "");
	for (d->column = 0; d->column < d->columns; d->column++)
		put_element(d->f, "<th>", heads[d->column], "</th>");
	d->column = 0;
	fputs("</tr></thead>\n<tbody>\n", d->f);
}

static void html_cell(struct doc *d, const char *text)
{
	bool winner = !strncmp(text, DOC_WINNER, strlen(DOC_WINNER));

	put_element(d->f, winner ? "<td class=\"win\">" : "<td>", text, "</td>");
}

/* Where text begins with what, what's length; else 0. */
static size_t begins(const char *text, const char *what)
{
	size_t len = strlen(what);

	return strncmp(text, what, len) ? 0 : len;
}

/*
 * gnuplot gives the same ids to the parts of every picture; in one page each must have its own, so
 * they and the references to them get the picture's name before them.
 */
static void put_svg(FILE *f, const char *svg, const char *name)
{
	static const char *const before_id[] = {" id=\"", " id='",  "href=\"#", "href='#",
						"url(#",  "url('#", "url(\"#"};
	const char *p = strstr(svg, "<svg");
	size_t i, len;

	for (p = p ? p : svg; *p;) {
		len = 0;
		for (i = 0; i < sizeof(before_id) / sizeof(before_id[0]) && !len; i++)
			len = begins(p, before_id[i]);
		if (len) {
			fwrite(p, 1, len, f);
			fprintf(f, "%s-", name);
			p += len;
		} else {
			fputc(*p++, f);
		}
	}
}

static void html_picture(struct doc *d, const char *name, const char *svg, const char *alt)
{
	fprintf(d->f, "<figure id=\"%s\">\n<div class=\"scroll\" role=\"img\" aria-label=\"", name);
	xml__put(d->f, alt);
	fputs("\">", d->f);
	put_svg(d->f, svg, name);
	fputs("</div>\n</figure>\n", d->f);
}

const struct doc_form doc_html = {
	.marks =
		{
			[DOC_PARAGRAPH] = {"<p>", "</p>\n", NULL},
			[DOC_STRONG] = {"<p class=\"strong\">", "</p>\n", NULL},
			[DOC_FOLD] = {"<details>", "</details>\n", NULL},
			[DOC_FOLD_TITLE] = {"<summary>", "</summary>\n", NULL},
			[DOC_PAIR] = {"<div class=\"pair\">\n", "</div>\n", NULL},
			[DOC_CONTENTS] = {"<nav aria-label=\"Contents\">\n", "\n</nav>\n", "\n"},
			[DOC_SEE] = {"<p class=\"links\">See: ", "</p>\n", ", "},
			[DOC_TABLE_ROW] = {"<tr>", "</tr>\n", NULL},
			[DOC_TABLE_END] = {"", "</tbody></table></div>\n", NULL},
			[DOC_PAGE_END] = {"", "</main>\n</body>\n</html>\n", NULL},
		},
	.text = xml__put,
	.page = html_page,
	.heading = html_heading,
	.link = html_link,
	.table = html_table,
	.cell = html_cell,
	.picture = html_picture,
};
