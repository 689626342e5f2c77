/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables at the end of a run: a row for each mode; and of the details: CPU time by class, a
 * column for each side of each mode. All figures of a table have one base.
 */
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "model/cpu_figures.h"
#include "model/figures.h"
#include "text_cells.h"
#include "text_end.h"

#define MADE_BY_MAX 34
#define REST_WIDTH  18

static char *cell_at(struct text_cells *t, size_t row, unsigned int column)
{
	return t->cell[row][column];
}

/* heads: heading rows above those of the modes. */
static void begin(struct text_cells *t, const struct result *r, const char *label,
		  unsigned int heads)
{
	*t = (struct text_cells){.rows = (unsigned int)r->summary_nr + heads};
	text_cells__add_column(t, label, true);
	for (size_t i = 0; i < r->summary_nr; i++)
		snprintf(cell_at(t, i + heads, 0), TEXT_CELL_MAX, "%s",
			 mode__words(r->summary[i].mode));
}

/* Copies that are whole are written so; a lower bound has its mark. */
static void format_copies(char *buf, const struct mode_summary *s)
{
	const struct spread *copies = &s->copies_per_byte;
	const struct real *most = &s->total.copies_per_byte_at_most;
	unsigned int unseen = figures__copies(&s->total).excluded & ~(1u << NIO_STAGE_OTHER_COPY);
	bool open = s->total.copies_per_byte.known && most->known &&
		    most->value > s->total.copies_per_byte.value;
	bool whole = fabs(copies->median - round(copies->median)) < 0.005;

	if (!copies->n)
		snprintf(buf, TEXT_CELL_MAX, "n/a");
	else
		snprintf(buf, TEXT_CELL_MAX, "%s%.*f", unseen || open ? ">= " : "", whole ? 0 : 2,
			 copies->median);
}

/* Stages that copied, joined by " + ": where one copied a part of the bytes, with how much. */
static void join_stages(char *buf, const struct run_result *run, const char *plus)
{
	size_t used = 0;

	*buf = '\0';
	for (int s = 0; s < NIO_STAGE_NR && used < TEXT_CELL_MAX; s++) {
		struct real part = figures__per_byte(run, s);
		char share[16] = "";

		if (!stage__is_copy(s) || !part.known || part.value <= 0)
			continue;
		if (part.value < 0.005)
			snprintf(share, sizeof(share), "<0.01 ");
		else if (part.value < 0.995 || part.value >= 1.995)
			snprintf(share, sizeof(share), "%.2f ", part.value);
		used += (size_t)snprintf(buf + used, TEXT_CELL_MAX - used, "%s%s%s",
					 used ? plus : "", share, stage__heading(s));
	}
}

static void format_made_by(char *buf, const struct run_result *run)
{
	*buf = '\0';
	if (run->ledger_known)
		join_stages(buf, run, " + ");
	if (strlen(buf) > MADE_BY_MAX)
		join_stages(buf, run, "+");
	if (strlen(buf) > MADE_BY_MAX)
		snprintf(buf + MADE_BY_MAX - 3, TEXT_CELL_MAX - MADE_BY_MAX, "...");
	if (!*buf)
		snprintf(buf, TEXT_CELL_MAX, "n/a");
}

