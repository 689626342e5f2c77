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
#include "text_comparison.h"
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
}

static bool account_unseen(const struct run_result *run, enum stage_account account)
{
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == account && run->stages[s].quality == QUALITY_UNAVAILABLE)
			return true;
	return false;
}

/*
 * Bytes that went through a stage that was not seen are missing from the books: a gap in sight, not
 * a leak. Bytes booked beyond those sent cannot be explained so.
 */
static const char *gap(const struct run_result *run)
{
	bool tx = account_unseen(run, STAGE_SENT), rx = account_unseen(run, STAGE_RECEIVED);

	if ((run->unaccounted_tx > 0 && tx) || (run->unaccounted_rx > 0 && rx))
		return " (a stage of the balance was not measured, see reasons)";
	return "";
}

static void print_signed_bytes(FILE *f, int64_t bytes)
{
	uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
	char buf[UNITS_BUF];

	fprintf(f, "%s%s B", bytes < 0 ? "-" : "", format_count(buf, sizeof(buf), size));
}

static void print_received(FILE *f, const struct run_result *run)
{
	if (run->sender_side) {
		fprintf(f, "n/a received (" REMOTE_REASON ")");
		return;
	}
	print_signed_bytes(f, run->unaccounted_rx);
	fprintf(f, " received");
}

/* Modes are listed one by one where they do not balance: opposite signs must not cancel out. */
static void print_unbalanced(FILE *f, const struct result *r)
{
	const struct run_result *run;
	const char *lead = "";
	size_t i;

	fprintf(f, "; UNACCOUNTED: ");
	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		if (!run->balance_known || (!run->unaccounted_tx && !run->unaccounted_rx))
			continue;
		fprintf(f, "%s%s ", lead, mode__name(r->summary[i].mode));
		print_signed_bytes(f, run->unaccounted_tx);
		fprintf(f, " sent, ");
		print_received(f, run);
		fprintf(f, "%s", gap(run));
		lead = "; ";
	}
	fprintf(f, ": THE BOOKS DO NOT BALANCE");
}

static const char *unknown_balance_reason(const struct run_result *run)
{
	if (!run->ledger_known)
		return run->ledger_reason ? run->ledger_reason : "there is no ledger";
	if (run->not_final)
		return run->not_final;
	return "bytes sent or received are not known: see reasons";
}

/* Names the modes whose balance is unknown, unless all of them are, for one reason. */
static void print_unknown(FILE *f, const struct result *r)
{
	const struct run_result *first = &r->summary[0].total, *run;
	bool same = true;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		same = same && !run->balance_known &&
		       !strcmp(unknown_balance_reason(run), unknown_balance_reason(first));
	}
	if (same) {
		fprintf(f, "; unaccounted n/a: %s", unknown_balance_reason(first));
		return;
	}
	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		if (!run->balance_known)
			fprintf(f, "; %s%s: %s",
				run->not_final ? "n/a for " : "unaccounted n/a for ",
				mode__name(r->summary[i].mode), unknown_balance_reason(run));
	}
}

static void print_balance(FILE *f, const struct result *r)
{
	bool unbalanced = false, unknown = false;
	const struct run_result *run;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		unknown |= !run->balance_known;
		unbalanced |= run->balance_known && (run->unaccounted_tx || run->unaccounted_rx);
	}
	if (unbalanced)
		print_unbalanced(f, r);
	if (unknown)
		print_unknown(f, r);
	if (unbalanced || unknown)
		return;
	fprintf(f, "; unaccounted 0 B sent, ");
	print_received(f, &r->summary[0].total);
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
				mode__name(r->summary[i].mode),
				sampled ? "" : "events were missed, so ", least->value, most->value,
				sampled ? " (deferred_copy: see reasons)" : "");
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

static int print_books(FILE *f, unsigned int width, const struct result *r)
{
	const char *none = no_books(r);
	struct text_note n;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	if (none) {
		fprintf(n.f, "n/a: %s", none);
	} else {
		print_sent(n.f, r);
		print_balance(n.f, r);
		print_open(n.f, r);
	}
	return text_note__end(&n, f, width, "books");
}

static const struct mode_summary *find_mode(const struct result *r, enum mode mode)
{
	size_t i;

	for (i = 0; i < r->summary_nr; i++)
		if (r->summary[i].mode == mode)
			return &r->summary[i];
	return NULL;
}

