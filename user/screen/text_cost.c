/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The details on cost: tables of the time of a send call, of a copied KiB, and of CPU time by class
 * and side; in words: which rounds they come from, and what was counted for each payload byte.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"
#include "model/cpu_figures.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/time_figures.h"
#include "text_cells.h"
#include "text_end.h"

static void set(char *cell, const char *text)
{
	snprintf(cell, TEXT_CELL_MAX, "%s", text);
}

/* Rows of times: the parts of a send call, the time outside them, then the stages. */
#define ROW_OUTSIDE PATH_NR
#define ROW_STAGES  (PATH_NR + 1)
#define TIMES_NR    (ROW_STAGES + NIO_STAGE_NR)
_Static_assert(TIMES_NR < TEXT_ROWS_MAX, "every time has a row");

struct times {
	const struct result *r;
	int row[TIMES_NR];
	size_t nr;
};

/* Only copying stages with known bytes have a time of a KiB. */
static struct real time_of(const struct run_result *run, int row)
{
	const char *reason;

	if (row < ROW_OUTSIDE && run->ledger_known)
		return time_figures__part(run, row);
	if (row == ROW_OUTSIDE && run->ledger_known)
		return time_figures__outside(run);
	if (row >= ROW_STAGES && stage__is_copy(row - ROW_STAGES) &&
	    figures__stage_known(run, row - ROW_STAGES, &reason))
		return time_figures__per_kib(run, row - ROW_STAGES);
	return (struct real){.reason = NULL};
}

static void label_cell(char *cell, const void *of, size_t row, int what)
{
	int i = ((const struct times *)of)->row[row];

	(void)what;
	set(cell, i >= ROW_STAGES    ? stage__heading(i - ROW_STAGES)
		  : i == ROW_OUTSIDE ? "outside"
				     : path_part__heading(i));
}

/* what: the mode. */
static void time_cell(char *cell, const void *of, size_t row, int what)
{
	const struct times *t = of;
	struct real v = time_of(&t->r->summary[what].total, t->row[row]);

	if (v.known && v.value > 0)
		format_ns(cell, TEXT_CELL_MAX, v.value);
	else
		set(cell, v.known ? "-" : "n/a");
}

/* Share of the send call; nothing for the whole and for rows that are not a part of it. */
static void share_cell(char *cell, const void *of, size_t row, int what)
{
	const struct times *t = of;
	const struct run_result *run = &t->r->summary[what].total;
	struct real v = time_of(run, t->row[row]), total = time_of(run, PATH_SEND_TOTAL);
	double percent = total.value > 0 ? v.value / total.value * 100 : 0;

	if (t->row[row] >= ROW_STAGES || t->row[row] == PATH_SEND_TOTAL || !v.known ||
	    !total.known || !(percent > 0))
		return;
	if (percent < 0.5)
		set(cell, "<1 %");
	else
		snprintf(cell, TEXT_CELL_MAX, "%.0f %%", percent);
}

/* The rows from first to end - 1 in which a mode has a time. */
static size_t find_times(struct times *t, int first, int end)
{
	for (; first < end; first++) {
		bool any = false;

		for (size_t i = 0; i < t->r->summary_nr; i++) {
			struct real v = time_of(&t->r->summary[i].total, first);

			any |= v.known && v.value > 0;
		}
		if (any)
			t->row[t->nr++] = first;
	}
	return t->nr;
}

static void print_times(FILE *f, const struct times *times, unsigned int columns, const char *title)
{
	struct text_cells t;

	text_cells__begin(&t, 1, times->nr);
	text_cells__add(&t, title, true, label_cell, times, 0);
	for (int i = 0; i < (int)times->r->summary_nr; i++) {
		text_cells__add(&t, mode__words(times->r->summary[i].mode), false, time_cell, times,
				i);
		text_cells__add(&t, "", false, share_cell, times, i);
	}
	fputc('\n', f);
	text_cells__print(f, &t, columns);
}

void text_cost__times(FILE *f, const struct result *r, unsigned int columns)
{
	struct times call = {.r = r}, kib = {.r = r};

	/* The whole of a send call is a latency above: it only heads its parts. */
	if (find_times(&call, PATH_SEND_TOTAL, ROW_STAGES) > 1)
		print_times(f, &call, columns, "mean send call");
	if (find_times(&kib, ROW_STAGES, TIMES_NR))
		print_times(f, &kib, columns, "time of a KiB");
}

/* The classes that occur in a column; one more row is their sum. */
struct sides {
	const struct result *r;
	enum cpu_class class[CPU_CLASS_NR];
	size_t nr;
};

static bool has_side(const struct run_result *run, int side)
{
	return run->cpu.known && cpu_figures__total(run, (enum nio_sample_whose)side).known;
}