/* Three digits: 8.62, 26.3, 320; more for large values. */
static void format_figure(char *buf, size_t len, double v)
{
	if (v < 0.01 && v > 0)
		snprintf(buf, len, "<0.01");
	else if (v >= 1e6)
		snprintf(buf, len, "%.2g", v);
	else
		snprintf(buf, len, "%.*f", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
}

static void format_median(char *buf, const struct spread *s)
{
	if (s->n)
		format_figure(buf, TEXT_CELL_MAX, s->median);
	else
		snprintf(buf, TEXT_CELL_MAX, "n/a");
}

static void format_range(char *buf, const struct spread *s)
{
	char low[16], high[16];

	format_figure(low, sizeof(low), s->low);
	format_figure(high, sizeof(high), s->high);
	if (s->n > 1)
		snprintf(buf, TEXT_CELL_MAX, "%s - %s", low, high);
	else
		snprintf(buf, TEXT_CELL_MAX, "%s", s->n ? "-" : "n/a");
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
	char rounds[32], over[40];
	bool several = any_range(r);
	struct text_cells t;
	unsigned int copies, by, gbps, range = 0, cpu;

	text_rounds__made(rounds, sizeof(rounds), r);
	snprintf(over, sizeof(over), "(%s)", rounds);
	begin(&t, r, several ? "median" : rounds, 1);
	copies = text_cells__add_column(
		&t, r->summary[0].total.sender_side ? "sender's copies" : "copies", false);
	by = text_cells__add_column(&t, "made by", true);
	gbps = text_cells__add_column(&t, "Gbit/s", false);
	if (several)
		range = text_cells__add_column(&t, over, true);
	cpu = text_cells__add_column(&t, "CPU ns/KiB", false);
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct mode_summary *s = &r->summary[i];

		format_copies(cell_at(&t, i + 1, copies), s);
		format_made_by(cell_at(&t, i + 1, by), &s->total);
		format_median(cell_at(&t, i + 1, gbps), &s->throughput_gbps);
		if (several)
			format_range(cell_at(&t, i + 1, range), &s->throughput_gbps);
		format_median(cell_at(&t, i + 1, cpu), &s->cpu_ns_per_kib);
	}
	text_cells__print(f, &t, columns);
}

/* Is it one that this mode cannot have? */
static bool does_not_apply(const struct mode_summary *s, enum latency_kind k)
{
	return k == LATENCY_COMPLETION && !mode__has(s->mode, MODE_PINS);
}

/* ns a unit, by the largest median: milliseconds from 100 us on. */
static double unit_of(const struct result *r, enum latency_kind k, const char **name)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct hist *h = r->summary[i].total.app.latency[k].hist;

		if (h && h->count && hist__quantile(h, 0.5) >= 100000) {
			*name = "ms";
			return 1e6;
		}
	}
	*name = "us";
	return 1e3;
}

static void format_latency(char *buf, const struct mode_summary *s, enum latency_kind k,
			   double unit)
{
	const struct hist *h = s->total.app.latency[k].hist;
	char p50[16], p99[16];

	if (does_not_apply(s, k) || (h && !h->count)) {
		snprintf(buf, TEXT_CELL_MAX, "%5s", "-");
		return;
	}
	if (!h) {
		snprintf(buf, TEXT_CELL_MAX, "%5s", "n/a");
		return;
	}
	format_figure(p50, sizeof(p50), (double)hist__quantile(h, 0.5) / unit);
	format_figure(p99, sizeof(p99), (double)hist__quantile(h, 0.99) / unit);
	snprintf(buf, TEXT_CELL_MAX, "%5s / %s", p50, p99);
}

static void add_latency(struct text_cells *t, const struct result *r, enum latency_kind k)
{
	const char *name;
	double unit = unit_of(r, k, &name);
	char head[TEXT_CELL_MAX];
	unsigned int column;

	snprintf(head, sizeof(head), "  %s%s", k == LATENCY_COMPLETION ? "zero-copy " : "",
		 latency__heading(k));
	column = text_cells__add_column(t, head, true);
	snprintf(cell_at(t, 1, column), TEXT_CELL_MAX, "  p50 / p99 %s", name);
	for (size_t i = 0; i < r->summary_nr; i++)
		format_latency(cell_at(t, i + 2, column), &r->summary[i], k, unit);
}

void text_tables__latency(FILE *f, const struct result *r, unsigned int columns)
{
	char rounds[32];
	struct text_cells t;

	begin(&t, r, "latency", 2);
	text_rounds__made(rounds, sizeof(rounds), r);
	snprintf(cell_at(&t, 1, 0), TEXT_CELL_MAX, "%s", any_range(r) ? "(total)" : rounds);
	for (int k = 0; k < LATENCY_NR; k++)
		if (!latency__is_detail(k) && figures__shows_latency(r, k))
			add_latency(&t, r, k);
	text_cells__print(f, &t, columns);
}

/*
 * Classes that have a column wherever a mode has something of them, with its heading and the stage
 * of the ledger that they are the time of. The others have one where there is room.
 */
