/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report as one HTML file that needs nothing else: style and pictures are in it, and it has no
 * scripts.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "diagram.h"
#include "doc.h"

static const char style[] =
	":root{color-scheme:light}"
	"body{margin:0;background:#fff;color:#1a1a1a;"
	"font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
	"main{max-width:980px;margin:0 auto;padding:24px 20px 64px}"
	"h1{font-size:1.6rem;line-height:1.25;margin:0 0 .6em;overflow-wrap:anywhere}"
	"h2{font-size:1.25rem;margin:2.2em 0 .7em;padding-top:.6em;border-top:1px solid #d9dce0}"
	"h3{font-size:1.05rem;margin:1.9em 0 .4em}"
	"p{margin:.5em 0;max-width:76ch}"
	"p.strong{font-weight:600}"
	"ul{margin:.5em 0;padding-left:1.3em}li{margin:.3em 0;max-width:76ch}"
	"figure{margin:1.6em 0}"
	"figcaption{font-size:.9rem;color:#333;max-width:84ch;margin-top:.3em}"
	".scroll{overflow-x:auto}"
	".scroll svg{display:block;width:100%;height:auto;min-width:660px}"
	"table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}"
	"th,td{padding:.34em .8em .34em 0;text-align:left;vertical-align:top;"
	"border-bottom:1px solid #e3e5e8}"
	"th{font-weight:600;border-bottom:1px solid #888}"
	"td.n{text-align:right;white-space:nowrap}th.n{text-align:right}"
	"details{margin:.7em 0}summary{cursor:pointer;color:#0b4f8a}"
	"@media print{details{display:block}.scroll{overflow:visible}}";

static void html_begin(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      f);
	xml__put(f, title);
	fprintf(f, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
	xml__put(f, title);
	fputs("</h1>\n", f);
}

static void html_end(FILE *f)
{
	fputs("</main>\n</body>\n</html>\n", f);
}

static void put_element(FILE *f, const char *open, const char *text, const char *close)
{
	fputs(open, f);
	xml__put(f, text);
	fputs(close, f);
}

static void html_heading(FILE *f, int level, const char *text)
{
	fprintf(f, "<h%d>", level);
	xml__put(f, text);
	fprintf(f, "</h%d>\n", level);
}

static void html_paragraph(FILE *f, const char *text)
{
	put_element(f, "<p>", text, "</p>\n");
}

static void html_strong(FILE *f, const char *text)
{
	put_element(f, "<p class=\"strong\">", text, "</p>\n");
}

static void html_list(FILE *f, char *const *items, size_t n)
{
	size_t i;

	fputs("<ul>\n", f);
	for (i = 0; i < n; i++)
		put_element(f, "<li>", items[i], "</li>\n");
	fputs("</ul>\n", f);
}

/* Numbers stand under each other by their last digit; words by their first letter. */
static bool is_number(const char *text)
{
	return isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1])) ||
	       !strcmp(text, "n/a") || !strcmp(text, "one run");
}

static void html_table_begin(FILE *f, const char *const *heads, size_t n)
{
	size_t i;

	fputs("<div class=\"scroll\"><table>\n<thead><tr>", f);
	for (i = 0; i < n; i++)
		put_element(f, n > 3 && i ? "<th class=\"n\">" : "<th>", heads[i], "</th>");
	fputs("</tr></thead>\n<tbody>\n", f);
}

static void html_table_row(FILE *f, const char *const *cells, size_t n)
{
	size_t i;

	fputs("<tr>", f);
	for (i = 0; i < n; i++)
		put_element(f, n > 3 && i && is_number(cells[i]) ? "<td class=\"n\">" : "<td>",
			    cells[i], "</td>");
	fputs("</tr>\n", f);
}

static void html_table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
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

static void html_picture(FILE *f, const char *name, const char *svg, const char *alt,
			 const char *caption)
{
	fprintf(f, "<figure id=\"%s\">\n<div class=\"scroll\" role=\"img\" aria-label=\"", name);
	xml__put(f, alt);
	fputs("\">", f);
	put_svg(f, svg, name);
	fputs("</div>\n", f);
	if (caption)
		put_element(f, "<figcaption>", caption, "</figcaption>\n");
	fputs("</figure>\n", f);
}

static void html_fold_begin(FILE *f, const char *summary)
{
	put_element(f, "<details><summary>", summary, "</summary>\n");
}

static void html_fold_end(FILE *f)
{
	fputs("</details>\n", f);
}

const struct report_form report_html = {
	.begin = html_begin,
	.end = html_end,
	.heading = html_heading,
	.paragraph = html_paragraph,
	.strong = html_strong,
	.list = html_list,
	.table_begin = html_table_begin,
	.table_row = html_table_row,
	.table_end = html_table_end,
	.picture = html_picture,
	.fold_begin = html_fold_begin,
	.fold_end = html_fold_end,
};
