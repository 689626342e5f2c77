/*
 * The notes at the end of a run: whether the books balance, hardware counters, and what was not
 * measured, with short reasons; the details have the full ones.
 */
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/remote.h"
#include "model/time_figures.h"
#include "model/unsupported_paths.h"
#include "text_end.h"
#include "text_list.h"

/* Sums over the modes whose totals are of one moment. */
struct sums {
	uint64_t sent, received, unclassified, retransmitted;
	bool received_known, told;
	struct num missed, lost; /* lost: dropped, unmatched, or no room in a map */
	unsigned int modes;      /* in the sums */
	const char *not_final;   /* why one is not */
};

static void add_num(struct num *sum, const struct num *n)
{
	if (!n->known)
		sum->known = false;
	else
		sum->value += n->value;
}

static void add_events(struct sums *sums, const struct health *h)
{
	const struct num *const lost[] = {&h->dropped, &h->unmatched, &h->map_full};

	add_num(&sums->missed, &h->missed);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		sums->lost.value += lost[i]->known ? lost[i]->value : 0;
}

static struct sums sum_up(const struct result *r)
{
	struct sums sums = {.received_known = true, .missed = {.known = true}};

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		add_events(&sums, &run->health);
		sums.retransmitted += run->app.tcp_bytes_retrans;
		if (run->not_final) {
			sums.not_final = run->not_final;
			continue;
		}
		sums.modes++;
		sums.sent += run_result__sent(run);
		sums.received += run_result__received(run);
		sums.received_known &= !run->app.rx_reason;
		sums.told |= run->sender_side;
		if (run->unclassified.known)
			sums.unclassified += run->unclassified.value;
	}
	return sums;
}

static void say_bytes(FILE *f, const struct sums *sums)
{
	char sent[UNITS_BUF], received[UNITS_BUF];

	if (!sums->modes) {
		fprintf(f, "n/a: %s", sums->not_final);
		return;
	}
	fprintf(f, "Total %s sent", format_bytes_si(sent, sizeof(sent), (double)sums->sent));
	if (!sums->received_known)
		fputs(", n/a received", f);
	else
		fprintf(f, "%s%s received%s", sums->sent == sums->received ? " = " : ", ",
			format_bytes_si(received, sizeof(received), (double)sums->received),
			sums->told ? " (as the receiver reports)" : "");
	if (sums->not_final)
		fprintf(f, " (without a mode that was %s)", sums->not_final);
}

static void say_gap(FILE *f, const char *lead, int64_t bytes, const char *what)
{
	uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
	char buf[UNITS_BUF];

	fprintf(f, "%s%s%s B %s", lead, bytes < 0 ? "-" : "", format_count(buf, sizeof(buf), size),
		what);
}

/* Bytes of a stage that was not seen are missing: a gap in sight, not a leak. */
static bool account_unseen(const struct run_result *run, enum stage_account account)
{
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == account && run->stages[s].quality == QUALITY_UNAVAILABLE)
			return true;
	return false;
}

/* Mode by mode: opposite signs must not cancel out. */
static bool say_unbalanced(FILE *f, const struct result *r)
{
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (!run->balance_known || (!run->unaccounted_tx && !run->unaccounted_rx))
			continue;
		fprintf(f, "%s%s", any ? "; " : "UNACCOUNTED: ", mode__words(r->summary[i].mode));
		say_gap(f, " ", run->unaccounted_tx, "sent");
		if (!run->sender_side)
			say_gap(f, ", ", run->unaccounted_rx, "received");
		if ((run->unaccounted_tx > 0 && account_unseen(run, STAGE_SENT)) ||
		    (run->unaccounted_rx > 0 && account_unseen(run, STAGE_RECEIVED)))
			fputs(" (a stage of the balance was not measured)", f);
		any = true;
	}
	return any;
}

/* Why a balance is not known, other than that the totals are not final. */
static const char *unknown_balance(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (run->balance_known || run->not_final)
			continue;
		if (!run->ledger_known)
			return run->ledger_reason ? run->ledger_reason : "there is no ledger";
		return "bytes sent or received are not known";
	}
	return NULL;
}

static void say_balance(FILE *f, const struct result *r, const struct sums *sums)
{
	const char *unknown = unknown_balance(r);
	char buf[UNITS_BUF];

	if (say_unbalanced(f, r))
		return;
	if (unknown)
		fprintf(f, "unaccounted n/a: %s", unknown);
	else if (sums->modes)
		fputs("0 B unaccounted", f);
	if (sums->unclassified)
		fprintf(f, ", %s unclassified (events were missed)",
			format_bytes_si(buf, sizeof(buf), (double)sums->unclassified));
}

