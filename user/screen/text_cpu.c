/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on where CPU time goes: a table of classes, with a column for each side of each
 * mode, in ns per KiB of payload; and how it was come by.
 */
#include <math.h>
#include <string.h>

#include "base/text_note.h"
#include "common/units.h"
#include "model/cpu_figures.h"
#include "text.h"

#define HEAD_WIDTH   15
#define COLUMN_WIDTH 10

/* A column: one side of one mode. Elsewhere has none: it is a sentence. */
struct column {
	const struct run_result *run;
	enum nio_sample_whose whose;
};

#define COLUMNS_MAX (MODE_NR * NIO_SIDE_NR)

struct table {
	struct column columns[COLUMNS_MAX];
	size_t n;
	unsigned int width; /* of each */
};

static void fill(struct table *t, const struct result *r, unsigned int width)
{
	*t = (struct table){0};
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		for (int side = 0; side < NIO_SIDE_NR && run->cpu.known; side++)
			if (cpu_figures__total(run, side).known && t->n < COLUMNS_MAX)
				t->columns[t->n++] = (struct column){run, side};
	}
	t->width = t->n ? (width - HEAD_WIDTH) / t->n : COLUMN_WIDTH;
	if (t->width > COLUMN_WIDTH)
		t->width = COLUMN_WIDTH;
}

static const char *head_of(const struct table *t, size_t i)
{
	bool receiver = t->columns[i].whose == NIO_SAMPLE_RECEIVER;

	if (t->width < COLUMN_WIDTH - 1)
		return receiver ? "recv" : "send";
	return receiver ? "receiver" : "sender";
}

/* The mode stands at the end of its columns. */
static void print_heads(FILE *f, const struct table *t)
{
	unsigned int span = 0;

	fprintf(f, "\n%-*s", HEAD_WIDTH, "CPU ns/KiB");
	for (size_t i = 0; i < t->n; i++) {
		span += t->width;
		if (i + 1 < t->n && t->columns[i].run == t->columns[i + 1].run)
			continue;
		fprintf(f, "%*s", (int)span, mode__name(t->columns[i].run->mode));
		span = 0;
	}
	fprintf(f, "\n%-*s", HEAD_WIDTH, "");
	for (size_t i = 0; i < t->n; i++)
		fprintf(f, "%*s", (int)t->width, head_of(t, i));
	fputc('\n', f);
}

static void print_value(FILE *f, const struct table *t, double value)
{
	char text[32];

	if (value <= 0)
		snprintf(text, sizeof(text), "-");
	else if (value < 0.05)
		snprintf(text, sizeof(text), "<0.1");
	else
		snprintf(text, sizeof(text), "%.1f", value);
	fprintf(f, "%*s", (int)t->width, text);
}

static bool occurs(const struct table *t, enum cpu_class c)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].run->cpu.by[t->columns[i].whose].classes[c])
			return true;
	return false;
}

static void print_class(FILE *f, const struct table *t, enum cpu_class c)
{
	fprintf(f, "%-*s", HEAD_WIDTH, cpu_class__heading(c));
	for (size_t i = 0; i < t->n; i++)
		print_value(f, t,
			    cpu_figures__per_kib(t->columns[i].run, t->columns[i].whose, c)
				    .value.value);
	fputc('\n', f);
}

static void print_sums(FILE *f, const struct table *t)
{
	fprintf(f, "%-*s", HEAD_WIDTH, "together");
	for (size_t i = 0; i < t->n; i++)
		print_value(f, t, cpu_figures__sum(t->columns[i].run, t->columns[i].whose).value);
	fputc('\n', f);
}

static void print_table(FILE *f, const struct table *t)
{
	print_heads(f, t);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (occurs(t, c))
			print_class(f, t, c);
	print_sums(f, t);
}

/* The widest half of an interval, of all that stands in the table. */
static double widest(const struct table *t)
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

/* What the samples are, added up over the modes. */
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

int text_cpu__print(FILE *f, unsigned int width, const struct result *r)
{
	struct totals totals = totals_of(r);
	struct text_note note;
	struct table t;
	int err;

	fill(&t, r, width);
	if (t.n)
		print_table(f, &t);
	err = text_note__begin(&note);
	if (err)
		return err;
	say_missing(note.f, r);
	if (t.n)
		say_how(note.f, &totals, widest(&t));
	err = text_note__end(&note, f, width, "cpu");
	if (!err && t.n)
		fputc('\n', f);
	return err;
}