static const struct cpu_column {
	enum cpu_class class;
	const char *head;
	int stage; /* NIO_STAGE_NR: of none */
} cpu_columns[] = {
	{CPU_CLASS_GATHER, "gather", NIO_STAGE_USER_GATHER},
	{CPU_CLASS_TX_COPY, "send copy", NIO_STAGE_TX_COPY},
	{CPU_CLASS_TX_PIN, "pin", NIO_STAGE_TX_PIN},
	{CPU_CLASS_DEFERRED_COPY, "deferred", NIO_STAGE_DEFERRED_COPY},
	{CPU_CLASS_RX_COPY, "receive", NIO_STAGE_RX_COPY},
	{CPU_CLASS_TCP_IP, "TCP/IP", NIO_STAGE_NR},
};

#define CPU_COLUMNS_NR (sizeof(cpu_columns) / sizeof(cpu_columns[0]))

static void format_cpu(char *buf, double v)
{
	if (v > 0 && v < 0.5)
		snprintf(buf, TEXT_CELL_MAX, "<1");
	else
		snprintf(buf, TEXT_CELL_MAX, "%.0f", v);
}

/* Did no byte pass through the stage? Then that it took no time says nothing. */
static bool is_unused(const struct run_result *run, int stage)
{
	const char *reason;

	return stage < NIO_STAGE_NR && figures__stage_known(run, (enum nio_stage)stage, &reason) &&
	       !run->stages[stage].bytes;
}

/* A class in ns/KiB of sender and receiver; NaN: not known, or of a stage that was not used. */
static double class_of(const struct mode_summary *s, const struct cpu_column *c)
{
	struct cpu_figure figure = cpu_figures__both(&s->total, c->class);

	if (!figure.value.known || (figure.value.value <= 0 && is_unused(&s->total, c->stage)))
		return (double)NAN;
	return figure.value.value;
}

static bool is_known(const struct mode_summary *s)
{
	return cpu_figures__both(&s->total, CPU_CLASS_OTHER).value.known;
}

/* Adds a column if any mode has a share in it, and subtracts it from each mode's rest. */
static void add_class(struct text_cells *t, const struct result *r, double rest[MODE_NR],
		      const struct cpu_column *c)
{
	unsigned int column;
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++)
		any |= class_of(&r->summary[i], c) > 0;
	if (!any || t->columns + 3 > TEXT_COLUMNS_MAX)
		return;
	column = text_cells__add_column(t, c->head, false);
	for (size_t i = 0; i < r->summary_nr; i++) {
		double v = class_of(&r->summary[i], c);

		if (isnan(v)) {
			snprintf(cell_at(t, i + 1, column), TEXT_CELL_MAX, "%s",
				 is_known(&r->summary[i]) ? "-" : "n/a");
			continue;
		}
		format_cpu(cell_at(t, i + 1, column), v);
		rest[i] -= v;
	}
}

static bool has_column(enum cpu_class c)
{
	for (size_t i = 0; i < CPU_COLUMNS_NR; i++)
		if (cpu_columns[i].class == c)
			return true;
	return false;
}

static double largest(const struct result *r, int class)
{
	const struct cpu_column c = {(enum cpu_class) class, "", NIO_STAGE_NR};
	double most = 0;

	for (size_t i = 0; i < r->summary_nr; i++)
		most = fmax(most, class_of(&r->summary[i], &c));
	return most;
}

/* The class with the most time that has no column yet; CPU_CLASS_NR: none worth one. */
static int next_class(const struct result *r, unsigned int done)
{
	int next = CPU_CLASS_NR;

	for (int c = 0; c < CPU_CLASS_OTHER; c++)
		if (!has_column((enum cpu_class)c) && !(done & 1u << c) && largest(r, c) >= 0.5 &&
		    (next == CPU_CLASS_NR || largest(r, c) > largest(r, next)))
			next = c;
	return next;
}