static bool occurs(const struct result *r, int class)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		for (int side = 0; side < NIO_SIDE_NR; side++)
			if (has_side(&r->summary[i].total, side) &&
			    r->summary[i].total.cpu.by[side].classes[class])
				return true;
	return false;
}

static void class_label_cell(char *cell, const void *of, size_t row, int what)
{
	const struct sides *s = of;

	(void)what;
	set(cell, row < s->nr ? cpu_class__heading(s->class[row]) : "together");
}

/* what: mode * NIO_SIDE_NR + side. */
static void side_cell(char *cell, const void *of, size_t row, int what)
{
	const struct sides *s = of;
	const struct run_result *run = &s->r->summary[what / NIO_SIDE_NR].total;
	enum nio_sample_whose side = what % NIO_SIDE_NR;
	struct real v = row < s->nr ? cpu_figures__per_kib(run, side, s->class[row]).value
				    : cpu_figures__sum(run, side);

	if (!v.known || v.value <= 0)
		set(cell, v.known ? "-" : "n/a");
	else if (v.value < 0.05)
		set(cell, "<0.1");
	else
		snprintf(cell, TEXT_CELL_MAX, "%.1f", v.value);
}

void text_cost__sides(FILE *f, const struct result *r, unsigned int columns)
{
	struct sides s = {.r = r};
	struct text_cells t;

	for (int c = 0; c < CPU_CLASS_NR; c++)
		if (occurs(r, c))
			s.class[s.nr++] = c;
	text_cells__begin(&t, 2, s.nr + 1);
	text_cells__add(&t, "CPU ns/KiB", true, class_label_cell, &s, 0);
	for (int i = 0; i < (int)r->summary_nr * NIO_SIDE_NR; i++) {
		const struct run_result *run = &r->summary[i / NIO_SIDE_NR].total;
		int side = i % NIO_SIDE_NR;
		unsigned int column;

		if (!has_side(run, side))
			continue;
		column = text_cells__add(&t, mode__words(run->mode), false, side_cell, &s, i);
		set(t.cell[1][column], side == NIO_SIDE_RECEIVER ? "receiver" : "sender");
	}
	if (t.columns < 2)
		return;
	fputc('\n', f);
	text_cells__print(f, &t, columns);
}

/* The widest half interval of the mode's cells. */
static double widest(const struct run_result *run)
{
	double most = 0;

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int c = 0; c < CPU_CLASS_NR; c++) {
			struct cpu_figure f = cpu_figures__per_kib(run, side, c);

			if (has_side(run, side) && f.value.known)
				most = fmax(most, (f.high - f.low) / 2);
		}
	}
	return most;
}

static void say_share(FILE *f, uint64_t part, uint64_t of, const char *what)
{
	if (part)
		fprintf(f, ", %.1f %% %s", 100.0 * (double)part / (double)of, what);
}

void text_cost__say_samples(FILE *f, const struct run_result *run)
{
	const struct cpu_result *c = &run->cpu;
	uint64_t samples = 0, lost = 0, shifted = 0, other = 0;
	char duration[UNITS_BUF];

	if (!c->known)
		return;
	for (int w = 0; w < NIO_SAMPLE_WHOSE_NR; w++) {
		samples += c->by[w].samples;
		lost += c->by[w].lost;
		shifted += c->by[w].shifted;
		other += c->by[w].classes[CPU_CLASS_OTHER];
	}
	fprintf(f,
		"%s: %" PRIu64
		" sample%s by %s%s%s%s at %u Hz in separate rounds (%s); +-%.1f ns/KiB or "
		"less (95 %%)",
		mode__words(run->mode), samples, plural(samples), c->source,
		c->no_cycles[0] ? " (" : "", c->no_cycles, c->no_cycles[0] ? ")" : "", c->hz,
		format_ns(duration, sizeof(duration), (double)c->duration_ns), widest(run));
	say_share(f, other, samples, "unclassified");
	say_share(f, lost, samples + lost, "lost");
	say_share(f, shifted, samples, "delayed by disabled interrupts, charged to the caller");
	say_share(f, c->by[NIO_SAMPLE_ELSEWHERE].samples, samples,
		  "of TCP's softirq in other tasks, not in the table");
	fputs(". ", f);
}

/* How many calls were followed, if not all. */
static void say_followed(FILE *f, const struct run_result *run)
{
	uint64_t calls = time_figures__calls(run);
	char part[UNITS_BUF], all[UNITS_BUF];

	if (!run->path_calls.known || run->path_calls.value >= calls)
		return;
	fprintf(f, "%s: parts are of %s of %s call%s", mode__words(run->mode),
		format_count(part, sizeof(part), run->path_calls.value),
		format_count(all, sizeof(all), calls), plural(calls));
	fprintf(f, run->path_reason ? " (%s). " : ". ", run->path_reason);
}

