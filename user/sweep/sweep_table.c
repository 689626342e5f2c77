/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text of a sweep, and results.csv; see sweep_table.h. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "screen/text_end.h"
#include "screen/text_cells.h"
#include "sweep_table.h"
#include "write/csv.h"
#include "write/json_value.h"

struct table {
	const struct sweep_grid *g;
	const double *gbps;
	char *const *made;
	double *values; /* room for as many as there are rounds */
};

/* Runs of one cell follow each other; the same cell of the next mode comes a block later. */
static size_t block_of(const struct table *t)
{
	return sweep_grid__runs(t->g) / t->g->modes_nr;
}

static void name_cell(char *cell, const void *of, size_t row, int what)
{
	const struct sweep_grid *g = ((const struct table *)of)->g;
	struct sweep_run r = sweep_grid__run(g, row * g->rounds);
	char size[UNITS_BUF];

	(void)what;
	snprintf(cell, TEXT_CELL_MAX, "%6s %7u%s%s", format_size_short(size, sizeof(size), r.size),
		 r.threads, r.congestion ? " " : "", r.congestion ? r.congestion : "");
}

/* "31.4 (30.2-32)". what: the mode. */
static void gbps_cell(char *cell, const void *of, size_t row, int what)
{
	const struct table *t = of;
	size_t run = (size_t)what * block_of(t) + row * t->g->rounds, n = 0;
	struct spread s;

	for (unsigned int round = 0; round < t->g->rounds; round++)
		if (t->made[run + round])
			t->values[n++] = t->gbps[run + round];
	s = stats__spread(t->values, n);
	if (!s.n)
		snprintf(cell, TEXT_CELL_MAX, "%5s", "n/a");
	else if (s.n > 1)
		snprintf(cell, TEXT_CELL_MAX, "%5.3g (%.3g-%.3g)", s.median, s.low, s.high);
	else
		snprintf(cell, TEXT_CELL_MAX, "%5.3g", s.median);
}

static void put_table(FILE *f, unsigned int width, struct table *t)
{
	struct text_cells cells;

	t->values = xcalloc(t->g->rounds, sizeof(*t->values));
	text_cells__begin(&cells, 1, block_of(t) / t->g->rounds);
	text_cells__add(&cells,
			t->g->congestions_nr ? "  size threads congestion" : "  size threads", true,
			name_cell, t, 0);
	for (size_t m = 0; m < t->g->modes_nr; m++)
		text_cells__add(&cells, mode__words(t->g->modes[m]), true, gbps_cell, t, (int)m);
	text_cells__print(f, &cells, width);
	free(t->values);
}

static void put_cpus(FILE *f, const struct workload *t, bool one_cpu)
{
	if (t->sender_cpus)
		fprintf(f, "senders on CPU%s %s", strchr(t->sender_cpus, ',') ? "s" : "",
			t->sender_cpus);
	if (t->receiver_cpus)
		fprintf(f, "%sreceivers on CPU%s %s", t->sender_cpus ? ", " : "",
			strchr(t->receiver_cpus, ',') ? "s" : "", t->receiver_cpus);
	if (!t->sender_cpus && !t->receiver_cpus)
		fprintf(f, "threads are not pinned%s",
			one_cpu ? ": this process may use one CPU only" : "");
}

/* If the congestion control is varied: each one. */
static void put_congestions(FILE *f, const struct congestion *c, const struct sweep_grid *g)
{
	for (size_t i = 0; i < g->congestions_nr; i++) {
		struct congestion one = {.choice = CONGESTION_ASKED};
		const char *name = g->congestions[i];

		if (!strcmp(name, CONGESTION_OF_SYSTEM))
			name = c->system;
		snprintf(one.chosen, sizeof(one.chosen), "%s", name);
		text_congestion__write(f, &one);
		fputc(' ', f);
	}
	if (!g->congestions_nr)
		text_congestion__write(f, c);
}

void sweep_table__conditions(FILE *f, unsigned int width, const struct environment *env,
			     const struct sweep_options *o, bool pinned_by_default, bool one_cpu)
{
	struct text_note n;

	text_note__begin(&n);
	fputs(env->path, n.f);
	if (env->receiver)
		fprintf(n.f, ", %s to %s", env->machine.host, env->receiver->machine.host);
	fputs("; ", n.f);
	put_cpus(n.f, &o->run.workload, one_cpu);
	fputs(pinned_by_default ? "; --no-pin leaves them to the scheduler." : ".", n.f);
	text_note__end(&n, f, width, "path");
	text_note__begin(&n);
	put_congestions(n.f, &env->congestion, &o->grid);
	text_note__end(&n, f, width, "congestion");
	fputc('\n', f);
}

void sweep_table__write(FILE *f, unsigned int width, const char *directory,
			const struct sweep_grid *g, const double *gbps, char *const *made,
			const struct sweep_totals *t)
{
	struct table table = {.g = g, .gbps = gbps, .made = made};
	struct text_note n;

	fprintf(f, "Gbit/s, median%s\n\n", g->rounds > 1 ? " (lowest-highest round)" : "");
	put_table(f, width, &table);
	fputc('\n', f);
	text_note__begin(&n);
	fprintf(n.f, "%s: %zu of %zu run%s made, %zu failed", directory, t->made, t->runs,
		plural(t->runs), t->failed);
	if (t->measured_ns)
		fprintf(n.f, "; this took %.1f s, %.1f s of them under load",
			(double)t->elapsed_ns / 1e9, (double)t->measured_ns / 1e9);
	fputc('\n', n.f);
	if (t->made + t->failed < t->runs)
		fputs("interrupted: the same command with --resume makes the rest\n", n.f);
	else if (t->made)
		fprintf(n.f, "next: netiotrace report %s\n", directory);
	text_note__fit(&n, f, &(struct text_note_form){.columns = width, .lines = UINT_MAX});
}

