/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer at the end of a run: was zero-copy zero-copy, which mode was faster, and obstacles to
 * an answer. One sentence each, the most important first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "model/congestion.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/remote.h"
#include "model/tap_parse.h"
#include "model/verdict.h"
#include "text_end.h"
#include "text_cells.h"
#include "text_limits.h"

#define FAILURE_MAX 160 /* stderr has the full text */
#define MORE        " --details has more."

static void print_ended_early(FILE *f, const struct result *r)
{
	if (!rounds__ended_early(r))
		return;
	fprintf(f, "%s after %u of %u round%s", r->failure[0] ? "FAILED" : "Interrupted",
		rounds__complete(r), r->rounds, plural(r->rounds));
	if (r->failure[0])
		fprintf(f, " (%.*s%s)", FAILURE_MAX, r->failure,
			strlen(r->failure) > FAILURE_MAX ? "..." : "");
	fprintf(f, r->summary_nr ? ": the figures are of what ran until then." : ".");
}

/* Rounds without a throughput, since a process was stopped. */
static void print_paused(FILE *f, const struct result *r)
{
	unsigned int rounds = 0;
	uint64_t ns = 0;

	for (size_t i = 0; i < r->runs_nr; i++) {
		rounds += r->runs[i].health.paused_ns != 0;
		ns += r->runs[i].health.paused_ns;
	}
	if (rounds)
		fprintf(f,
			"The load generator was stopped for at least %s, in %u round%s: %s no "
			"throughput.",
			format_ns_least((char[UNITS_BUF]){0}, UNITS_BUF, (double)ns), rounds,
			plural(rounds), rounds > 1 ? "they have" : "it has");
}

static void print_differs(FILE *f, const struct result *r)
{
	char count[UNITS_BUF];

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct app_result *app = &r->summary[i].total.app;
		const char *mode = mode__words(r->summary[i].mode);

		if (app->verify_errors.known && app->verify_errors.value)
			fprintf(f, "RECEIVED BYTES DIFFER from those sent in %s message%s of %s. ",
				format_count(count, sizeof(count), app->verify_errors.value),
				plural(app->verify_errors.value), mode);
		if (app->replies.errors)
			fprintf(f, "REPLIES DIFFER from those sent in %s message%s of %s. ",
				format_count(count, sizeof(count), app->replies.errors),
				plural(app->replies.errors), mode);
	}
}

/* Why sends were copied, as a clause with its lead. */
static void print_cause(FILE *f, const struct result *r, enum zc_cause cause)
{
	char name[TAPS_NAME_LEN];

	switch (cause) {
	case ZC_CAUSE_LOCAL:
		fputs(", because sender and receiver are on the same machine", f);
		return;
	case ZC_CAUSE_TAP:
		fprintf(f, ", because a packet tap was open on %s", taps__name(&r->env.taps, name));
		return;
	case ZC_CAUSE_NO_SG:
		fprintf(f, ", because the route (%s) does no scatter-gather", r->env.device);
		return;
	case ZC_CAUSE_RETRANSMISSION:
		fputs(", because they were sent again", f);
		return;
	default:
		fputs("; the cause was not seen", f);
	}
}

/* The mode at the beginning of a sentence. */
static const char *zero_copy(const struct mode_summary *zc)
{
	return mode__has(zc->mode, MODE_PINS_BY_URING) ? "Zero-copy by io_uring" : "Zero-copy";
}

static void print_copied(FILE *f, const struct result *r, const struct mode_summary *zc)
{
	const struct zc_counts *n = verdict__completions(&zc->total);
	char copied[UNITS_BUF], completed[UNITS_BUF];

	format_count(copied, sizeof(copied), n->copied);
	format_count(completed, sizeof(completed), n->completed);
	if (n->copied == n->completed)
		fprintf(f, "%s was not zero-copy: all %s send%s %s copied after all", zero_copy(zc),
			completed, plural(n->completed), n->completed == 1 ? "was" : "were");
	else
		fprintf(f,
			"%s was partly zero-copy: %s of %s sends (%.*f %%) were copied "
			"after all",
			zero_copy(zc), copied, completed, n->copied * 100 < 10 * n->completed,
			100 * (double)n->copied / (double)n->completed);
	print_cause(f, r, zc->total.verdict.cause);
	fputc('.', f);
}

