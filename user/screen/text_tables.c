/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables at the end of a run. Most have a row for each mode. All figures of
 * a table have one base. '-' is a measured zero or does not apply; n/a was not measured.
 */
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "text_cells.h"
#include "text_end.h"

#define MADE_BY_MAX 34

static const struct mode_summary *mode_at(const void *result, size_t row)
{
	return &((const struct result *)result)->summary[row];
}

static void set(char *cell, const char *text)
{
	snprintf(cell, TEXT_CELL_MAX, "%s", text);
}

static void name_cell(char *cell, const void *of, size_t row, int what)
{
	(void)what;
	set(cell, mode__words(mode_at(of, row)->mode));
}

static void begin_modes(struct text_cells *t, const struct result *r, const char *label,
			unsigned int heads)
{
	text_cells__begin(t, heads, r->summary_nr);
	text_cells__add(t, label, true, name_cell, r, 0);
}

/* Copies that are whole are written so; a lower bound has its mark, and says nothing below 0.01. */
static void copies_cell(char *cell, const void *of, size_t row, int what)
{
	const struct mode_summary *s = mode_at(of, row);
	bool least = figures__copies_is_least(&s->total);
	double copies = s->copies_per_byte.median;

	(void)what;
	copies = least ? round_least(copies, 2) : copies;
	if (!s->copies_per_byte.n || (least && !copies))
		set(cell, "n/a");
	else
		snprintf(cell, TEXT_CELL_MAX, "%s%.*f", least ? ">= " : "",
			 fabs(copies - round(copies)) < 0.005 ? 0 : 2, copies);
}

/* Stages that copied, joined by plus: where one copied a part of the bytes, with how much. */
static void join_stages(char *cell, const struct run_result *run, const char *plus)
{
	size_t used = 0;

	for (int s = 0; s < NIO_STAGE_NR && used < TEXT_CELL_MAX; s++) {
		struct real part = figures__per_byte(run, s);
		char share[16] = "";

		if (!stage__is_copy(s) || !part.known || part.value <= 0)
			continue;
		if (part.value < 0.005)
			snprintf(share, sizeof(share), "<0.01 ");
		else if (part.value < 0.995 || part.value >= 1.995)
			snprintf(share, sizeof(share), "%.2f ", part.value);
		used += (size_t)snprintf(cell + used, TEXT_CELL_MAX - used, "%s%s%s",
					 used ? plus : "", share, stage__heading(s));
	}
}

static void made_by_cell(char *cell, const void *of, size_t row, int what)
{
	const struct run_result *run = &mode_at(of, row)->total;

	(void)what;
	set(cell, run->ledger_known && !figures__copies_is_least(run) ? "nothing" : "n/a");
	if (run->ledger_known)
		join_stages(cell, run, " + ");
	if (strlen(cell) > MADE_BY_MAX)
		join_stages(cell, run, "+");
	if (strlen(cell) > MADE_BY_MAX)
		strcpy(cell + MADE_BY_MAX - 3, "...");
}

