/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The details after the end of a run (--details): tables of copies and latencies, the load, the
 * books, the verdict, where copies ran and how zero-copy sends completed.
 */
#include <stdlib.h>
#include <string.h>

#include "bpf/hist_layout.h"
#include "common/units.h"
#include "model/figures.h"
#include "model/tap_parse.h"
#include "text.h"
#include "text_end.h"
#include "text_note.h"
#include "text_reasons.h"

#define WIDTH_MIN   60
#define PLACES_SAID 3

static void say_rounds(FILE *f, const struct result *r)
{
	char each[UNITS_BUF], kernel[160];

	if (r->messages)
		format_count(each, sizeof(each), r->messages);
	else
		format_ns(each, sizeof(each), (double)r->round_duration_ns);
	fprintf(f, "%u round%s x %s%s; %s; backend %s", r->rounds, plural(r->rounds), each,
		r->messages == 0   ? ""
		: r->messages == 1 ? " message"
				   : " messages",
		figures__kernel(kernel, sizeof(kernel), &r->env), r->backend ? r->backend : "none");
}

/* "in softirq on top of nio-sender, on lo" */
static void print_place(FILE *f, const struct place_result *p)
{
	if (p->comm[0] == '(')
		fprintf(f, "elsewhere");
	else if (p->context == NIO_CONTEXT_SOFTIRQ)
		fprintf(f, "in softirq on top of %s", p->comm);
	else if (p->context == NIO_CONTEXT_PROCESS)
		fprintf(f, "in %s", p->comm);
	else
		fprintf(f, "in %s, or in softirq on top of it", p->comm);
	if (p->dev[0])
		fprintf(f, ", on %s", p->dev);
}

static int by_bytes(const void *a, const void *b)
{
	const struct place_result *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Where deferred copies ran: the places with the most bytes. */
static void say_deferred(FILE *f, const struct run_result *run)
{
	struct place_result places[PLACES_SHOWN];
	double all = 0, rest;

	if (!run->places_nr)
		return;
	memcpy(places, run->places, sizeof(places));
	qsort(places, run->places_nr, sizeof(places[0]), by_bytes);
	for (size_t i = 0; i < run->places_nr; i++)
		all += (double)places[i].bytes;
	rest = all;
	fprintf(f, "%s: ran ", mode__words(run->mode));
	for (size_t i = 0; i < run->places_nr && i < PLACES_SAID; i++) {
		fputs(i ? "; " : "", f);
		if (run->places_nr > 1 && all > 0)
			fprintf(f, "%.1f %% ", 100 * (double)places[i].bytes / all);
		print_place(f, &places[i]);
		rest -= (double)places[i].bytes;
	}
	if (run->places_nr > PLACES_SAID && all > 0)
		fprintf(f, "; %.1f %% elsewhere", 100 * rest / all);
	fputs(". ", f);
}

static void say_others(FILE *f, const struct run_result *run)
{
	char bytes[UNITS_BUF], events[UNITS_BUF];

	for (size_t i = 0; i < run->others_nr; i++) {
		const struct other_result *o = &run->others[i];

		fprintf(f, "%s%s%s %s in %s cop%s", i ? "" : mode__words(run->mode),
			i ? ", " : ": ", o->caller,
			format_bytes_si(bytes, sizeof(bytes), (double)o->bytes),
			format_count(events, sizeof(events), o->events),
			o->events == 1 ? "y" : "ies");
	}
	if (run->others_nr)
		fputs(". ", f);
}

/* Sizes are given as the lower bound of their bucket, where round sizes lie. */
static char *format_bytes_at(char *buf, size_t len, const struct hist *h, double q)
{
	uint32_t bucket = hist_bucket(hist__quantile(h, q), h->sub_bits, h->n_buckets);

	return format_size(buf, len, hist__bucket_low(h, bucket));
}

/* How zero-copy sends completed, by the kernel's own clock and account. */
static void say_completions(FILE *f, const struct run_result *run)
{
	const struct hist *completion = run->pinned.completion.hist;
	const struct hist *outstanding = run->pinned.outstanding.hist;
	char p50[UNITS_BUF], p99[UNITS_BUF];

	if (!run->kernel_zc_known || !run->notifications.known || !run->notifications.value)
		return;
	if (completion && completion->count)
		fprintf(f, "pages were released %s (p99 %s) after the call; ",
			format_ns(p50, sizeof(p50), (double)hist__quantile(completion, 0.5)),
			format_ns(p99, sizeof(p99), (double)hist__quantile(completion, 0.99)));
	if (outstanding && outstanding->count)
		fprintf(f, "%s (p99 %s) of a socket pinned after a send; ",
			format_bytes_at(p50, sizeof(p50), outstanding, 0.5),
			format_bytes_at(p99, sizeof(p99), outstanding, 0.99));
	fprintf(f, "%.*f sends per notification. ",
		run->kernel_zc.completed < 10 * run->notifications.value,
		(double)run->kernel_zc.completed / (double)run->notifications.value);
}

/* The open range of copies: missed events, or sampled completions. */
static void say_open(FILE *f, const struct run_result *run)
{
	const struct real *least = &run->copies_per_byte, *most = &run->copies_per_byte_at_most;

	if (least->known && most->known && most->value > least->value)
		fprintf(f, "%s: %s, so between %.4f and %.4f copies per byte. ",
			mode__words(run->mode),
			run_result__sampled_completions(run) ? "completions were sampled"
							     : "events were missed",
			least->value, most->value);
}

static void say_congestion(FILE *f, const struct result *r)
{
	text_congestion__write(f, &r->env.congestion);
}

static void say_verdict(FILE *f, const struct run_result *run)
{
	const struct verdict *v = &run->verdict;
	const char *reason = v->copied_fraction.reason;

	if (run->mode != MODE_ZEROCOPY)
		return;
	if (v->text[0])
		fputs(v->text, f);
	else
		fprintf(f, "n/a: %s.", reason ? reason : "no verdict was reached");
}

static const char *when_open(const struct tap *t)
{
	if (t->at_start)
		return t->open ? "" : " (closed before the end)";
	return t->open ? " (opened after the start)" : " (opened and closed in between)";
}

/* Taps cost every mode a clone and a call per packet, and zero-copy a copy. */
static void say_taps(FILE *f, const struct result *r)
{
	const struct taps *taps = &r->env.taps;
	char name[TAP_NAME_LEN];

	for (unsigned int i = 0; i < taps->nr; i++)
		fprintf(f, "%s%s%s",
			i ? ", " : "handed every packet: ", tap__name(&taps->list[i], name),
			when_open(&taps->list[i]));
	if (taps->more)
		fprintf(f, " and %u more", taps->more);
}

/* The sockets' count is of a later moment than that of an interrupted load generator. */
static void say_retransmitted(FILE *f, const struct run_result *run)
{
	const struct app_result *app = &run->app;
	char again[UNITS_BUF], sent[UNITS_BUF];

	if (!app->tcp_bytes_retrans)
		return;
	fprintf(f, "%s retransmitted %s of ", mode__words(run->mode),
		format_bytes_si(again, sizeof(again), (double)app->tcp_bytes_retrans));
	if (run->not_final)
		fprintf(f, "n/a sent (%s). ", run->not_final);
	else
		fprintf(f, "%s. ", format_bytes_si(sent, sizeof(sent), (double)app->tx_bytes));
}

static void say_footnote(FILE *f, const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		if (!figures__copies(&r->summary[i].total).excluded)
			continue;
		fputs("total of the stages that were measured", f);
		return;
	}
}