static int print_congestion(FILE *f, unsigned int width, const struct result *r)
{
	struct text_note n;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	text_congestion__write(n.f, &r->env.congestion);
	return text_note__end(&n, f, width, "congestion");
}

int text_books__comparison(FILE *f, const struct result *r)
{
	struct rank_test t;

	comparison__of(&t, r, MODE_ZEROCOPY, MODE_ONECOPY);
	text_comparison__write(f, &t);
	return 0;
}

static int print_verdict(FILE *f, unsigned int width, const struct result *r)
{
	const struct mode_summary *zc = find_mode(r, MODE_ZEROCOPY);
	const struct verdict *v;
	struct text_note n;
	int err, end;

	if (!zc)
		return 0;
	err = text_note__begin(&n);
	if (err)
		return err;
	v = &zc->total.verdict;
	if (v->text[0])
		fprintf(n.f, "%s", v->text);
	else
		fprintf(n.f, "n/a: %s.",
			v->copied_fraction.reason ? v->copied_fraction.reason
						  : "no verdict was reached");
	err = text_books__comparison(n.f, r);
	end = text_note__end(&n, f, width, "zero-copy");
	return err ? err : end;
}

static const char *when_open(const struct tap *t)
{
	if (t->at_start)
		return t->open ? "" : " (closed before the end)";
	return t->open ? " (opened after the start)" : " (opened and closed in between)";
}

/* Taps cost every mode a clone and a call per packet, and zero-copy a copy. */
static int print_taps(FILE *f, unsigned int width, const struct result *r)
{
	const struct taps *taps = &r->env.taps;
	char name[TAP_NAME_LEN];
	struct text_note n;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	for (unsigned int i = 0; i < taps->nr; i++)
		fprintf(n.f, "%s%s%s",
			i ? ", " : "handed every packet: ", tap__name(&taps->list[i], name),
			when_open(&taps->list[i]));
	if (taps->more)
		fprintf(n.f, " and %u more", taps->more);
	return text_note__end(&n, f, width, "taps");
}

static int print_retransmitted(FILE *f, unsigned int width, const struct result *r)
{
	const char *lead = "retransmitted: ";
	char again[UNITS_BUF], sent[UNITS_BUF];
	struct text_note n;
	size_t i;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	for (i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct app_result *app = &run->app;

		if (!app->tcp_bytes_retrans)
			continue;
		fprintf(n.f, "%s%s %s of %s", lead, mode__name(r->summary[i].mode),
			format_bytes_si(again, sizeof(again), (double)app->tcp_bytes_retrans),
			run->not_final
				? "n/a"
				: format_bytes_si(sent, sizeof(sent), (double)app->tx_bytes));
		/* The sockets' count is of a later moment than the load generator's. */
		if (run->not_final)
			fprintf(n.f, " sent (%s)", run->not_final);
		lead = ", ";
	}
	return text_note__end(&n, f, width, "tcp");
}

static int print_verify(FILE *f, unsigned int width, const struct result *r)
{
	struct text_note n;
	uint64_t errors;
	char buf[UNITS_BUF];
	size_t i;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	for (i = 0; i < r->summary_nr; i++) {
		errors = r->summary[i].total.app.verify_errors.value;
		if (r->summary[i].total.app.verify_errors.known && errors)
			fprintf(n.f, "%s: %s ERROR%s, received bytes DIFFER from those sent. ",
				mode__name(r->summary[i].mode),
				format_count(buf, sizeof(buf), errors), errors == 1 ? "" : "S");
		errors = r->summary[i].total.app.replies.errors;
		if (errors)
			fprintf(n.f, "%s: %s ERROR%s in replies. ", mode__name(r->summary[i].mode),
				format_count(buf, sizeof(buf), errors), errors == 1 ? "" : "S");
	}
	return text_note__end(&n, f, width, "verify");
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

int text_books__print(FILE *f, unsigned int width, const struct result *r)
{
	int err;

	err = print_books(f, width, r);
	if (!err)
		err = print_congestion(f, width, r);
	if (!err)
		err = print_verdict(f, width, r);
	if (!err)
		err = print_taps(f, width, r);
	if (!err)
		err = print_retransmitted(f, width, r);
	if (!err)
		err = print_verify(f, width, r);
	return err;
}
