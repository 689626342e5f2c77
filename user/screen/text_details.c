/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The details after the end of a run (--details): tables of copies and latencies, the load, the
 * books, the verdict, where copies ran and how zero-copy sends completed.
 */
#include <string.h>

#include "base/text_note.h"
#include "bpf/hist_layout.h"
#include "common/units.h"
#include "model/figures.h"
#include "model/remote.h"
#include "model/tap_parse.h"
#include "text.h"
#include "text_end.h"
#include "text_reasons.h"

#define WIDTH_MIN   60
#define PLACES_TOLD 3

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

static void print_rate(FILE *f, const struct result *r)
{
	char rate[UNITS_BUF];

	fprintf(f,
		"open loop of %s messages/s: delivery%s count from the time at which a message was "
		"due, so that a late message does not hide the delay of those behind it.",
		format_count(rate, sizeof(rate), r->traffic.rate),
		r->traffic.request_response ? " and half round trip" : "");
	text_result__behind(f, r);
}

static void print_replies(FILE *f, const struct result *r)
{
	fprintf(f,
		"%s: each message is answered by one of its size with a plain send(). Copies and "
		"books %s; throughput is of the messages. Half a round trip is measured by the "
		"sender's clock alone.",
		r->traffic.rate ? " Request and response" : "request and response",
		r->summary[0].total.sender_side ? "are of the messages" : "have both directions");
}

static void say_load(FILE *f, const struct result *r)
{
	if (!r->traffic.rate && !r->traffic.request_response)
		return;
	if (r->traffic.rate)
		print_rate(f, r);
	if (r->traffic.request_response)
		print_replies(f, r);
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

/* The place with the most bytes of those not printed yet; NULL: all are. */
static const struct place_result *next_place(const struct run_result *run, unsigned int *told)
{
	const struct place_result *most = NULL;
	size_t i;

	for (i = 0; i < run->places_nr; i++)
		if (!(*told & 1u << i) && (!most || run->places[i].bytes > most->bytes))
			most = &run->places[i];
	if (most)
		*told |= 1u << (most - run->places);
	return most;
}
_Static_assert(PLACES_SHOWN < 32, "places are told apart by the bits of an int");

static void print_places(FILE *f, const struct run_result *run)
{
	const struct place_result *p;
	unsigned int told = 0;
	uint64_t all = 0, rest;
	const char *lead = "";
	size_t i, n;

	for (i = 0; i < run->places_nr; i++)
		all += run->places[i].bytes;
	rest = all;
	for (n = 0; n < PLACES_TOLD && (p = next_place(run, &told)); n++) {
		fprintf(f, "%s", lead);
		if (run->places_nr > 1)
			fprintf(f, "%.1f %% ", 100 * (double)p->bytes / (double)(all ? all : 1));
		print_place(f, p);
		rest -= p->bytes;
		lead = "; ";
	}
	if (run->places_nr > PLACES_TOLD)
		fprintf(f, "; %.1f %% elsewhere", 100 * (double)rest / (double)(all ? all : 1));
}

static void say_deferred(FILE *f, const struct result *r)
{
	const char *lead = "ran ";
	size_t i, modes = 0;

	for (i = 0; i < r->summary_nr; i++)
		modes += r->summary[i].total.places_nr > 0;
	for (i = 0; i < r->summary_nr; i++) {
		if (!r->summary[i].total.places_nr)
			continue;
		if (modes > 1)
			fprintf(f, "%s: ", mode__words(r->summary[i].mode));
		fprintf(f, "%s", lead);
		print_places(f, &r->summary[i].total);
		fprintf(f, ". ");
	}
}

static void say_others(FILE *f, const struct result *r)
{
	const struct run_result *run;
	char bytes[UNITS_BUF], events[UNITS_BUF];
	const char *lead;
	size_t i, c;

	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		for (c = 0, lead = ": "; c < run->others_nr; c++, lead = ", ") {
			fprintf(f, "%s%s%s %s in %s cop%s", c ? "" : mode__words(run->mode), lead,
				run->others[c].caller,
				format_bytes_si(bytes, sizeof(bytes), (double)run->others[c].bytes),
				format_count(events, sizeof(events), run->others[c].events),
				run->others[c].events == 1 ? "y" : "ies");
		}
		if (run->others_nr)
			fprintf(f, ". ");
	}
}

/* Sizes are given as the lower bound of their bucket, where round sizes lie. */
static char *format_bytes_at(char *buf, size_t len, const struct hist *h, double q)
{
	uint32_t bucket = hist_bucket(hist__quantile(h, q), h->sub_bits, h->n_buckets);

	return format_size(buf, len, hist__bucket_low(h, bucket));
}

static void print_completion_time(FILE *f, const struct run_result *run)
{
	const struct hist *h = run->pinned.completion.hist;
	char p50[UNITS_BUF], p99[UNITS_BUF];

	if (h && h->count)
		fprintf(f, "pages were released %s (p99 %s) after the call; ",
			format_ns(p50, sizeof(p50), (double)hist__quantile(h, 0.5)),
			format_ns(p99, sizeof(p99), (double)hist__quantile(h, 0.99)));
	h = run->pinned.outstanding.hist;
	if (h && h->count)
		fprintf(f, "%s (p99 %s) of a socket pinned after a send; ",
			format_bytes_at(p50, sizeof(p50), h, 0.5),
			format_bytes_at(p99, sizeof(p99), h, 0.99));
}

