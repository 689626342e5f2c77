/* SPDX-License-Identifier: GPL-2.0-only */
/* results.csv of a sweep; see sweep_csv.h. */
#include <math.h>

#include "sweep_csv.h"
#include "write/csv.h"
#include "write/json_value.h"

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