static void print_verdict_of(FILE *f, const struct result *r, const struct mode_summary *zc)
{
	const struct real *copied = &zc->total.verdict.copied_fraction;
	uint64_t completed = verdict__completions(&zc->total)->completed;
	char count[UNITS_BUF];

	format_count(count, sizeof(count), completed);
	if (copied->known && copied->value > 0)
		print_copied(f, r, zc);
	else if (copied->known && zc->total.verdict.cause == ZC_CAUSE_NOT_COPIED)
		fprintf(f, "%s was zero-copy: none of %s send%s was copied.", zero_copy(zc), count,
			plural(completed));
	else if (copied->known) /* the device cannot send fragmented data */
		fprintf(f,
			"%s was not zero-copy: none of %s send%s was reported as copied, "
			"but the device (%s) does no scatter-gather, so the kernel copied each "
			"packet.",
			zero_copy(zc), count, plural(completed), r->env.device);
	else if (zc->total.app.zc.enobufs && !zc->total.app.zc.sends && !zc->total.not_final)
		fprintf(f, "%s was not zero-copy: the kernel refused every zero-copy send.",
			zero_copy(zc));
	else
		fprintf(f, "No verdict on zero-copy: %s.",
			copied->reason ? copied->reason : "no verdict was reached");
}

static void print_verdict(FILE *f, const struct result *r)
{
	const char *before = "";

	for (size_t i = 0; i < r->summary_nr; i++) {
		if (!mode__has(r->summary[i].mode, MODE_PINS))
			continue;
		fputs(before, f);
		print_verdict_of(f, r, &r->summary[i]);
		before = " ";
	}
}

static bool has_cause(const struct verdict *v, enum zc_cause cause)
{
	for (unsigned int i = 0; i < v->causes_nr; i++)
		if (v->causes[i].cause == cause)
			return true;
	return false;
}

/* Sends that the kernel refused and that were made again as copies, and what to do about that. */
static void print_fallback(FILE *f, const struct result *r, const struct mode_summary *zc)
{
	const struct {
		enum zc_cause cause;
		const char *name, *with;
		const struct num *value;
	} limits[] = {
		{ZC_CAUSE_ENOBUFS_MEMLOCK, "RLIMIT_MEMLOCK", "ulimit -l", &r->env.memlock},
		{ZC_CAUSE_ENOBUFS_OPTMEM, "net.core.optmem_max", "sysctl", &r->env.optmem_max},
	};
	char fell[UNITS_BUF], all[UNITS_BUF], size[UNITS_BUF];
	const char *lead = ": raise ";
	bool known;

	known = has_cause(&zc->total.verdict, limits[0].cause) ||
		has_cause(&zc->total.verdict, limits[1].cause);
	fprintf(f, "%s of %s %s fell back to a copy (%s)",
		format_count(fell, sizeof(fell), zc->total.app.zc.enobufs),
		format_count(all, sizeof(all), zc->total.app.zc.enobufs + zc->total.app.zc.sends),
		mode__has(zc->mode, MODE_PINS_BY_URING) ? "io_uring requests" : "zero-copy sends",
		mode__refusal(zc->mode));
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (known && !has_cause(&zc->total.verdict, limits[i].cause))
			continue;
		fprintf(f, "%s%s", lead, limits[i].name);
		if (limits[i].value->known)
			fprintf(f, " of %s",
				format_size(size, sizeof(size), limits[i].value->value));
		fprintf(f, " (%s)", limits[i].with);
		lead = " and ";
	}
	fputc('.', f);
}

/* From this share of the sends on, they are part of the answer. */
#define MANY_FALLBACKS 0.01

