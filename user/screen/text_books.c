/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Details on bytes: the balance of the books, the zero-copy verdict, packet taps, bytes that were
 * retransmitted or received wrong. Everything is computed from the result alone.
 */
#include <string.h>

#include "model/remote.h"
#include "model/tap_parse.h"
#include "base/text_note.h"
#include "text.h"
#include "text_details.h"
#include "text_end.h"
#include "common/units.h"

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

/* What was copied, always; spliced bytes nobody could see are named under reasons. */
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

/* What is left open of the copies, mode by mode: by misses, or where completions were sampled. */
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

/* Why there is nothing to add up: what was counted in either mode is not of one moment. */
static const char *no_books(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (!r->summary[i].total.not_final)
			return NULL;
	return r->summary[0].total.not_final;
}

static void print_books(FILE *f, unsigned int width, const struct result *r)
{
	const char *none = no_books(r);
	struct text_note n;

	text_note__begin(&n);
	if (none) {
		fprintf(n.f, "n/a: %s", none);
	} else {
		print_sent(n.f, r);
		print_open(n.f, r);
	}
	text_note__end(&n, f, width, "books");
}

static void print_congestion(FILE *f, unsigned int width, const struct result *r)
{
	struct text_note n;

	text_note__begin(&n);
	text_congestion__write(n.f, &r->env.congestion);
	text_note__end(&n, f, width, "congestion");
}

static void print_verdict(FILE *f, unsigned int width, const struct result *r)
{
	const struct mode_summary *zc = text_end__mode(r, MODE_ZEROCOPY);
	const struct verdict *v;
	struct text_note n;

	if (!zc)
		return;
	text_note__begin(&n);
	v = &zc->total.verdict;
	if (v->text[0])
		fprintf(n.f, "%s", v->text);
	else
		fprintf(n.f, "n/a: %s.",
			v->copied_fraction.reason ? v->copied_fraction.reason
						  : "no verdict was reached");
	text_note__end(&n, f, width, "zero-copy");
}

static const char *when_open(const struct tap *t)
{
	if (t->at_start)
		return t->open ? "" : " (closed before the end)";
	return t->open ? " (opened after the start)" : " (opened and closed in between)";
}

/* Taps cost every mode a clone and a call per packet, and zero-copy a copy. */
static void print_taps(FILE *f, unsigned int width, const struct result *r)
{
	const struct taps *taps = &r->env.taps;
	char name[TAP_NAME_LEN];
	struct text_note n;

	text_note__begin(&n);
	for (unsigned int i = 0; i < taps->nr; i++)
		fprintf(n.f, "%s%s%s",
			i ? ", " : "handed every packet: ", tap__name(&taps->list[i], name),
			when_open(&taps->list[i]));
	if (taps->more)
		fprintf(n.f, " and %u more", taps->more);
	text_note__end(&n, f, width, "taps");
}

static void print_retransmitted(FILE *f, unsigned int width, const struct result *r)
{
	const char *lead = "retransmitted: ";
	char again[UNITS_BUF], sent[UNITS_BUF];
	struct text_note n;
	size_t i;

	text_note__begin(&n);
	for (i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct app_result *app = &run->app;

		if (!app->tcp_bytes_retrans)
			continue;
		fprintf(n.f, "%s%s %s of %s", lead, mode__words(r->summary[i].mode),
			format_bytes_si(again, sizeof(again), (double)app->tcp_bytes_retrans),
			run->not_final
				? "n/a"
				: format_bytes_si(sent, sizeof(sent), (double)app->tx_bytes));
		/* The sockets' count is of a later moment than the load generator's. */
		if (run->not_final)
			fprintf(n.f, " sent (%s)", run->not_final);
		lead = ", ";
	}
	text_note__end(&n, f, width, "tcp");
}

/* One direction of a run that does not balance: what the application counted, what the kernel did.
 */
static void print_gap(FILE *f, const char *done, uint64_t bytes, int64_t unaccounted,
		      const char *by)
{
	char own[UNITS_BUF], kernels[UNITS_BUF];

	if (!unaccounted)
		return;
	fprintf(f, " Of %s B %s, %s %s B.", format_count(own, sizeof(own), bytes), done, by,
		format_count(kernels, sizeof(kernels), bytes - (uint64_t)unaccounted));
}

void text_books__alarm(FILE *f, const struct run_result *run)
{
	const char *by = run->sequence.source ? "sequence numbers count" : "events booked";

	if (!run_result__unbalanced(run))
		return;
	fprintf(f, "THE BOOKS DO NOT BALANCE in round %u of %s.", run->round,
		mode__words(run->mode));
	print_gap(f, "sent", run_result__sent(run), run->unaccounted_tx, by);
	print_gap(f, "received", run_result__received(run), run->unaccounted_rx, by);
	fprintf(f, " The stages are lower bounds.");
}

void text_books__print(FILE *f, unsigned int width, const struct result *r)
{
	print_books(f, width, r);
	print_congestion(f, width, r);
	print_verdict(f, width, r);
	print_taps(f, width, r);
	print_retransmitted(f, width, r);
}