/* ---- results.csv ---- */

/* A number of a run by its path; NaN: null or absent. */
static double number_at(const json_t *run, const char *path)
{
	const json_t *parent, *value;
	const char *last;

	value = json_value__at(run, path, &parent, &last);
	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* What a counter (of perf_counter__key()) counted on both sides; NaN if either is unknown. */
static double counted(const json_t *run, const char *counter)
{
	char sender[64], receiver[64];

	snprintf(sender, sizeof(sender), "perf.sender.%s.value", counter);
	snprintf(receiver, sizeof(receiver), "perf.receiver.%s.value", counter);
	return number_at(run, sender) + number_at(run, receiver);
}

/* Bytes that arrived at either end; where they are unknown, by throughput and time. */
static double payload_of(const json_t *run)
{
	double received = number_at(run, "app.rx_bytes");
	double replies = number_at(run, "app.replies.rx_bytes");

	if (isnan(received))
		return number_at(run, "app.throughput_gbps") * number_at(run, "duration_s") * 1e9 /
		       8;
	return received + (isnan(replies) ? 0 : replies);
}

static double cpu_ns(const json_t *run)
{
	double kib = payload_of(run) / 1024;

	return number_at(run, "app.cpu_s.sender") * 1e9 / kib +
	       number_at(run, "app.cpu_s.receiver") * 1e9 / kib;
}

static double cycles_per_byte(const json_t *run)
{
	return counted(run, "cycles") / payload_of(run);
}

static double ipc(const json_t *run)
{
	return counted(run, "instructions") / counted(run, "cycles");
}

static double llc_miss_ratio(const json_t *run)
{
	return counted(run, "llc_misses") / counted(run, "llc_references");
}

/* The unit is in the name. New columns are appended: analysis/csv_names.py reads all of them. */
static const struct column {
	const char *name, *path; /* path: of a number as it is, in units of `unit` */
	double unit;
	double (*compute)(const json_t *run); /* without a path; NULL: the counter of this name */
} columns[] = {
	{"throughput_gbps", "app.throughput_gbps", 1, NULL},
	{"copies_per_byte", "ledger.copies_per_byte", 1, NULL},
	{"send_p50_us", "app.latency_ns.send_call.p50", 1e3, NULL},
	{"delivery_p50_us", "app.latency_ns.delivery.p50", 1e3, NULL},
	{"cpu_ns_per_kib", NULL, 1, cpu_ns},
	{"cycles_per_byte", NULL, 1, cycles_per_byte},
	{"l1d_misses", NULL, 1, NULL},
	{"llc_misses", NULL, 1, NULL},
	{"duration_s", "duration_s", 1, NULL},
	{"payload_bytes", NULL, 1, payload_of},
	{"copies_per_byte_at_most", "ledger.copies_per_byte_at_most", 1, NULL},
	{"copied_fraction", "verdict.copied_fraction", 1, NULL},
	{"softirq_ns_per_kib", "cpu.softirq.ns_per_kib", 1, NULL},
	{"softirq_ns_per_kib_at_most", "cpu.softirq.ns_per_kib_at_most", 1, NULL},
	{"context_switches", NULL, 1, NULL},
	{"cycles", NULL, 1, NULL},
	{"instructions", NULL, 1, NULL},
	{"ipc", NULL, 1, ipc},
	{"llc_references", NULL, 1, NULL},
	{"llc_miss_ratio", NULL, 1, llc_miss_ratio},
	{"dtlb_misses", NULL, 1, NULL},
	{"send_p99_us", "app.latency_ns.send_call.p99", 1e3, NULL},
	{"delivery_p99_us", "app.latency_ns.delivery.p99", 1e3, NULL},
	{"half_round_trip_p50_us", "app.latency_ns.half_round_trip.p50", 1e3, NULL},
	{"half_round_trip_p99_us", "app.latency_ns.half_round_trip.p99", 1e3, NULL},
	{"completion_p50_us", "app.latency_ns.completion.p50", 1e3, NULL},
	{"completion_p99_us", "app.latency_ns.completion.p99", 1e3, NULL},
	{"slot_wait_p50_us", "app.latency_ns.slot_wait.p50", 1e3, NULL},
	{"slot_wait_p99_us", "app.latency_ns.slot_wait.p99", 1e3, NULL},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

void sweep_csv__header(FILE *f)
{
	fputs("mode,size,threads,congestion_control,round", f);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(f, ",%s", columns[i].name);
	fputc('\n', f);
}

static void put_words(FILE *f, const json_t *run, const json_t *environment)
{
	const char *mode = json_string_value(json_object_get(run, "mode"));
	const char *congestion =
		json_string_value(json_object_get(environment, "congestion_control"));

	csv__put_text(f, mode ? mode : "");
	fprintf(f, ",%.0f,%.0f,", number_at(run, "size"), number_at(run, "threads"));
	csv__put_text(f, congestion ? congestion : "");
	fprintf(f, ",%.0f", number_at(run, "round"));
}

static double value_of(const struct column *c, const json_t *run)
{
	if (c->path)
		return number_at(run, c->path) / c->unit;
	return c->compute ? c->compute(run) : counted(run, c->name);
}

void sweep_csv__row(FILE *f, const json_t *document)
{
	const json_t *run = json_array_get(json_object_get(document, "runs"), 0);

	put_words(f, run, json_object_get(document, "environment"));
	for (const struct column *c = columns; c < columns + COLUMNS; c++) {
		double value = value_of(c, run);

		fputc(',', f);
		if (isfinite(value))
			fprintf(f, "%.12g", value);
	}
	fputc('\n', f);
}