static int decimals_of(double v)
{
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

/* Three digits: 8.62, 26.3, 320; more for large values. */
static void format_figure(char *buf, size_t len, double v)
{
	if (v < 0.01 && v > 0)
		snprintf(buf, len, "<0.01");
	else if (v >= 1e6)
		snprintf(buf, len, "%.2g", v);
	else
		snprintf(buf, len, "%.*f", decimals_of(v), v);
}

/* The same of a lower bound, with a digit of it. */
static void format_least(char *buf, size_t len, double v)
{
	int decimals = decimals_of(v);

	while (v > 0 && decimals < 9 && !round_least(v, decimals))
		decimals++;
	snprintf(buf, len, "%.*f", decimals, round_least(v, decimals));
}

enum median {
	MEDIAN_GBPS,
	MEDIAN_CPU, /* with the least of softirq work on other tasks, if it is known of all modes */
};

/* From this part of the CPU time on, an unknown share of softirq work is marked. */
#define UNKNOWN_WORTH_TELLING 0.02

static void median_cell(char *cell, const void *of, size_t row, int what)
{
	const struct mode_summary *s = mode_at(of, row);
	const struct spread *v = what == MEDIAN_GBPS ? &s->throughput_gbps : &s->cpu_ns_per_kib;
	bool softirq = what == MEDIAN_CPU && !figures__no_softirq(of);
	double more = softirq ? cpu_figures__softirq(&s->total, false).value : 0;
	double most = softirq ? cpu_figures__softirq(&s->total, true).value : 0;
	bool at_least = most - more > UNKNOWN_WORTH_TELLING * (v->median + more);

	if (!v->n) {
		set(cell, "n/a");
		return;
	}
	strcpy(cell, at_least ? ">= " : "");
	(at_least ? format_least : format_figure)(cell + strlen(cell), TEXT_CELL_MAX - strlen(cell),
						  v->median + more);
}

static void range_cell(char *cell, const void *of, size_t row, int what)
{
	const struct spread *s = &mode_at(of, row)->throughput_gbps;
	char low[16], high[16];

	(void)what;
	format_figure(low, sizeof(low), s->low);
	format_figure(high, sizeof(high), s->high);
	if (s->n > 1)
		snprintf(cell, TEXT_CELL_MAX, "%s - %s", low, high);
	else
		set(cell, s->n ? "-" : "n/a");
}

static bool any_range(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (r->summary[i].throughput_gbps.n > 1)
			return true;
	return false;
}

void text_tables__modes(FILE *f, const struct result *r, unsigned int columns)
{
	bool several = any_range(r);
	char rounds[32], over[40];
	struct text_cells t;

	rounds__words(rounds, sizeof(rounds), r);
	snprintf(over, sizeof(over), "(%s)", rounds);
	begin_modes(&t, r, several ? "median" : rounds, 1);
	text_cells__add(&t, r->summary[0].total.sender_side ? "sender's copies" : "copies", false,
			copies_cell, r, 0);
	text_cells__add(&t, "made by", true, made_by_cell, r, 0);
	text_cells__add(&t, "Gbit/s", false, median_cell, r, MEDIAN_GBPS);
	if (several)
		text_cells__add(&t, over, true, range_cell, r, 0);
	text_cells__add(&t, figures__no_softirq(r) ? "process ns/KiB" : "CPU ns/KiB", false,
			median_cell, r, MEDIAN_CPU);
	text_cells__print(f, &t, columns);
}

/* ns a unit, by the largest median: milliseconds from 100 us on. */
static double unit_of(const struct result *r, enum latency_kind k)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct hist *h = r->summary[i].total.app.latency[k].hist;

		if (h && h->count && hist__quantile(h, 0.5) >= 100000)
			return 1e6;
	}
	return 1e3;
}

static void latency_cell(char *cell, const void *of, size_t row, int what)
{
	const struct mode_summary *s = mode_at(of, row);
	const struct hist *h = s->total.app.latency[what].hist;
	bool applies = what != LATENCY_COMPLETION || mode__has(s->mode, MODE_PINS);
	const struct hist *missed = s->total.app.latency[LATENCY_MISSED].hist;
	bool least = missed && missed->count &&
		     (what == LATENCY_DELIVERY || what == LATENCY_HALF_ROUND_TRIP);
	double unit = unit_of(of, what);
	void (*format)(char *buf, size_t len, double v);
	char p50[20], p99[20];

	if (!applies || !h || !h->count) {
		snprintf(cell, TEXT_CELL_MAX, "%5s", applies && !h ? "n/a" : "-");
		return;
	}
	format = least ? format_least : format_figure;
	format(p50, sizeof(p50), (double)hist__quantile(h, 0.5) / unit);
	format(p99, sizeof(p99), (double)hist__quantile(h, 0.99) / unit);
	snprintf(cell, TEXT_CELL_MAX, "%s%*s / %s", least ? ">= " : "", least ? 0 : 5, p50, p99);
}

void text_tables__latency(FILE *f, const struct result *r, unsigned int columns)
{
	char rounds[32], head[TEXT_CELL_MAX];
	struct text_cells t;

	begin_modes(&t, r, "latency", 2);
	set(t.cell[1][0], any_range(r) ? "(all rounds)" : rounds__words(rounds, sizeof(rounds), r));
	for (int k = 0; k < LATENCY_NR; k++) {
		unsigned int column;

		if (latency__is_detail(k) || !figures__shows_latency(r, k))
			continue;
		snprintf(head, sizeof(head), "  %s%s", k == LATENCY_COMPLETION ? "zero-copy " : "",
			 latency__heading(k));
		column = text_cells__add(&t, head, true, latency_cell, r, k);
		snprintf(t.cell[1][column], TEXT_CELL_MAX, "  p50 / p99 %s",
			 unit_of(r, k) > 1e3 ? "ms" : "us");
	}
	text_cells__print(f, &t, columns);
}

/*
 * Classes that have a column wherever a mode has something of them, with its heading and the stage
 * of the ledger whose time they are.
 */
static const struct {
	enum cpu_class class;
	const char *head;
	int stage; /* NIO_STAGE_NR: of none */
} main_classes[] = {
	{CPU_CLASS_GATHER, "gather", NIO_STAGE_USER_GATHER},
	{CPU_CLASS_TX_COPY, "send copy", NIO_STAGE_TX_COPY},
	{CPU_CLASS_TX_PIN, "pin", NIO_STAGE_TX_PIN},
	{CPU_CLASS_DEFERRED_COPY, "deferred", NIO_STAGE_DEFERRED_COPY},
	{CPU_CLASS_RX_COPY, "receive", NIO_STAGE_RX_COPY},
	{CPU_CLASS_TCP_IP, "TCP/IP", NIO_STAGE_NR},
};
#define MAIN_CLASSES_NR (sizeof(main_classes) / sizeof(main_classes[0]))

