/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as one HTML file with embedded style and pictures, without scripts. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "diagram.h"
#include "doc.h"

/*
 * Colours are variables, so that a dark page is a second set of them. Pictures are drawn on white;
 * a dark page shows them inverted, with the hues turned back. Print is always light, and has no
 * patterns of gnuplot: browsers print each as a bitmap, 43 MB for 199 bars.
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
	"figcaption{font-size:.9rem;color:var(--weak);max-width:84ch;margin-top:.3em}"
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
	"td.n{text-align:right;white-space:nowrap}th.n{text-align:right}"
	".wide td:first-child{white-space:nowrap}"
	"td.win{background:var(--win);font-weight:600}"
	"details{margin:.4em 0}summary{cursor:pointer;color:var(--link);font-size:.9rem}"
	"@media(max-width:600px){main{padding:14px 14px 40px}"
	"h1{font-size:1.3rem}h2{font-size:1.15rem}}"
	"@media print{body{font-size:10pt}main{max-width:none;padding:0}nav,p.links{display:none}"
	"a{color:inherit;text-decoration:none}"
	"figure,tr{break-inside:avoid}h2,h3{break-after:avoid}"
	".scroll{overflow:visible}.scroll svg{min-width:0;max-height:23cm}"
	"[fill*=gpPat]{fill:none}"
	".wide{font-size:6.5pt}.wide td,.wide th{white-space:normal!important;padding-right:.4em}"
	"details::details-content{content-visibility:visible;block-size:auto}}";

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
	char slug[256];

	report_body__slug(slug, sizeof(slug), text);
	fprintf(f, "<h%d id=\"%s\">", level, slug);
	xml__put(f, text);
	fprintf(f, "</h%d>\n", level);
}

static void put_links(FILE *f, const char *between, const struct report_link *links, size_t n)
{
	char slug[256];

	for (size_t i = 0; i < n; i++) {
		report_body__slug(slug, sizeof(slug), links[i].text);
		fprintf(f, "%s<a href=\"#%s\">", i ? between : "",
			links[i].picture ? links[i].picture : slug);
		put_element(f, "", links[i].text, "</a>");
	}
}

static void html_contents(FILE *f, const struct report_link *links, size_t n)
{
	fputs("<nav aria-label=\"Contents\">\n", f);
	put_links(f, "\n", links, n);
	fputs("\n</nav>\n", f);
}

static void html_links(FILE *f, const char *before, const struct report_link *links, size_t n)
{
	put_element(f, "<p class=\"links\">", before, "");
	put_links(f, ", ", links, n);
	fputs("</p>\n", f);
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

static bool is_winner(const char *text)
{
	return !strncmp(text, REPORT_WINNER, strlen(REPORT_WINNER));
}

/* Numbers are right-aligned, text is left-aligned. */
static bool is_number(const char *text)
{
	text += is_winner(text) ? strlen(REPORT_WINNER) : 0;
	return isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1])) ||
	       !strcmp(text, "n/a") || !strcmp(text, "one run");
}

static void html_table_begin(FILE *f, const char *const *heads, size_t n)
{
	size_t i;

	fputs(n > 3 ? "<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>"
		    : "<div class=\"scroll\"><table>\n<thead><tr>",
	      f);
	for (i = 0; i < n; i++)
		put_element(f, n > 3 && i ? "<th class=\"n\">" : "<th>", heads[i], "</th>");
	fputs("</tr></thead>\n<tbody>\n", f);
}

static void html_table_row(FILE *f, const char *const *cells, size_t n)
{
	size_t i;

	fputs("<tr>", f);
	for (i = 0; i < n; i++)
		put_element(f,
			    is_winner(cells[i])                 ? "<td class=\"n win\">"
			    : n > 3 && i && is_number(cells[i]) ? "<td class=\"n\">"
								: "<td>",
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

static void html_pair_begin(FILE *f)
{
	fputs("<div class=\"pair\">\n", f);
}

static void html_pair_end(FILE *f)
{
	fputs("</div>\n", f);
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
	.contents = html_contents,
	.heading = html_heading,
	.paragraph = html_paragraph,
	.strong = html_strong,
	.list = html_list,
	.table_begin = html_table_begin,
	.table_row = html_table_row,
	.table_end = html_table_end,
	.picture = html_picture,
	.pair_begin = html_pair_begin,
	.pair_end = html_pair_end,
	.links = html_links,
	.fold_begin = html_fold_begin,
	.fold_end = html_fold_end,
};