static bool are_many(const struct zc_counts *n)
{
	return (double)n->enobufs >= MANY_FALLBACKS * (double)(n->enobufs + n->sends);
}

static void print_fallbacks(FILE *f, const struct result *r, bool many)
{
	const char *before = "";

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct zc_counts *n = &r->summary[i].total.app.zc;

		if (!n->enobufs || are_many(n) != many)
			continue;
		fputs(before, f);
		print_fallback(f, r, &r->summary[i]);
		before = " ";
	}
}

static void print_many_fallbacks(FILE *f, const struct result *r)
{
	print_fallbacks(f, r, true);
}

static void print_few_fallbacks(FILE *f, const struct result *r)
{
	print_fallbacks(f, r, false);
}

static void print_copies_of(FILE *f, const struct mode_summary *s)
{
	double copies = s->copies_per_byte.median;

	if (figures__copies_is_least(&s->total) && !round_least(copies, 2))
		fputs("n/a", f);
	else if (figures__copies_is_least(&s->total))
		fprintf(f, ">=%.2f", round_least(copies, 2));
	else
		fprintf(f, "%.2f", copies);
}

/* Without a ledger there is one reason. With a verdict on zero-copy, the table says it. */
static void print_copies(FILE *f, const struct result *r)
{
	const struct run_result *first = &r->summary[0].total;
	const char *reason = first->ledger_reason, *lead;

	if (!first->ledger_known) {
		fprintf(f, "Copies are n/a: %s.", reason ? reason : "there is no ledger");
		return;
	}
	lead = first->sender_side ? "Copies of each byte: "
				  : "Copies of each byte, the sender's and the receiver's: ";
	for (size_t i = 0; i < r->summary_nr; i++)
		if (mode__has(r->summary[i].mode, MODE_PINS))
			return;
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct mode_summary *s = &r->summary[i];

		fprintf(f, "%s%s ", i ? ", " : lead, mode__words(s->mode));
		reason = s->total.copies_per_byte.reason;
		if (s->copies_per_byte.n)
			print_copies_of(f, s);
		else
			fprintf(f, "n/a (%s)", reason ? reason : "not measured");
	}
	fputc('.', f);
}

static void print_replies(FILE *f, const struct result *r)
{
	if (r->workload.request_response)
		fprintf(f, "Each message was answered by one of its size: copies %s.",
			r->summary[0].total.sender_side ? "are of the messages alone"
							: "are of both directions");
}

static void print_receive(FILE *f, const struct result *r)
{
	bool known = receive__has(r->workload.receive, RECEIVE_MAPS), mapped = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct num *uncopied = &r->summary[i].total.app.rx_uncopied;

		known &= uncopied->known;
		mapped |= uncopied->value != 0;
	}
	if (known && !mapped)
		fputs("--receive mmap mapped nothing: what arrived was not whole pages.", f);
	else if (r->workload.receive)
		fprintf(f, "The receiver %s (--receive %s).", receive__words(r->workload.receive),
			receive__name(r->workload.receive));
}

/* A tap that is not the cause already costs every mode a clone and a call for each packet. */
static void print_taps(FILE *f, const struct result *r)
{
	char name[TAPS_NAME_LEN];
	bool any = false, cause = false;

	for (unsigned int i = 0; i < r->env.taps.nr; i++)
		any |= r->env.taps.list[i].in_run;
	for (size_t i = 0; i < r->summary_nr; i++)
		cause |= r->summary[i].total.verdict.cause == ZC_CAUSE_TAP;
	if (any && !cause)
		fprintf(f, "A packet tap was open on %s: it costs every mode.",
			taps__name(&r->env.taps, name));
}

static void print_side(FILE *f, const struct result *r)
{
	const struct run_result *first = &r->summary[0].total;
	const char *reason = first->stages[NIO_STAGE_RX_COPY].reason;

	if (!first->sender_side)
		return;
	if (r->env.receiver && first->ledger_known && reason)
		fprintf(f, "Copies are of the sender's side (%s).", reason);
	else
		fprintf(f, "All figures are of the sender's side: %s.",
			first->ledger_known && reason ? reason : REMOTE_REASON);
}