/* On a wide terminal: as many as there is room for beside "rest" and "all". */
static void add_others(struct text_cells *t, const struct result *r, double rest[MODE_NR],
		       unsigned int columns)
{
	unsigned int done = 0;

	for (int c; (c = next_class(r, done)) < CPU_CLASS_NR; done |= 1u << c) {
		const struct cpu_column other = {
			(enum cpu_class)c, cpu_class__heading((enum cpu_class)c), NIO_STAGE_NR};

		if (text_cells__width(t) + strlen(other.head) + REST_WIDTH > columns)
			return;
		add_class(t, r, rest, &other);
	}
}
_Static_assert(CPU_CLASS_NR < 32, "classes are told apart by the bits of an int");

static void add_sums(struct text_cells *t, const struct result *r, const double rest[MODE_NR],
		     const double all[MODE_NR])
{
	unsigned int column = text_cells__add_column(t, "rest", false),
		     sum = text_cells__add_column(t, "all", false);

	for (size_t i = 0; i < r->summary_nr; i++) {
		if (is_known(&r->summary[i])) {
			format_cpu(cell_at(t, i + 1, column), fmax(rest[i], 0));
			format_cpu(cell_at(t, i + 1, sum), all[i]);
		} else {
			snprintf(cell_at(t, i + 1, column), TEXT_CELL_MAX, "n/a");
			snprintf(cell_at(t, i + 1, sum), TEXT_CELL_MAX, "n/a");
		}
	}
}

void text_tables__cpu(FILE *f, const struct result *r, unsigned int columns)
{
	double all[MODE_NR] = {0}, rest[MODE_NR];
	struct text_cells t;
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		any |= is_known(&r->summary[i]);
		for (int c = 0; c < CPU_CLASS_NR && is_known(&r->summary[i]); c++)
			all[i] += cpu_figures__both(&r->summary[i].total, c).value.value;
	}
	if (!any)
		return;
	memcpy(rest, all, sizeof(rest));
	begin(&t, r, any_range(r) ? "CPU ns/KiB (total)" : "CPU ns/KiB", 1);
	for (size_t i = 0; i < CPU_COLUMNS_NR; i++)
		add_class(&t, r, rest, &cpu_columns[i]);
	add_others(&t, r, rest, columns);
	add_sums(&t, r, rest, all);
	text_cells__print(f, &t, columns);
}

/* A column: one side of one mode. Elsewhere has none: it is a sentence. */
struct side {
	const struct run_result *run;
	enum nio_sample_whose whose;
};

#define COLUMNS_MAX (MODE_NR * NIO_SIDE_NR)

struct sides {
	struct side columns[COLUMNS_MAX];
	size_t n;
};

static void sides__fill(struct sides *t, const struct result *r)
{
	*t = (struct sides){0};
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		for (int side = 0; side < NIO_SIDE_NR && run->cpu.known; side++)
			if (cpu_figures__total(run, side).known && t->n < COLUMNS_MAX)
				t->columns[t->n++] = (struct side){run, side};
	}
}

static bool occurs(const struct sides *t, int c)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].run->cpu.by[t->columns[i].whose].classes[c])
			return true;
	return false;
}

static void set_class(struct text_cells *cells, unsigned int row, unsigned int column, double value)
{
	if (value <= 0)
		text_cells__set(cells, row, column, "-");
	else if (value < 0.05)
		text_cells__set(cells, row, column, "<0.1");
	else
		text_cells__set(cells, row, column, "%.1f", value);
}

static void add_side(struct text_cells *cells, const struct sides *t, const struct side *c)
{
	unsigned int column = text_cells__add_column(cells, mode__words(c->run->mode), false);
	unsigned int row = 1;

	text_cells__set(cells, row++, column, "%s",
			c->whose == NIO_SAMPLE_RECEIVER ? "receiver" : "sender");
	for (int i = 0; i < CPU_CLASS_NR; i++)
		if (occurs(t, i))
			set_class(cells, row++, column,
				  cpu_figures__per_kib(c->run, c->whose, i).value.value);
	set_class(cells, row, column, cpu_figures__sum(c->run, c->whose).value);
}