/* How zero-copy sends completed, by the kernel's own clock and account. */
static void say_completions(FILE *f, const struct result *r)
{
	const struct run_result *run;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		if (!run->kernel_zc_known || !run->notifications.known || !run->notifications.value)
			continue;
		print_completion_time(f, run);
		fprintf(f, "%.*f sends per notification. ",
			run->kernel_zc.completed < 10 * run->notifications.value,
			(double)run->kernel_zc.completed / (double)run->notifications.value);
	}
}

static void print_part(FILE *f, const char *lead, struct num bytes, const char *what)
{
	char buf[UNITS_BUF];

	fprintf(f, "%s%s %s", lead,
		bytes.known ? format_bytes_si(buf, sizeof(buf), (double)bytes.value) : "n/a", what);
}

/* Copied bytes, always; spliced bytes that no hook shows have a reason elsewhere. */
static bool is_worth_saying(enum nio_stage stage, struct num bytes)
{
	if (stage == NIO_STAGE_TX_COPY || (bytes.known && bytes.value))
		return true;
	return !bytes.known && stage != NIO_STAGE_TX_SPLICE;
}

static void print_sent(FILE *f, const struct result *r, const struct text_sums *sums)
{
	const char *lead = " = ";

	print_part(f, "", (struct num){.value = sums->sent, .known = true}, "sent");
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (stage__account(s) != STAGE_SENT || !is_worth_saying(s, sums->stages[s]))
			continue;
		print_part(f, lead, sums->stages[s], stage__done(s));
		lead = " + ";
	}
	if (sums->unclassified)
		print_part(f, lead, (struct num){.value = sums->unclassified, .known = true},
			   "unclassified (events were missed)");
	print_part(f, "; ", sums->received,
		   sums->told && sums->received.known ? "received, says the receiver" : "received");
	for (size_t i = 0; i < r->summary_nr; i++)
		if (r->summary[i].total.not_final)
			fprintf(f, "; n/a for %s: %s", mode__words(r->summary[i].mode),
				r->summary[i].total.not_final);
}

/* The open range of copies per mode: missed events, or sampled completions. */
static void print_open(FILE *f, const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct real *least = &run->copies_per_byte;
		const struct real *most = &run->copies_per_byte_at_most;
		bool sampled = run_result__sampled_completions(run);

		if (least->known && most->known && most->value > least->value)
			fprintf(f, "; %s: %sbetween %.4f and %.4f copies per byte%s",
				mode__words(r->summary[i].mode),
				sampled ? "" : "events were missed, so ", least->value, most->value,
				sampled ? " (deferred: see reasons)" : "");
	}
}

static void say_books(FILE *f, const struct result *r)
{
	struct text_sums sums = text_sums__of(r);

	if (!sums.modes) {
		fprintf(f, "n/a: %s", sums.not_final);
		return;
	}
	print_sent(f, r, &sums);
	print_open(f, r);
}

static void say_congestion(FILE *f, const struct result *r)
{
	text_congestion__write(f, &r->env.congestion);
}

static void say_verdict(FILE *f, const struct result *r)
{
	const struct mode_summary *zc = text_end__mode(r, MODE_ZEROCOPY);
	const struct verdict *v;

	if (!zc)
		return;
	v = &zc->total.verdict;
	if (v->text[0])
		fprintf(f, "%s", v->text);
	else
		fprintf(f, "n/a: %s.",
			v->copied_fraction.reason ? v->copied_fraction.reason
						  : "no verdict was reached");
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

static void say_retransmitted(FILE *f, const struct result *r)
{
	const char *lead = "retransmitted: ";
	char again[UNITS_BUF], sent[UNITS_BUF];
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct app_result *app = &run->app;

		if (!app->tcp_bytes_retrans)
			continue;
		fprintf(f, "%s%s %s of %s", lead, mode__words(r->summary[i].mode),
			format_bytes_si(again, sizeof(again), (double)app->tcp_bytes_retrans),
			run->not_final
				? "n/a"
				: format_bytes_si(sent, sizeof(sent), (double)app->tx_bytes));
		/* The sockets' count is of a later moment than the load generator's. */
		if (run->not_final)
			fprintf(f, " sent (%s)", run->not_final);
		lead = ", ";
	}
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

/* A paragraph: label and text, nothing for an empty text. */
struct paragraph {
	const char *label;
	void (*say)(FILE *f, const struct result *r);
};

static void print_all(FILE *f, unsigned int width, const struct result *r,
		      const struct paragraph *list)
{
	for (; list->label; list++) {
		struct text_note note;

		text_note__begin(&note);
		list->say(note.f, r);
		text_note__end(&note, f, width, list->label);
	}
}

void text_details__print(const struct result *r, FILE *f, unsigned int columns)
{
	static const struct paragraph first[] = {
		{"rounds", say_rounds},
		{"result", text_result__say},
		{NULL, NULL},
	};
	static const struct paragraph footnote[] = {{"*", say_footnote}, {NULL, NULL}};
	static const struct paragraph notes[] = {
		{"load", say_load},
		{"books", say_books},
		{"congestion", say_congestion},
		{"zero-copy", say_verdict},
		{"taps", say_taps},
		{"tcp", say_retransmitted},
		{"deferred", say_deferred},
		{"other", say_others},
		{"completion", say_completions},
		{"time", text_cost__say_times},
		{"perf", text_cost__say_counters},
		{"events", text_cost__say_events},
		{NULL, NULL},
	};
	static const struct paragraph cpu[] = {{"cpu", text_cost__say_samples}, {NULL, NULL}};
	static const struct paragraph last[] = {
		{"watching", text_quality__say_watching},
		{"uncovered", text_quality__say_uncovered},
		{NULL, NULL},
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
	print_all(f, width, r, last);
}