static void say_events(FILE *f, const struct result *r, const struct sums *sums)
{
	char buf[UNITS_BUF];

	if (!r->summary[0].total.ledger_known)
		return;
	if (sums->missed.known)
		fprintf(f, "%s event%s missed", format_count(buf, sizeof(buf), sums->missed.value),
			plural(sums->missed.value));
	else
		fputs("events missed n/a", f);
	if (sums->lost.value)
		fprintf(f, ", %s lost", format_count(buf, sizeof(buf), sums->lost.value));
}

static void say_retransmitted(FILE *f, const struct sums *sums)
{
	char buf[UNITS_BUF];

	if (sums->retransmitted)
		fprintf(f, "%s retransmitted",
			format_bytes_si(buf, sizeof(buf), (double)sums->retransmitted));
}

void text_notes__checked(FILE *f, const struct result *r, unsigned int columns, unsigned int lines)
{
	const struct text_list_form form = {
		.label = "CHECKED", .separator = ", ", .columns = columns, .lines = lines};
	struct sums sums = sum_up(r);
	struct text_list l;

	text_list__begin(&l);
	say_bytes(l.f, &sums);
	text_list__next(&l);
	say_balance(l.f, r, &sums);
	text_list__next(&l);
	say_events(l.f, r, &sums);
	text_list__next(&l);
	say_retransmitted(l.f, &sums);
	text_list__next(&l);
	text_list__end(&l, f, &form);
}

#define REASON_MAX 64

/* In plural, as things that were not seen; NULL: of no interest, the load generator splices
 * nothing. */
static const char *const stage_names[NIO_STAGE_NR] = {
	[NIO_STAGE_USER_GATHER] = "gather copies", [NIO_STAGE_TX_COPY] = "send copies",
	[NIO_STAGE_TX_PIN] = "pinned bytes",       [NIO_STAGE_DEFERRED_COPY] = "deferred copies",
	[NIO_STAGE_RX_COPY] = "receive copies",    [NIO_STAGE_OTHER_COPY] = "unexpected copies",
};

/* The first clause of a reason, without what names the thing again. */
static void say_short(FILE *f, const char *reason)
{
	static const char lead[] = "no hardware counters: ";
	size_t len;

	if (!strncmp(reason, lead, strlen(lead)))
		reason += strlen(lead);
	len = strcspn(reason, ";(");
	while (len && reason[len - 1] == ' ')
		len--;
	if (len < REASON_MAX)
		fprintf(f, " (%.*s)", (int)len, reason);
	else
		fprintf(f, " (%.*s...)", REASON_MAX - 4, reason);
}

static void add(struct text_reasons *u, const char *what, const char *reason)
{
	text_reasons__add(u, what, reason ? reason : "the reason was not recorded", 0);
}

/* Why a stage was not seen in a mode; NULL: it was. */
static const char *why_no_stage(const struct run_result *run, int s)
{
	const char *reason;

	if (!stage_names[s] || figures__stage_known(run, (enum nio_stage)s, &reason))
		return NULL;
	return remote__is_beyond(run, (enum nio_stage)s) ? REMOTE_REASON : reason;
}

static void add_stages(struct text_reasons *u, const struct result *r)
{
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		const char *reason = NULL;

		for (size_t i = 0; i < r->summary_nr && !reason; i++)
			reason = why_no_stage(&r->summary[i].total, s);
		if (reason)
			add(u, stage_names[s], reason);
	}
}

static bool applies(const struct mode_summary *s, int k)
{
	return k != LATENCY_COMPLETION || mode__has(s->mode, MODE_PINS);
}

static void add_latencies(struct text_reasons *u, const struct result *r)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		const char *reason = NULL;

		if (latency__is_detail(k) || !figures__shows_latency(r, (enum latency_kind)k))
			continue;
		for (size_t i = 0; i < r->summary_nr && !reason; i++) {
			const struct latency_result *l = &r->summary[i].total.app.latency[k];

			if (!l->hist && applies(&r->summary[i], k))
				reason = l->reason ? l->reason : "";
		}
		if (reason)
			add(u, latency__heading((enum latency_kind)k), *reason ? reason : NULL);
	}
}

/* The parts of a send call: unknown of every mode, all for one reason. */
static void add_parts(struct text_reasons *u, const struct result *r)
{
	struct real part = {.reason = NULL};

	for (size_t i = 0; i < r->summary_nr; i++) {
		for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++) {
			part = time_figures__part(&r->summary[i].total, (enum path_part)p);
			if (part.known)
				return;
		}
	}
	if (r->summary[0].total.ledger_known)
		add(u, "parts of a send call", part.reason);
}

