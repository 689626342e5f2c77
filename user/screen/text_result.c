/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer at the end of a run: was zero-copy zero-copy, which mode was faster, and obstacles to
 * an answer. One sentence each, the most important first.
 */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
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
#include "model/comparison.h"
#include "text.h"
#include "text_end.h"
#include "text_list.h"

#define FAILURE_MAX 160 /* stderr has the full text */

static void say_ended_early(FILE *f, const struct result *r)
{
	if (!text_rounds__ended_early(r))
		return;
	fprintf(f, "%s after %u of %u round%s", r->failure[0] ? "FAILED" : "Interrupted",
		text_rounds__complete(r), r->rounds, plural(r->rounds));
	if (r->failure[0])
		fprintf(f, " (%.*s%s)", FAILURE_MAX, r->failure,
			strlen(r->failure) > FAILURE_MAX ? "..." : "");
	fprintf(f, r->summary_nr ? ": the figures are of what ran until then." : ".");
}

static void say_differs(FILE *f, const struct result *r)
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
static void say_cause(FILE *f, const struct result *r, enum zc_cause cause)
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

static void say_copied(FILE *f, const struct result *r, const struct mode_summary *zc)
{
	const struct zc_counts *n = verdict__completions(&zc->total);
	char copied[UNITS_BUF], completed[UNITS_BUF];

	format_count(copied, sizeof(copied), n->copied);
	format_count(completed, sizeof(completed), n->completed);
	if (n->copied == n->completed)
		fprintf(f, "Zero-copy was not zero-copy: %s%s send%s %s copied after all",
			n->completed == 1 ? "its " : "all ", completed, plural(n->completed),
			n->completed == 1 ? "was" : "were");
	else
		fprintf(f,
			"Zero-copy was partly zero-copy: %s of %s sends (%.*f %%) were copied "
			"after all",
			copied, completed, n->copied * 100 < 10 * n->completed,
			100 * (double)n->copied / (double)n->completed);
	say_cause(f, r, zc->total.verdict.cause);
	fputc('.', f);
}

/* Completions report no copy: true, unless the device cannot send fragmented data. */
static void say_not_copied(FILE *f, const struct result *r, const struct mode_summary *zc)
{
	uint64_t n = verdict__completions(&zc->total)->completed;
	char completed[UNITS_BUF];

	format_count(completed, sizeof(completed), n);
	if (zc->total.verdict.cause == ZC_CAUSE_NOT_COPIED)
		fprintf(f, "Zero-copy was zero-copy: none of %s send%s was copied.", completed,
			plural(n));
	else
		fprintf(f,
			"Zero-copy was not zero-copy: none of %s send%s was reported as copied, "
			"but the device (%s) does no scatter-gather, so the kernel copied each "
			"packet.",
			completed, plural(n), r->env.device);
}

static void say_no_verdict(FILE *f, const struct mode_summary *zc)
{
	const char *reason = zc->total.verdict.copied_fraction.reason;

	if (zc->total.app.zc.enobufs && !zc->total.app.zc.sends && !zc->total.not_final)
		fputs("Zero-copy was not zero-copy: the kernel refused every zero-copy send.", f);
	else
		fprintf(f, "No verdict on zero-copy: %s.",
			reason ? reason : "no verdict was reached");
}

static void say_verdict(FILE *f, const struct result *r)
{
	const struct mode_summary *zc = text_end__mode(r, MODE_ZEROCOPY);

	if (!zc)
		return;
	if (!zc->total.verdict.copied_fraction.known)
		say_no_verdict(f, zc);
	else if (zc->total.verdict.copied_fraction.value > 0)
		say_copied(f, r, zc);
	else
		say_not_copied(f, r, zc);
}

static bool has_cause(const struct verdict *v, enum zc_cause cause)
{
	for (unsigned int i = 0; i < v->causes_nr; i++)
		if (v->causes[i].cause == cause)
			return true;
	return false;
}