static void say_losses(FILE *f, const struct run_result *run)
{
	const struct {
		const struct num *n;
		const char *what;
	} losses[] = {
		{&run->times.missed, "program runs were refused"},
		{&run->times.map_full, "events found no room"},
		{&run->times.unmatched, "events lacked their begin or end"},
	};
	char text[UNITS_BUF];

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (losses[i].n->known && losses[i].n->value)
			fprintf(f, "%s: %s %s while times were taken. ", mode__words(run->mode),
				format_count(text, sizeof(text), losses[i].n->value),
				losses[i].what);
}

void text_cost__say_times(FILE *f, const struct run_result *run)
{
	char duration[UNITS_BUF];

	if (run->times.source == TIMES_NOT_TAKEN)
		fprintf(f, "%s: none were taken (%s). ", mode__words(run->mode), run->times.reason);
	if (run->times.source == TIMES_OF_ITS_OWN) {
		fprintf(f, "%s: from separate short rounds, %s in all. ", mode__words(run->mode),
			format_ns(duration, sizeof(duration), (double)run->times.duration_ns));
		say_losses(f, run);
	}
	say_followed(f, run);
}

char *text_cost__modes(char *buf, size_t len, const struct result *r)
{
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; r->summary_nr > 1 && i < r->summary_nr && used < len; i++)
		used += (size_t)snprintf(buf + used, len - used, "%s%s",
					 mode__words(r->summary[i].mode),
					 i + 1 == r->summary_nr ? ": " : " / ");
	return buf;
}

/* A figure of each mode, unless no mode has it: then its reason is among the reasons. */
static bool say_figures(FILE *f, const struct result *r, const char *lead, const char *words,
			const char *unit, const struct real *v)
{
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++)
		any |= v[i].known;
	if (!any)
		return false;
	fprintf(f, "%s%s ", lead, words);
	for (size_t i = 0; i < r->summary_nr; i++) {
		fputs(i ? " / " : "", f);
		if (v[i].known)
			fprintf(f, v[i].value < 1000 ? "%.3g" : "%.0f", v[i].value);
		else
			fputs("n/a", f);
	}
	fprintf(f, " %s", unit);
	return true;
}

bool text_cost__say_derived(FILE *f, const struct result *r, const char *lead, enum perf_derived d)
{
	struct real v[MODE_NR];

	for (size_t i = 0; i < r->summary_nr; i++)
		v[i] = perf_derive(&r->summary[i].total, d, perf_whose__here(&r->summary[i].total));
	return say_figures(f, r, lead, perf_derived__words(d), perf_derived__unit(d), v);
}

static void say_scaled(FILE *f, const struct result *r)
{
	double lowest = 1;

	for (size_t i = 0; i < r->summary_nr; i++) {
		struct real running = perf_derive__lowest_running(&r->summary[i].total);

		if (running.known && running.value < lowest)
			lowest = running.value;
	}
	if (lowest < PERF_RUNNING_MIN)
		fprintf(f, "; counters took turns, down to %.0f %% of the time, and are scaled up",
			lowest * 100);
}

void text_cost__say_counters(FILE *f, const struct result *r)
{
	char modes[TEXT_MODES_LEN];

	fprintf(f, "%s%s", r->summary[0].total.sender_side ? "of the sender alone: " : "",
		text_cost__modes(modes, sizeof(modes), r));
	if (!text_cost__say_derived(f, r, "", DERIVED_CPU_NS_PER_KIB))
		fputs("CPU n/a", f);
	for (int d = 0; d < DERIVED_NR; d++)
		if (perf_derived__shown((enum perf_derived)d, VISIBILITY_TEXT))
			text_cost__say_derived(f, r, "; ", (enum perf_derived)d);
	say_scaled(f, r);
}

/* Events of --perf-events: the sum of sender and receiver, or the sender alone. */
void text_cost__say_events(FILE *f, const struct result *r)
{
	const char *lead = "";
	struct real v[MODE_NR];

	for (size_t event = 0; event < r->summary[0].total.perf_asked_nr; event++) {
		for (size_t i = 0; i < r->summary_nr; i++)
			v[i] = text_cost__asked(&r->summary[i].total, event);
		if (say_figures(f, r, lead, r->summary[0].total.perf_asked[event].name, "per KiB",
				v))
			lead = "; ";
	}
}

struct real text_cost__asked(const struct run_result *run, size_t event)
{
	const struct num *count = run->perf_asked[event].count;
	struct num sum = count[NIO_SIDE_SENDER];

	if (perf_whose__here(run) == PERF_OF_BOTH)
		sum = num__sum(sum, count[NIO_SIDE_RECEIVER]);
	return perf_derive__per_bytes(run, sum, 1024);
}
