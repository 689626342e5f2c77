/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of cells for a paper; see latex.h. */
#include <string.h>

#include "base/printable.h"
#include "latex.h"
#include "study/phrases.h"

/* What a paper compares. */
static const enum metric metrics[] = {
	METRIC_GBPS,
	METRIC_COPIES,
	METRIC_SEND_P50,
	METRIC_DELIVERY_P50,
	METRIC_CPU_NS_PER_KIB,
	METRIC_CYCLES_PER_BYTE,
	METRIC_L1D_MISSES_PER_KIB,
	METRIC_LLC_MISSES_PER_KIB,
};

#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

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

/* The number and its interval, without units, which the head has. */
static void put_estimate(FILE *f, const struct analysis *a, struct cell *cell, enum metric m)
{
	struct estimate e = analysis__estimate(a, cell, m);

	fputs(" & ", f);
	put_text(f, e.n ? phrases__number(e.median).text : "n/a");
	fputs(" & ", f);
	if (e.n > 1)
		fprintf(f, "%s--%s", phrases__number(e.low).text, phrases__number(e.high).text);
}

static void put_head(FILE *f, enum metric m)
{
	fputs(" & \\multicolumn{2}{c}{", f);
	put_text(f, metric__words(m));
	if (*metric__unit(m)) {
		fputs(" (", f);
		put_text(f, metric__unit(m));
		fputc(')', f);
	}
	fputc('}', f);
}

static void put_row(FILE *f, const struct analysis *a, struct cell *cell)
{
	put_text(f, phrases__mode(cell->mode));
	fprintf(f, " & %s", phrases__size(cell->size).text);
	fprintf(f, cell->threads ? " & %u" : " & n/a", cell->threads);
	for (size_t i = 0; i < METRICS; i++)
		if (analysis__has(a, metrics[i]))
			put_estimate(f, a, cell, metrics[i]);
	fputs(" \\\\\n", f);
}

static void put_heads(FILE *f, const struct analysis *a)
{
	fputs("\\begin{tabular}{lrr", f);
	for (size_t i = 0; i < METRICS; i++)
		fputs(analysis__has(a, metrics[i]) ? "rl" : "", f);
	fputs("}\n\\toprule\nmode & size & threads", f);
	for (size_t i = 0; i < METRICS; i++)
		if (analysis__has(a, metrics[i]))
			put_head(f, metrics[i]);
	fputs(" \\\\\n\\midrule\n", f);
}

void latex__write(FILE *f, const struct analysis *a, const char *system)
{
	fputs("% The cells of a netiotrace report. Needs \\usepackage{booktabs}.\n"
	      "\\begin{table}\n\\centering\n\\caption{",
	      f);
	if (a->rounds_max > 1)
		fprintf(f, "Medians of up to %zu rounds, with intervals. ", a->rounds_max);
	else
		fputs("One run of each cell. ", f);
	put_text(f, system);
	fputs("}\n", f);
	put_heads(f, a);
	for (size_t i = 0; i < a->cells_nr; i++)
		put_row(f, a, &a->cells[i]);
	fputs("\\bottomrule\n\\end{tabular}\n\\end{table}\n", f);
}