/* Sends that the kernel refused and that were made again as copies, and what to do about that. */
static void say_fallback(FILE *f, const struct result *r)
{
	const struct mode_summary *zc = text_end__mode(r, MODE_ZEROCOPY);
	const struct app_result *app;
	char fell[UNITS_BUF], all[UNITS_BUF], size[UNITS_BUF];
	bool memlock, optmem;

	if (!zc || !zc->total.app.zc.enobufs)
		return;
	app = &zc->total.app;
	memlock = has_cause(&zc->total.verdict, ZC_CAUSE_ENOBUFS_MEMLOCK);
	optmem = has_cause(&zc->total.verdict, ZC_CAUSE_ENOBUFS_OPTMEM);
	fprintf(f, "%s of %s zero-copy sends fell back to a copy (ENOBUFS)",
		format_count(fell, sizeof(fell), app->zc.enobufs),
		format_count(all, sizeof(all), app->zc.enobufs + app->zc.sends));
	if (memlock && !optmem)
		fprintf(f, ": RLIMIT_MEMLOCK%s%s was reached; raise it (ulimit -l).",
			r->env.memlock.known ? " of " : "",
			r->env.memlock.known ? format_size(size, sizeof(size), r->env.memlock.value)
					     : "");
	else if (optmem && !memlock)
		fprintf(f, ": net.core.optmem_max%s%s was reached; raise it (sysctl).",
			r->env.optmem_max.known ? " of " : "",
			r->env.optmem_max.known
				? format_size(size, sizeof(size), r->env.optmem_max.value)
				: "");
	else
		fputs(": raise RLIMIT_MEMLOCK (ulimit -l) and net.core.optmem_max (sysctl).", f);
}

/* Before any mode is called faster: what pacing limits is not a matter of copies. */
static void say_pacing(FILE *f, const struct result *r)
{
	const char *name = congestion__name(&r->env.congestion);
	struct flag paces = congestion__paces(name);

	if (paces.known && paces.value)
		fprintf(f,
			"The senders paced (congestion control %s), which can limit throughput "
			"before copying does; --congestion cubic does not pace.",
			name);
}

/* Without a ledger there is one reason; with one, what each mode came to. */
static void say_copies(FILE *f, const struct result *r)
{
	const struct run_result *first = &r->summary[0].total;
	const char *lead = "";

	if (!first->ledger_known) {
		fprintf(f, "Copies are n/a: %s.",
			first->ledger_reason ? first->ledger_reason : "there is no ledger");
		return;
	}
	if (text_end__mode(r, MODE_ZEROCOPY))
		return;
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct mode_summary *s = &r->summary[i];
		const char *mode = mode__words(s->mode);

		if (!s->copies_per_byte.n)
			fprintf(f, "%s%c%s: copies are n/a (%s)", lead,
				toupper((unsigned char)mode[0]), mode + 1,
				s->total.copies_per_byte.reason ? s->total.copies_per_byte.reason
								: "not measured");
		else
			fprintf(f, "%s%c%s copied each byte %.2f times", lead,
				toupper((unsigned char)mode[0]), mode + 1,
				s->copies_per_byte.median);
		lead = ". ";
	}
	fputc('.', f);
}

static void say_replies(FILE *f, const struct result *r)
{
	if (r->traffic.request_response)
		fprintf(f, "Each message was answered by one of its size: copies %s.",
			r->summary[0].total.sender_side ? "are of the messages alone"
							: "are of both directions");
}

/* A tap that is not the cause already costs every mode a clone and a call for each packet. */
static void say_taps(FILE *f, const struct result *r)
{
	const struct mode_summary *zc = text_end__mode(r, MODE_ZEROCOPY);
	char name[TAPS_NAME_LEN];
	bool any = false;

	for (unsigned int i = 0; i < r->env.taps.nr; i++)
		any |= r->env.taps.list[i].in_run;
	if (any && !(zc && zc->total.verdict.cause == ZC_CAUSE_TAP))
		fprintf(f, "A packet tap was open on %s: it costs every mode.",
			taps__name(&r->env.taps, name));
}

static void say_side(FILE *f, const struct result *r)
{
	if (r->summary[0].total.sender_side)
		fputs("All figures are of the sender's side: " REMOTE_REASON ".", f);
}

static void say_nothing(FILE *f, const struct result *r)
{
	fprintf(f, "Nothing was measured%s.",
		r->interrupted ? ": interrupted before the first round was over" : "");
}