struct cpu_table {
	const struct result *r;
	unsigned int shown; /* classes that have a column: 1 << enum cpu_class */
};

/* Is it the class of a stage that moved no byte? Then that it took no time says nothing. */
static bool is_unused(const struct run_result *run, int class)
{
	const char *reason;

	for (size_t i = 0; i < MAIN_CLASSES_NR; i++)
		if ((int)main_classes[i].class == class && main_classes[i].stage < NIO_STAGE_NR)
			return figures__stage_known(run, main_classes[i].stage, &reason) &&
			       !run->stages[main_classes[i].stage].bytes;
	return false;
}

/* ns/KiB of both sides. */
static struct real class_of(const struct result *r, size_t mode, int class)
{
	return cpu_figures__class(&r->summary[mode].total, class, !figures__no_softirq(r));
}

/* "n/a", or the time with the digits that its error leaves. */
static void format_cpu(char *cell, struct real v)
{
	if (!v.known)
		set(cell, "n/a");
	else if (v.value > 0 && v.value < 0.5)
		set(cell, "<1");
	else
		snprintf(cell, TEXT_CELL_MAX, "%.0f", v.value);
}

static void class_cell(char *cell, const void *of, size_t row, int what)
{
	const struct result *r = ((const struct cpu_table *)of)->r;
	struct real v = class_of(r, row, what);

	format_cpu(cell, v);
	if (v.known && v.value <= 0 && is_unused(&r->summary[row].total, what))
		set(cell, "-");
}

enum sum {
	SUM_ALL,
	SUM_REST, /* of the classes without a column */
};

static void sum_cell(char *cell, const void *of, size_t row, int what)
{
	const struct cpu_table *c = of;
	struct real sum = class_of(c->r, row, CPU_CLASS_OTHER);

	sum.value = 0;
	for (int i = 0; i < CPU_CLASS_NR && sum.known; i++)
		if (what == SUM_ALL || !(c->shown & 1u << i))
			sum.value += class_of(c->r, row, i).value;
	format_cpu(cell, sum);
}

/* Some mode has time in it, or time that cannot be told from another class. */
static bool is_shown(const struct result *r, int class)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		struct real v = class_of(r, i, class);

		if (v.known ? v.value > 0 : class_of(r, i, CPU_CLASS_OTHER).known)
			return true;
	}
	return false;
}

bool text_tables__has_cpu(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (class_of(r, i, CPU_CLASS_OTHER).known)
			return true;
	return false;
}

static bool has_column(int class)
{
	for (size_t i = 0; i < MAIN_CLASSES_NR; i++)
		if ((int)main_classes[i].class == class)
			return true;
	return false;
}

void text_tables__rest(FILE *f, const struct result *r)
{
	double sum[CPU_CLASS_NR] = {0}, all = 0;
	int largest = -1;

	for (int c = 0; c < CPU_CLASS_NR; c++) {
		for (size_t i = 0; i < r->summary_nr; i++)
			sum[c] += class_of(r, i, c).known ? class_of(r, i, c).value : 0;
		all += sum[c];
		if (sum[c] > 0 && !has_column(c) && (largest < 0 || sum[c] > sum[largest]))
			largest = c;
	}
	fputs("rest: CPU time of no other column", f);
	if (largest >= 0)
		fprintf(f, ", largest: %s (%.0f %% of all)",
			cpu_class__heading((enum cpu_class)largest), 100 * sum[largest] / all);
}

void text_tables__cpu(FILE *f, const struct result *r, unsigned int columns)
{
	struct cpu_table table = {.r = r};
	struct text_cells t;
	char head[40];

	if (!text_tables__has_cpu(r))
		return;
	snprintf(head, sizeof(head), "%s ns/KiB%s", figures__no_softirq(r) ? "process" : "CPU",
		 any_range(r) ? ", mean" : "");
	begin_modes(&t, r, head, 1);
	for (size_t i = 0; i < MAIN_CLASSES_NR; i++)
		if (is_shown(r, main_classes[i].class)) {
			text_cells__add(&t, main_classes[i].head, false, class_cell, &table,
					main_classes[i].class);
			table.shown |= 1u << main_classes[i].class;
		}
	text_cells__add(&t, "rest", false, sum_cell, &table, SUM_REST);
	text_cells__add(&t, "all", false, sum_cell, &table, SUM_ALL);
	text_cells__print(f, &t, columns);
}
