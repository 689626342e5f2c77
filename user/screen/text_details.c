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
#include "text_cells.h"
#include "text_end.h"

#define WIDTH_MIN   60
#define PLACES_TOLD 3

/* Copies per byte: '-' is a measured zero; a small value is never printed as zero. */
static void format_copies(char *buf, size_t len, struct real v)
{
	if (!v.known)
		snprintf(buf, len, "n/a");
	else if (v.value <= 0)
		snprintf(buf, len, "-");
	else if (v.value < 0.005)
		snprintf(buf, len, "<0.01");
	else
		snprintf(buf, len, "%.2f", v.value);
}

static bool moved(const struct run_result *run, enum nio_stage stage)
{
	return run->stages[stage].quality != QUALITY_UNAVAILABLE && run->stages[stage].bytes;
}

/* tx says how the bytes went out when they were not copied, or not all of them. */
static void format_tx(char *buf, const struct run_result *run)
{
	struct real copied = figures__per_byte(run, NIO_STAGE_TX_COPY);
	bool pinned = moved(run, NIO_STAGE_TX_PIN), spliced = moved(run, NIO_STAGE_TX_SPLICE);
	char figure[16];

	if (!copied.known || (!pinned && !spliced)) {
		format_copies(buf, TEXT_CELL_MAX, copied);
	} else if (copied.value > 0) {
		format_copies(figure, sizeof(figure), copied);
		snprintf(buf, TEXT_CELL_MAX, "%s+%s", figure, pinned ? "pin" : "spl");
	} else {
		snprintf(buf, TEXT_CELL_MAX, "%s", pinned ? "pinned" : "spliced");
	}
}

static void format_total(char *buf, const struct run_result *run)
{
	struct copies_figure c = figures__copies(run);
	char figure[16];

	format_copies(figure, sizeof(figure), c.value);
	snprintf(buf, TEXT_CELL_MAX, "%s%s", figure, c.value.known && c.excluded ? "*" : " ");
}

static void begin(struct text_cells *t, const struct result *r, const char *label)
{
	*t = (struct text_cells){.rows = 0};
	text_cells__add_column(t, label, true);
	for (size_t i = 0; i < r->summary_nr; i++)
		text_cells__set(t, text_cells__add_row(t), 0, "%s",
				mode__words(r->summary[i].mode));
}

static void print_copies(FILE *f, unsigned int width, const struct result *r)
{
	unsigned int column;
	struct text_cells t;

	begin(&t, r, r->summary[0].total.sender_side ? "sender's copies/B" : "copies/B");
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (!stage__is_copy(s))
			continue;
		column = text_cells__add_column(&t, stage__heading(s), false);
		for (unsigned int i = 0; i < r->summary_nr; i++) {
			const struct run_result *run = &r->summary[i].total;

			if (s == NIO_STAGE_TX_COPY)
				format_tx(t.cell[i + 1][column], run);
			else
				format_copies(t.cell[i + 1][column], TEXT_CELL_MAX,
					      figures__per_byte(run, s));
		}
	}
	column = text_cells__add_column(&t, "total ", false);
	for (unsigned int i = 0; i < r->summary_nr; i++)
		format_total(t.cell[i + 1][column], &r->summary[i].total);
	text_cells__print(f, &t, width);
}

static void print_latency(FILE *f, unsigned int width, const struct result *r, enum latency_kind k)
{
	static const struct {
		const char *head;
		double q;
	} columns[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};
	char time[UNITS_BUF];
	struct text_cells t;

	begin(&t, r, latency__heading(k));
	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		unsigned int column = text_cells__add_column(&t, columns[c].head, false);

		for (unsigned int i = 0; i < r->summary_nr; i++) {
			const struct hist *h = r->summary[i].total.app.latency[k].hist;
			double q = columns[c].q;

			if (!h || !h->count)
				text_cells__set(&t, i + 1, column, h ? "-" : "n/a");
			else
				text_cells__set(
					&t, i + 1, column, "%s",
					format_ns(time, sizeof(time),
						  (double)(q < 1 ? hist__quantile(h, q) : h->max)));
		}
	}
	fputc('\n', f);
	text_cells__print(f, &t, width);
}