static void add_classes(struct text_reasons *u, const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct cpu_result *c = &r->summary[i].total.cpu;

		if (c->known)
			continue;
		add(u, "CPU time by class", c->reason[0] ? c->reason : NULL);
		return;
	}
}

static struct real figure_of(const struct mode_summary *s, enum perf_derived d)
{
	return perf_derive(&s->total, d, perf_whose__here(&s->total));
}

static bool is_counted(const struct result *r, enum perf_derived d)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (figure_of(&r->summary[i], d).known)
			return true;
	return false;
}

static void add_counters(struct text_reasons *u, const struct result *r)
{
	if (!is_counted(r, DERIVED_CYCLES_PER_BYTE))
		add(u, "cycles", figure_of(&r->summary[0], DERIVED_CYCLES_PER_BYTE).reason);
	if (!is_counted(r, DERIVED_LLC_MISSES_PER_KIB))
		add(u, "cache misses",
		    figure_of(&r->summary[0], DERIVED_LLC_MISSES_PER_KIB).reason);
}

static void say_uncovered(FILE *f, const struct run_result *run)
{
	char bytes[UNITS_BUF];

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			const struct nio_uncovered *n = &run->uncovered[side][kind];

			if (n->events)
				fprintf(f, "%s%s of %s by %s", side ? " " : "",
					format_bytes_si(bytes, sizeof(bytes), (double)n->bytes),
					mode__words(run->mode),
					unsupported_paths__key((enum nio_uncovered_kind)kind));
		}
	}
}

static void say_figures(FILE *f, const struct result *r, enum perf_derived d)
{
	char cell[32];

	if (!is_counted(r, d))
		return;
	fprintf(f, "%s %s ", perf_derived__words(d), perf_derived__unit(d));
	for (size_t i = 0; i < r->summary_nr; i++) {
		struct real v = figure_of(&r->summary[i], d);

		snprintf(cell, sizeof(cell), v.known ? "%.3g" : "n/a", v.value);
		fprintf(f, "%s%s", i ? " / " : "", cell);
	}
}

/* The modes of the figures side by side. */
static void say_modes(FILE *f, const struct result *r)
{
	for (size_t i = 0; r->summary_nr > 1 && i < r->summary_nr; i++)
		fprintf(f, "%s%s", i ? " / " : "total of ", mode__words(r->summary[i].mode));
	if (r->summary_nr > 1)
		fputs(": ", f);
}

void text_notes__counted(FILE *f, const struct result *r, unsigned int columns, unsigned int lines)
{
	const struct text_list_form form = {
		.label = "COUNTED", .separator = ", ", .columns = columns, .lines = lines};
	struct text_list l;

	text_list__begin(&l);
	if (is_counted(r, DERIVED_CYCLES_PER_BYTE) || is_counted(r, DERIVED_LLC_MISSES_PER_KIB))
		say_modes(l.f, r);
	say_figures(l.f, r, DERIVED_CYCLES_PER_BYTE);
	text_list__next(&l);
	say_figures(l.f, r, DERIVED_LLC_MISSES_PER_KIB);
	text_list__next(&l);
	text_list__end(&l, f, &form);
}

/* Returns whether there is anything. */
static bool say_unseen(struct text_list *l, const struct result *r)
{
	struct text_reasons u = {.nr = 0};
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		any |= unsupported_paths__any(&r->summary[i].total);
		say_uncovered(l->f, &r->summary[i].total);
		text_list__next(l);
	}
	add_stages(&u, r);
	add_counters(&u, r);
	add_latencies(&u, r);
	add_classes(&u, r);
	add_parts(&u, r);
	while (text_reasons__left(&u)) {
		say_short(l->f, text_reasons__tell(l->f, &u)->reason);
		text_list__next(l);
	}
	return any || u.nr;
}

void text_notes__unseen(FILE *f, const struct result *r, unsigned int columns, unsigned int lines,
			bool details)
{
	struct text_list_form form = {
		.label = "NOT SEEN",
		.separator = "; ",
		.end = details ? ". Try `netiotrace doctor`."
			       : ". Try `netiotrace doctor`; --details prints the rest.",
		.cut = "; and more (see --details).",
		.columns = columns,
		.lines = lines,
	};
	struct text_list l;

	text_list__begin(&l);
	if (!say_unseen(&l, r)) {
		form.label = "MORE";
		form.end = NULL;
		fputs(details ? "" : "--details prints stages, times and reasons.", l.f);
	}
	text_list__end(&l, f, &form);
}
