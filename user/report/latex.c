/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of cells for a paper; see latex.h. */
#include <string.h>

#include "base/printable.h"
#include "latex.h"
#include "study/phrases.h"

#define METRICS 3 /* of a table: so many fit on a page */

/* What a paper compares: the outcome, the latencies, the causes. */
static const enum metric of_tables[][METRICS] = {
	{METRIC_GBPS, METRIC_CPU_NS_PER_KIB, METRIC_COPIES},
	{METRIC_SEND_P50, METRIC_RECV_P50, METRIC_DELIVERY_P50},
	{METRIC_CYCLES_PER_BYTE, METRIC_L1D_MISSES_PER_KIB, METRIC_LLC_MISSES_PER_KIB},
};

static void put_character(FILE *f, char c)
{
	if (strchr("&%$#_{}", c))
		fprintf(f, "\\%c", c);
	else if (strchr("~^\\", c))
		fprintf(f, "\\char`\\%c{}", c);
	else
		fputc(c, f);
}

static void put_text(FILE *f, const char *text)
{
	size_t n;

	for (; *text; text += n ? n : 1) {
		n = printable__length(text);
		if (n > 1)
			fwrite(text, 1, n, f);
		else
			put_character(f, n ? *text : '?');
	}
}

static bool is_in_ns(enum metric m)
{
	return !strcmp(metric__unit(m), "ns");
}

/* The number and its interval, without units, which the head has. */
static void put_estimate(FILE *f, const struct analysis *a, struct cell *cell, enum metric m)
{
	struct estimate e = analysis__estimate(a, cell, m);
	double unit = is_in_ns(m) ? 1e3 : 1;

	fputs(" & ", f);
	put_text(f, e.n ? phrases__number(e.median / unit).text : "n/a");
	fputs(" & ", f);
	if (e.n > 1 && e.low < e.high)
		fprintf(f, "%s--%s", phrases__number(e.low / unit).text,
			phrases__number(e.high / unit).text);
}

/* A line of the head: the words of each metric, or their units. */
static void put_head(FILE *f, const struct analysis *a, const enum metric metrics[METRICS],
		     bool units)
{
	fputs(units ? " & &" : "mode & size & threads", f);
	for (size_t i = 0; i < METRICS; i++) {
		if (!analysis__has(a, metrics[i]))
			continue;
		fputs(" & \\multicolumn{2}{c}{", f);
		if (!units)
			put_text(f, metric__words(metrics[i]));
		else
			fputs(is_in_ns(metrics[i]) ? "\\textmu s" : metric__unit(metrics[i]), f);
		fputc('}', f);
	}
	fputs(" \\\\\n", f);
}

static void put_row(FILE *f, const struct analysis *a, struct cell *cell,
		    const enum metric metrics[METRICS])
{
	put_text(f, phrases__mode(cell->mode));
	fprintf(f, " & %s", phrases__size(cell->size).text);
	fprintf(f, cell->threads ? " & %u" : " & n/a", cell->threads);
	for (size_t i = 0; i < METRICS; i++)
		if (analysis__has(a, metrics[i]))
			put_estimate(f, a, cell, metrics[i]);
	fputs(" \\\\\n", f);
}

static void put_caption(FILE *f, const struct analysis *a, const char *system)
{
	fputs("\\caption{", f);
	if (a->rounds_max > 1)
		fprintf(f, "Medians of up to %zu rounds, with intervals. ", a->rounds_max);
	else
		fputs("One run of each cell. ", f);
	put_text(f, system);
	fputs("}\n", f);
}

static void put_table(FILE *f, const struct analysis *a, const char *system,
		      const enum metric metrics[METRICS])
{
	fputs("\\begin{table}\n\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}\n", f);
	put_caption(f, a, system);
	fputs("\\begin{tabular}{lrr", f);
	for (size_t i = 0; i < METRICS; i++)
		fputs(analysis__has(a, metrics[i]) ? "rl" : "", f);
	fputs("}\n\\toprule\n", f);
	put_head(f, a, metrics, false);
	put_head(f, a, metrics, true);
	fputs("\\midrule\n", f);
	for (size_t i = 0; i < a->cells_nr; i++)
		put_row(f, a, &a->cells[i], metrics);
	fputs("\\bottomrule\n\\end{tabular}\n\\end{table}\n", f);
}

static bool has_any(const struct analysis *a, const enum metric metrics[METRICS])
{
	bool any = false;

	for (size_t i = 0; i < METRICS; i++)
		any |= analysis__has(a, metrics[i]);
	return any;
}

void latex__write(FILE *f, const struct analysis *a, const char *system)
{
	fputs("% The cells of a netiotrace report. Needs \\usepackage{booktabs}.\n", f);
	for (size_t i = 0; i < sizeof(of_tables) / sizeof(of_tables[0]); i++)
		if (has_any(a, of_tables[i]))
			put_table(f, a, system, of_tables[i]);
}