static void print_sides(FILE *f, unsigned int width, const struct sides *t)
{
	struct text_cells cells = {.rows = 0};

	text_cells__add_column(&cells, "CPU ns/KiB", true);
	text_cells__add_row(&cells);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (occurs(t, c))
			text_cells__set(&cells, text_cells__add_row(&cells), 0, "%s",
					cpu_class__heading((enum cpu_class)c));
	text_cells__set(&cells, text_cells__add_row(&cells), 0, "together");
	for (size_t i = 0; i < t->n; i++)
		add_side(&cells, t, &t->columns[i]);
	fputc('\n', f);
	text_cells__print(f, &cells, width);
}

/* The widest half interval of all cells of the table. */
static double widest(const struct sides *t)
{
	double most = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (int c = 0; c < CPU_CLASS_NR; c++) {
			struct cpu_figure f =
				cpu_figures__per_kib(t->columns[i].run, t->columns[i].whose, c);

			most = fmax(most, (f.high - f.low) / 2);
		}
	}
	return most;
}

/* Totals of the samples over the modes. */
struct totals {
	uint64_t samples, lost, shifted, other, elsewhere;
	uint64_t duration_ns; /* of the mode sampled longest */
	const struct cpu_result *any;
	const char *source, *no_cycles; /* of all; NULL: none, or no reason */
};

static struct totals totals_of(const struct result *r)
{
	struct totals t = {0};

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct cpu_result *c = &r->summary[i].total.cpu;

		if (!c->known)
			continue;
		t.any = c;
		t.source = cpu_time__source(t.source, c->source);
		if (!t.no_cycles && c->no_cycles[0])
			t.no_cycles = c->no_cycles;
		t.duration_ns = c->duration_ns > t.duration_ns ? c->duration_ns : t.duration_ns;
		t.elsewhere += c->by[NIO_SAMPLE_ELSEWHERE].samples;
		for (int w = 0; w < NIO_SAMPLE_WHOSE_NR; w++) {
			t.samples += c->by[w].samples;
			t.lost += c->by[w].lost;
			t.shifted += c->by[w].shifted;
			t.other += c->by[w].classes[CPU_CLASS_OTHER];
		}
	}
	return t;
}

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

static void say_how(FILE *f, const struct totals *t, double half)
{
	char duration[UNITS_BUF];

	fprintf(f, "%llu sample%s by %s", (unsigned long long)t->samples, plural(t->samples),
		t->source);
	if (t->no_cycles)
		fprintf(f, " (%s)", t->no_cycles);
	fprintf(f,
		" at %u Hz, in separate short rounds of %s a mode that measure nothing else; each "
		"figure +-%.1f ns/KiB or less (95 %%)",
		t->any->hz, format_ns(duration, sizeof(duration), (double)t->duration_ns), half);
	fprintf(f, "; %.1f %% unclassified", percent(t->other, t->samples));
	if (t->lost)
		fprintf(f, "; %.1f %% lost", percent(t->lost, t->samples + t->lost));
	if (t->shifted)
		fprintf(f,
			"; %.1f %% were delayed by disabled interrupts and are charged to the "
			"caller",
			percent(t->shifted, t->samples));
	if (t->elsewhere)
		fprintf(f,
			"; %.1f %% are TCP's softirq work in the context of other tasks, which the "
			"table does not include",
			percent(t->elsewhere, t->samples));
}

/* Why a mode has no column, where it has none; the same reason once. */
static void say_missing(FILE *f, const struct result *r)
{
	const char *said = NULL;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct cpu_result *c = &r->summary[i].total.cpu;

		if (c->known || (said && !strcmp(said, c->reason)))
			continue;
		fprintf(f, "%swhere it goes: n/a (%s)", said ? "; " : "", c->reason);
		said = c->reason;
	}
}

void text_tables__sides(FILE *f, unsigned int width, const struct result *r)
{
	struct sides t;

	sides__fill(&t, r);
	if (t.n)
		print_sides(f, width, &t);
}

void text_tables__say_sides(FILE *f, const struct result *r)
{
	struct totals totals = totals_of(r);
	struct sides t;

	sides__fill(&t, r);
	say_missing(f, r);
	if (t.n)
		say_how(f, &totals, widest(&t));
}