/* Which stages the totals marked '*' are without. The reasons follow below. */
static void say_footnote(FILE *f, const struct result *r)
{
	const char *lead = "total without ";
	unsigned int excluded = 0;
	size_t i;

	for (i = 0; i < r->summary_nr; i++)
		excluded |= figures__copies(&r->summary[i].total).excluded;
	for (i = 0; i < NIO_STAGE_NR; i++) {
		if (!(excluded & 1u << i))
			continue;
		fprintf(f, "%s%s", lead, stage__heading(i));
		lead = ", ";
	}
	if (excluded)
		fprintf(f, ", which was not measured");
}

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

/* Bytes of a stage over all modes whose totals are final; unknown when one of these does not know.
 */
static struct num sum_stage(const struct result *r, enum nio_stage stage)
{
	struct num sum = {.known = true};
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		if (r->summary[i].total.not_final)
			continue;
		if (r->summary[i].total.stages[stage].quality == QUALITY_UNAVAILABLE)
			sum.known = false;
		else
			sum.value += r->summary[i].total.stages[stage].bytes;
	}
	return sum;
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

static void print_sent(FILE *f, const struct result *r)
{
	struct num sent = {.known = true}, received = {.known = true};
	struct num unclassified = {.known = true};
	const char *lead = " = ";
	bool told = false;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		if (r->summary[i].total.not_final)
			continue;
		sent.value += run_result__sent(&r->summary[i].total);
		received.value += run_result__received(&r->summary[i].total);
		received.known &= !r->summary[i].total.app.rx_reason;
		told |= r->summary[i].total.sender_side;
		if (r->summary[i].total.unclassified.known)
			unclassified.value += r->summary[i].total.unclassified.value;
	}
	print_part(f, "", sent, "sent");
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		struct num part = sum_stage(r, s);

		if (stage__account(s) != STAGE_SENT || !is_worth_saying(s, part))
			continue;
		print_part(f, lead, part, stage__done(s));
		lead = " + ";
	}
	if (unclassified.value)
		print_part(f, lead, unclassified, "unclassified (events were missed)");
	print_part(f, "; ", received,
		   told && received.known ? "received, says the receiver" : "received");
	for (i = 0; i < r->summary_nr; i++)
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

/* The reason for missing sums if the totals of no mode are of one moment. */
static const char *no_books(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (!r->summary[i].total.not_final)
			return NULL;
	return r->summary[0].total.not_final;
}

static void say_books(FILE *f, const struct result *r)
{
	const char *none = no_books(r);

	if (none) {
		fprintf(f, "n/a: %s", none);
	} else {
		print_sent(f, r);
		print_open(f, r);
	}
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

static void print_notes(FILE *f, unsigned int width, const struct result *r,
			const struct text_details_note *notes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct text_note note;

		text_note__begin(&note);
		notes[i].say(note.f, r);
		text_note__end(&note, f, width, notes[i].label);
	}
}

void text_details__print(const struct result *r, FILE *f, unsigned int columns)
{
	static const struct text_details_note first[] = {
		{"rounds", say_rounds},
		{"result", text_result__say},
	};
	static const struct text_details_note footnote[] = {{"*", say_footnote}};
	static const struct text_details_note notes[] = {
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
	};
	static const struct text_details_note cpu[] = {{"cpu", text_tables__say_sides}};
	static const struct text_details_note last[] = {
		{"watching", text_quality__say_watching},
		{"uncovered", text_quality__say_uncovered},
	};
	unsigned int width = columns < WIDTH_MIN ? WIDTH_MIN : columns;

	if (!r->summary_nr)
		return;
	print_notes(f, width, r, first, 2);
	fputc('\n', f);
	print_copies(f, width, r);
	print_notes(f, width, r, footnote, 1);
	for (int k = 0; k < LATENCY_NR; k++)
		if (figures__shows_latency(r, k))
			print_latency(f, width, r, (enum latency_kind)k);
	text_cost__times(f, width, r);
	fputc('\n', f);
	print_notes(f, width, r, notes, sizeof(notes) / sizeof(notes[0]));
	text_tables__sides(f, width, r);
	print_notes(f, width, r, cpu, 1);
	text_quality__reasons(f, width, r);
	print_notes(f, width, r, last, sizeof(last) / sizeof(last[0]));
}