/* A mode may lack this share of the messages that were due, or one a round: the last one's way. */
#define LACKING 0.01

static double messages_per_s(const struct run_result *run)
{
	return run->duration_ns ? (double)run->app.tx_messages * 1e9 / (double)run->duration_ns : 0;
}

static uint64_t missed_of(const struct run_result *run)
{
	const struct hist *missed = run->app.latency[LATENCY_MISSED].hist;

	return missed ? missed->count : 0;
}

static bool is_kept(const struct mode_summary *s, uint64_t rate)
{
	double due = (double)rate * (double)s->total.duration_ns / 1e9;

	return (s->total.interrupted || !missed_of(&s->total)) &&
	       due - (double)s->total.app.tx_messages <= fmax(LACKING * due, (double)s->rounds);
}

/* Latencies of a mode that does not keep the rate are of its backlog. */
static void print_rate(FILE *f, const struct result *r)
{
	char count[UNITS_BUF], missed[UNITS_BUF];
	const char *lead = " Not kept: ";
	bool least = false;

	if (!r->workload.rate)
		return;
	fprintf(f, "Open loop of %s messages/s; latencies begin when a message was due.",
		format_count(count, sizeof(count), r->workload.rate));
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (run->health.paused_ns || is_kept(&r->summary[i], r->workload.rate))
			continue;
		fprintf(f, "%s%s sent %s/s", lead, mode__words(r->summary[i].mode),
			format_count(count, sizeof(count), (uint64_t)messages_per_s(run)));
		if (missed_of(run))
			fprintf(f, " and missed %s",
				format_count(missed, sizeof(missed), missed_of(run)));
		least |= missed_of(run) != 0;
		lead = ", ";
	}
	if (lead[0] == ',')
		fprintf(f, "; late messages count with their wait%s.",
			least ? ", missed ones with what they had waited (>=)" : "");
}

#define PERCENT_MAX 32

/* "31", "3.1"; a digit after the point below 10. */
static int digits_of(double percent)
{
	return fabs(percent) < 9.95;
}

/* The ends of an interval, rounded outwards, with their signs if `sign` is "+". */
static char *lower(char buf[PERCENT_MAX], double change, const char *sign)
{
	double x = change * 100;

	snprintf(buf, PERCENT_MAX, "%s%.*f", x > 0 ? sign : "", digits_of(x),
		 round_least(x, digits_of(x)));
	return buf;
}

static char *upper(char buf[PERCENT_MAX], double change, const char *sign)
{
	double x = change * 100;

	snprintf(buf, PERCENT_MAX, "%s%.*f", x > 0 ? sign : "", digits_of(x),
		 round_most(x, digits_of(x)));
	return buf;
}

/* An interval beyond this says that the rounds varied, not that the modes are alike. */
#define ALIKE 0.1

void text_comparison__write(FILE *f, const struct rank_test *t, unsigned int needed)
{
	char change[PERCENT_MAX], low[PERCENT_MAX], high[PERCENT_MAX];
	bool slower = t->difference == DIFFERENCE_LOWER, few = t->n < t->m;
	unsigned int rounds = few ? t->n : t->m;

	snprintf(change, sizeof(change), "%.*f", digits_of(t->change * 100), fabs(t->change) * 100);
	switch (t->difference) {
	case DIFFERENCE_UNKNOWN:
		return;
	case DIFFERENCE_NOISE:
		fprintf(f,
			t->low >= -ALIKE && t->high <= ALIKE
				? "No difference in throughput between zero-copy and one-copy "
				  "(interval %s to %s %%)."
				: "The rounds vary too much to tell zero-copy's throughput from "
				  "one-copy's (interval %s to %s %%).",
			lower(low, t->low, "+"), upper(high, t->high, "+"));
		return;
	case DIFFERENCE_POINT:
	case DIFFERENCE_FEW:
		fprintf(f,
			"Zero-copy was %s than one-copy by %s %% in %u round%s; %u rounds are "
			"needed to tell a difference from noise.",
			t->change < 0 ? "slower" : "faster", change, rounds, plural(rounds),
			needed);
		return;
	default:
		fprintf(f, "Zero-copy was %s than one-copy by %s %% (%s to %s %%).",
			slower ? "slower" : "faster", change,
			lower(low, fabs(slower ? t->high : t->low), ""),
			upper(high, fabs(slower ? t->low : t->high), ""));
	}
}