/* Below this share of the requested rate, the rate was missed. */
#define KEPT 0.99

static double messages_per_s(const struct run_result *run)
{
	return run->duration_ns ? (double)run->app.tx_messages * 1e9 / (double)run->duration_ns : 0;
}

/* Modes below the rate: their latencies grow with the duration of the run. */
void text_result__behind(FILE *f, const struct result *r)
{
	const char *lead = " Not kept: ";
	char count[UNITS_BUF];

	for (size_t i = 0; i < r->summary_nr; i++) {
		double rate = messages_per_s(&r->summary[i].total);

		if (r->messages || rate >= KEPT * (double)r->traffic.rate)
			continue;
		fprintf(f, "%s%s sent %s/s", lead, mode__words(r->summary[i].mode),
			format_count(count, sizeof(count), (uint64_t)rate));
		lead = ", ";
	}
	if (lead[0] == ',')
		fputs(", so that its latencies grow as long as it runs.", f);
}

void text_result__rate(FILE *f, const struct result *r)
{
	char rate[UNITS_BUF];

	if (!r->traffic.rate)
		return;
	fprintf(f, "Open loop of %s messages/s.",
		format_count(rate, sizeof(rate), r->traffic.rate));
	text_result__behind(f, r);
}

#define PERCENT_MAX 32

/* "31", "3.1"; a digit after the point below 10. Bounds of an interval have their signs. */
static char *percent(char buf[PERCENT_MAX], double change, const char *sign)
{
	double x = change * 100;
	int digits = fabs(x) < 9.95;

	snprintf(buf, PERCENT_MAX, "%s%.*f", x > 0 ? sign : "", digits, x);
	return buf;
}

static void write_difference(FILE *f, const struct rank_test *t)
{
	char change[PERCENT_MAX], low[PERCENT_MAX], high[PERCENT_MAX];
	bool faster = t->difference == DIFFERENCE_HIGHER;

	fprintf(f, " Zero-copy was %s than one-copy by %s %% (%s to %s %%).",
		faster ? "faster" : "slower", percent(change, fabs(t->change), ""),
		percent(low, fabs(faster ? t->low : t->high), ""),
		percent(high, fabs(faster ? t->high : t->low), ""));
}

static void write_point(FILE *f, const struct rank_test *t)
{
	char change[PERCENT_MAX];
	unsigned int rounds = t->n < t->m ? t->n : t->m, needed = rank_test__rounds_needed(1);

	fprintf(f,
		" Zero-copy was %s than one-copy by %s %% in %u round%s; %u "
		"rounds are needed to tell a difference from noise.",
		t->change < 0 ? "slower" : "faster", percent(change, fabs(t->change), ""), rounds,
		plural(rounds), needed);
}

