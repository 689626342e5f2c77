/* SPDX-License-Identifier: GPL-2.0-only */
/* A page as one HTML file with embedded style and pictures, without scripts. */
#include <stdbool.h>
#include <string.h>

#include "diagram.h"
#include "doc.h"

/*
 * Colours are variables, so that a dark page is a second set of them. Pictures are drawn on white;
 * a dark page shows them inverted, with the hues turned back. Print is always light, and bars
 * have no patterns there (only the legend, before the third group): browsers print each pattern as
 * a bitmap, 43 MB for 199 bars.
 */
static const char style[] =
	":root{color-scheme:light dark;--page:#fff;--text:#1a1a1a;--weak:#4a4f55;--line:#d9dce0;"
	"--link:#0b4f8a;--win:#e3f1e6}"
	"@media screen and (prefers-color-scheme:dark){:root{--page:#1a1a1a;--text:#e4e4e4;"
	"--weak:#b3b8be;--line:#3d4147;--link:#8cc2f2;--win:#1f3d29}"
	"figure svg{filter:invert(.9) hue-rotate(180deg)}}"
	"html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}"
	"body{margin:0;background:var(--page);color:var(--text);"
	"font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
	"main{max-width:980px;margin:0 auto;padding:20px 20px 64px}"
	"a{color:var(--link)}"
	"h1{font-size:1.55rem;line-height:1.25;margin:0 0 .4em;overflow-wrap:anywhere}"
	"h2{font-size:1.25rem;margin:1.9em 0 .6em;padding-top:.6em;border-top:1px solid "
	"var(--line)}"
	"h3{font-size:1.05rem;margin:1.5em 0 .3em}"
	"p{margin:.45em 0;max-width:84ch;overflow-wrap:anywhere}"
	"p.strong{font-weight:600}"
	"p.links{font-size:.9rem;color:var(--weak)}"
	"nav{font-size:.9rem;margin:.5em 0 1em}"
	"nav a{display:inline-block;margin-right:1.1em;padding:.15em 0}"
	"ul{margin:.5em 0;padding-left:1.3em}li{margin:.3em 0;max-width:84ch}"
	"figure{margin:1.4em 0}"
	".scroll{overflow-x:auto}"
	".scroll svg{display:block;width:100%;height:auto;min-width:660px}"
	".pair{display:flex;flex-wrap:wrap;gap:0 20px}"
	".pair figure{flex:1 1 320px;min-width:0;margin:.6em 0}"
	".pair figure:only-child{max-width:700px;margin:.6em auto}"
	".pair .scroll svg{min-width:0}"
	"table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;"
	"margin:.4em 0}"
	"th,td{padding:.34em .8em .34em 0;text-align:left;vertical-align:top;"
	"border-bottom:1px solid var(--line)}"
	"th{font-weight:600;border-bottom-color:var(--weak)}"
	".wide :is(th,td):not(:first-child){text-align:right}"
	".wide td{white-space:nowrap}"
	"td.win{background:var(--win);font-weight:600}"
	"details{margin:.4em 0}summary{cursor:pointer;color:var(--link);font-size:.9rem}"
	"@media(max-width:600px){main{padding:14px 14px 40px}"
	"h1{font-size:1.3rem}h2{font-size:1.15rem}}"
	"@media print{body{font-size:10pt}main{max-width:none;padding:0}nav,p.links{display:none}"
	"a{color:inherit;text-decoration:none}"
	"figure,tr{break-inside:avoid}h2,h3{break-after:avoid}"
	".scroll{overflow:visible}.scroll svg{min-width:0;max-height:23cm}"
	"[id*=gnuplot_plot]>g:nth-of-type(n+3) [fill*=gpPat]{fill:none}"
	".wide{font-size:6.5pt}.wide td,.wide th{white-space:normal!important;padding-right:.4em}"
	"details::details-content{content-visibility:visible;block-size:auto}}";

static void html_page(struct doc *d, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      d->f);
	xml__put(d->f, title);
	fprintf(d->f, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
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