void text_congestion__write(FILE *f, const struct congestion *c)
{
	const char *name = congestion__name(c);
	struct flag paces = congestion__paces(name);

	if (paces.known && paces.value)
		fprintf(f,
			"%s paces: it holds packets back by a timer, and throughput can be limited "
			"by that before it is by copying. Who copies faster is to be asked with "
			"--congestion cubic (or reno).",
			name);
	else if (c->choice == CONGESTION_UNPACED)
		fprintf(f, "%s, since the system's %s paces; --congestion system keeps that.", name,
			c->system);
	else if (!paces.known && name[0])
		fprintf(f, "%s; whether it paces is not known.", name);
}

static void print_comparison(FILE *f, const struct result *r)
{
	struct rank_test t;

	figures__compare(&t, r, MODE_ZEROCOPY, MODE_ONECOPY);
	text_comparison__write(f, &t, figures__rounds_needed(r));
}

/* The best mode and those that it is not ahead of; nothing unless two modes are known. */
static bool print_best_of(FILE *f, const struct result *r, const struct ranking *ranking,
			  const char *words)
{
	if (ranking->known < 2)
		return false;
	if (ranking->early) {
		fprintf(f, "%s: too early to say, %u rounds are needed", words, ranking->needed);
		return true;
	}
	if (ranking->all_tie) {
		fprintf(f, "%s: no difference shown", words);
		return true;
	}
	fprintf(f, "%s: %s", words, mode__words(ranking->best));
	for (size_t i = 0; i < r->summary_nr; i++)
		if (ranking->ties[r->summary[i].mode])
			fprintf(f, " or %s", mode__words(r->summary[i].mode));
	return true;
}

/* Modes without a significant difference are named together. */
static void print_best(FILE *f, const struct result *r)
{
	struct ranking fastest = figures__ranking(r, run_result__gbps, false, true);
	struct ranking cheapest = figures__cheapest(r);

	if (!print_best_of(f, r, &fastest, "Fastest"))
		return;
	if (cheapest.unknown && !fastest.early)
		fprintf(f,
			"; cheapest in CPU time: not known, because softirq work is unknown (%s)",
			cheapest.unknown);
	else if (!fastest.early)
		print_best_of(f, r, &cheapest, "; cheapest in CPU time");
	fputc('.', f);
}

/* The most important first. */
static void (*const sentences[])(FILE *f, const struct result *r) = {
	print_differs,
	print_verdict,
	print_ended_early,
	print_paused,
	text_limits__emulator,
	text_limits__pacing,
	text_limits__throttling,
	text_limits__others,
	text_limits__steal,
	print_many_fallbacks,
	print_comparison,
	print_best,
	print_few_fallbacks,
	print_copies,
	text_limits__congestion,
	print_side,
	print_replies,
	print_receive,
	print_rate,
	print_taps,
};

void text_result__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines,
			bool alone)
{
	const struct text_note_form form = {.label = "RESULT",
					    .separator = " ",
					    .end = alone ? MORE : NULL,
					    .cut = MORE,
					    .columns = columns,
					    .lines = lines};
	struct text_note l;

	text_note__begin(&l);
	if (!r->summary_nr) {
		fprintf(l.f, "Nothing was measured%s.",
			r->interrupted ? ": interrupted before the first round was over" : "");
		text_note__next(&l);
		print_ended_early(l.f, r);
	}
	for (size_t i = 0; r->summary_nr && i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		sentences[i](l.f, r);
		text_note__next(&l);
	}
	text_note__fit(&l, f, &form);
}