void text_comparison__write(FILE *f, const struct rank_test *t)
{
	char low[PERCENT_MAX], high[PERCENT_MAX];

	switch (t->difference) {
	case DIFFERENCE_UNKNOWN:
		return;
	case DIFFERENCE_NOISE:
		fprintf(f,
			" No difference in throughput between zero-copy and one-copy (interval %s "
			"to %s %%).",
			percent(low, t->low, "+"), percent(high, t->high, "+"));
		return;
	case DIFFERENCE_POINT:
	case DIFFERENCE_FEW:
		write_point(f, t);
		return;
	default:
		write_difference(f, t);
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

static void say_comparison(FILE *f, const struct result *r)
{
	struct rank_test t;

	(void)comparison__of(&t, r, MODE_ZEROCOPY, MODE_ONECOPY);
	text_comparison__write(f, &t);
}

/* The ranking of modes: by the summary's median, and by its value in each round. */
struct ranking {
	const char *word;
	size_t offset; /* of a struct spread in struct mode_summary */
	bool most;     /* higher is better */
	struct real (*value_of)(const struct run_result *run);
};

static const struct spread *spread_of(const struct mode_summary *s, const struct ranking *k)
{
	return (const struct spread *)((const char *)s + k->offset);
}

static size_t rounds_of(const struct result *r, enum mode mode, const struct ranking *k, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < r->runs_nr; i++) {
		struct real value = k->value_of(&r->runs[i]);

		if (r->runs[i].mode == mode && value.known)
			v[n++] = value.value;
	}
	return n;
}

/* Is the best mode ahead of the other: by the test, or by its median where rounds are too few? */
static bool is_ahead(const struct result *r, enum mode best, enum mode other,
		     const struct ranking *k)
{
	double *a = xcalloc(r->runs_nr + 1, sizeof(*a)), *b = xcalloc(r->runs_nr + 1, sizeof(*b));
	struct rank_test t;

	t = rank_test__of(a, rounds_of(r, best, k, a), b, rounds_of(r, other, k, b), 1);
	free(a);
	free(b);
	return t.difference == (k->most ? DIFFERENCE_HIGHER : DIFFERENCE_LOWER) ||
	       t.difference == DIFFERENCE_POINT || t.difference == DIFFERENCE_FEW;
}

/* The best mode and those that it is not ahead of; nothing unless two modes are known. */
static bool say_best_of(FILE *f, const struct result *r, const struct ranking *k, const char *lead)
{
	const struct mode_summary *best = NULL;
	size_t known = 0;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct mode_summary *s = &r->summary[i];

		if (!spread_of(s, k)->n)
			continue;
		known++;
		if (!best || (k->most ? spread_of(s, k)->median > spread_of(best, k)->median
				      : spread_of(s, k)->median < spread_of(best, k)->median))
			best = s;
	}
	if (known < 2)
		return false;
	fprintf(f, "%s%s: %s", lead, k->word, mode__words(best->mode));
	for (size_t i = 0; i < r->summary_nr; i++)
		if (&r->summary[i] != best && spread_of(&r->summary[i], k)->n &&
		    !is_ahead(r, best->mode, r->summary[i].mode, k))
			fprintf(f, " or %s", mode__words(r->summary[i].mode));
	return true;
}

static struct real cpu_of(const struct run_result *run)
{
	return perf_derive(run, DERIVED_CPU_NS_PER_KIB, perf_whose__here(run));
}

/* Modes without a significant difference are named together. */
static void say_best(FILE *f, const struct result *r)
{
	static const struct ranking speed = {
		"Fastest", offsetof(struct mode_summary, throughput_gbps), true, run_result__gbps};
	static const struct ranking cost = {"cheapest in CPU time",
					    offsetof(struct mode_summary, cpu_ns_per_kib), false,
					    cpu_of};
	char rounds[32];

	if (!say_best_of(f, r, &speed, ""))
		return;
	say_best_of(f, r, &cost, "; ");
	if (r->summary[0].rounds < rank_test__rounds_needed(1))
		fprintf(f, " (%s only)", text_rounds__made(rounds, sizeof(rounds), r));
	fputc('.', f);
}

typedef void (*sentence)(FILE *f, const struct result *r);

static void say_all(struct text_list *l, const struct result *r, const sentence *say, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		say[i](l->f, r);
		text_list__next(l);
	}
}

static const sentence measured[] = {
	say_ended_early, say_differs, say_verdict, say_pacing,  say_fallback,      say_comparison,
	say_best,        say_copies,  say_side,    say_replies, text_result__rate, say_taps,
};

#define MEASURED_NR (sizeof(measured) / sizeof(measured[0]))

void text_result__say(FILE *f, const struct result *r)
{
	for (size_t i = 0; i < MEASURED_NR; i++) {
		char *text;
		size_t len;
		FILE *m = xopen_memstream(&text, &len);

		measured[i](m, r);
		xclose_memstream(m);
		if (*text)
			fprintf(f, "%s ", text + strspn(text, " "));
		free(text);
	}
}

void text_result__print(FILE *f, const struct result *r, unsigned int columns, unsigned int lines)
{
	static const sentence nothing[] = {say_nothing, say_ended_early};
	const struct text_list_form form = {.label = "RESULT",
					    .separator = " ",
					    .cut = " --details has more.",
					    .columns = columns,
					    .lines = lines};
	struct text_list l;

	text_list__begin(&l);
	if (r->summary_nr)
		say_all(&l, r, measured, MEASURED_NR);
	else
		say_all(&l, r, nothing, sizeof(nothing) / sizeof(nothing[0]));
	text_list__end(&l, f, &form);
}