/* A paragraph: a label, and what is said of the result and of each mode. Not printed if empty. */
struct paragraph {
	const char *label;
	void (*say)(FILE *f, const struct result *r);
	void (*say_mode)(FILE *f, const struct run_result *run);
};

static void print_all(FILE *f, unsigned int width, const struct result *r,
		      const struct paragraph *list)
{
	for (; list->label; list++) {
		struct text_note note;

		text_note__begin(&note);
		if (list->say)
			list->say(note.f, r);
		for (size_t i = 0; list->say_mode && i < r->summary_nr; i++)
			list->say_mode(note.f, &r->summary[i].total);
		text_note__end(&note, f, width, list->label);
	}
}

void text_details__print(const struct result *r, FILE *f, unsigned int columns)
{
	static const struct paragraph first[] = {
		{"rounds", say_rounds, NULL},
		{NULL, NULL, NULL},
	};
	static const struct paragraph footnote[] = {{"*", say_footnote, NULL}, {NULL, NULL, NULL}};
	static const struct paragraph notes[] = {
		{"open", NULL, say_open},
		{"congestion", say_congestion, NULL},
		{"zero-copy", NULL, say_verdict},
		{"taps", say_taps, NULL},
		{"tcp", NULL, say_retransmitted},
		{"deferred", NULL, say_deferred},
		{"other", NULL, say_others},
		{"completion", NULL, say_completions},
		{"time", NULL, text_cost__say_times},
		{"perf", text_cost__say_counters, NULL},
		{"events", text_cost__say_events, NULL},
		{NULL, NULL, NULL},
	};
	static const struct paragraph cpu[] = {{"cpu", NULL, text_cost__say_samples},
					       {NULL, NULL, NULL}};
	static const struct paragraph last[] = {
		{"losses", text_quality__say_meanings, NULL},
		{"sampled", text_quality__say_sampling, text_quality__say_sampled},
		{"uncovered", NULL, text_quality__say_uncovered},
		{NULL, NULL, NULL},
	};
	unsigned int width = columns < WIDTH_MIN ? WIDTH_MIN : columns;

	if (!r->summary_nr)
		return;
	print_all(f, width, r, first);
	fputc('\n', f);
	text_tables__copies(f, r, width);
	print_all(f, width, r, footnote);
	for (int k = 0; k < LATENCY_NR; k++)
		if (figures__shows_latency(r, k))
			text_tables__percentiles(f, r, width, k);
	text_cost__times(f, r, width);
	fputc('\n', f);
	print_all(f, width, r, notes);
	text_cost__sides(f, r, width);
	print_all(f, width, r, cpu);
	text_reasons__print(f, r, width);
	fputc('\n', f);
	text_quality__losses(f, r, width);
	print_all(f, width, r, last);
}
