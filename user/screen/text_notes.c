/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The notes at the end of a run: whether the books balance, hardware counters, what was not
 * measured, with short reasons (the details have the full ones), and what the words mean.
 */
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "model/figures.h"
#include "model/perf_figures.h"
#include "model/result.h"
#include "text_end.h"
#include "text_cells.h"

#define REASON_MAX 64
#define MODES_LEN  96

/* Sums over the modes; bytes only of those whose counts are of one moment. */
struct sums {
	uint64_t sent, unclassified, retransmitted;
	uint64_t lost; /* events: dropped, unmatched, or no room in a map */
	struct num received, missed;
	bool remote;           /* received is what a receiver elsewhere reports */
	unsigned int modes;    /* whose bytes are in the sums */
	const char *not_final; /* why the bytes of a mode are not in; NULL: all are */
};

static void add_num(struct num *sum, bool known, uint64_t value)
{
	sum->known &= known;
	sum->value += known ? value : 0;
}

static struct sums sum_up(const struct result *r)
{
	struct sums sums = {.received = {.known = true}, .missed = {.known = true}};

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct health *h = &run->health;

		add_num(&sums.missed, h->missed.known, h->missed.value);
		sums.lost += (h->dropped.known ? h->dropped.value : 0) +
			     (h->unmatched.known ? h->unmatched.value : 0) +
			     (h->map_full.known ? h->map_full.value : 0);
		sums.retransmitted += run->app.tcp_bytes_retrans;
		if (run->not_final) {
			sums.not_final = run->not_final;
			continue;
		}
		sums.modes++;
		sums.sent += run_result__sent(run);
		add_num(&sums.received, !run->app.rx_reason, run_result__received(run));
		sums.remote |= run->sender_side || r->env.receiver;
		sums.unclassified += run->unclassified.known ? run->unclassified.value : 0;
	}
	return sums;
}

static void print_bytes(FILE *f, const struct sums *sums)
{
	char sent[UNITS_BUF], received[UNITS_BUF];

	if (!sums->modes) {
		fprintf(f, "n/a: %s", sums->not_final);
		return;
	}
	fprintf(f, "Total %s sent", format_bytes_si(sent, sizeof(sent), (double)sums->sent));
	if (!sums->received.known)
		fputs(", n/a received", f);
	else
		fprintf(f, "%s%s received%s", sums->sent == sums->received.value ? " = " : ", ",
			format_bytes_si(received, sizeof(received), (double)sums->received.value),
			sums->remote ? " (as the receiver reports)" : "");
	if (sums->not_final)
		fprintf(f, " (without a mode that was %s)", sums->not_final);
}

static void print_gap(FILE *f, const char *lead, int64_t bytes, const char *what)
{
	uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
	char buf[UNITS_BUF];

	fprintf(f, "%s%s%s B %s", lead, bytes < 0 ? "-" : "", format_count(buf, sizeof(buf), size),
		what);
}

/* Bytes of a stage that was not measured are missing: a gap in sight, not a leak. */
static bool account_unseen(const struct run_result *run, enum stage_account account)
{
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == account && run->stages[s].quality == QUALITY_UNAVAILABLE)
			return true;
	return false;
}

/* Mode by mode: opposite signs must not cancel out. */
static bool print_unbalanced(FILE *f, const struct result *r)
{
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (!run->balance_known || (!run->unaccounted_tx && !run->unaccounted_rx))
			continue;
		fprintf(f, "%s%s", any ? "; " : "UNACCOUNTED: ", mode__words(r->summary[i].mode));
		print_gap(f, " ", run->unaccounted_tx, "sent");
		if (!run->sender_side)
			print_gap(f, ", ", run->unaccounted_rx, "received");
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

static void print_balance(FILE *f, const struct result *r, const struct sums *sums)
{
	const char *unknown = unknown_balance(r);
	char buf[UNITS_BUF];

	if (print_unbalanced(f, r))
		return;
	if (unknown)
		fprintf(f, "unaccounted n/a: %s", unknown);
	else if (sums->modes)
		fputs("0 B unaccounted", f);
	if (sums->unclassified)
		fprintf(f, ", %s unclassified (events were missed)",
			format_bytes_si(buf, sizeof(buf), (double)sums->unclassified));
}

static void print_events(FILE *f, const struct result *r, const struct sums *sums)
{
	char buf[UNITS_BUF];

	if (!r->summary[0].total.ledger_known)
		return;
	if (sums->missed.known)
		fprintf(f, "%s event%s missed", format_count(buf, sizeof(buf), sums->missed.value),
			plural(sums->missed.value));
	else
		fputs("events missed n/a", f);
	if (sums->lost)
		fprintf(f, ", %s lost", format_count(buf, sizeof(buf), sums->lost));
}

unsigned int text_notes__checked(FILE *f, const struct result *r, unsigned int columns,
				 unsigned int lines)
{
	const struct text_note_form form = {
		.label = "CHECKED", .separator = ", ", .columns = columns, .lines = lines};
	struct sums sums = sum_up(r);
	char buf[UNITS_BUF];
	struct text_note l;

	text_note__begin(&l);
	print_bytes(l.f, &sums);
	text_note__next(&l);
	print_balance(l.f, r, &sums);
	text_note__next(&l);
	print_events(l.f, r, &sums);
	text_note__next(&l);
	if (sums.retransmitted)
		fprintf(l.f, "%s retransmitted",
			format_bytes_si(buf, sizeof(buf), (double)sums.retransmitted));
	text_note__next(&l);
	return text_note__fit(&l, f, &form);
}

/* "two-copy / one-copy: " before the figures of modes side by side; "" of a single mode. */
static char *name_modes(char *buf, size_t len, const struct result *r)
{
	*buf = '\0';
	for (size_t i = 0; r->summary_nr > 1 && i < r->summary_nr; i++)
		append__text(buf, len, "%s%s", mode__words(r->summary[i].mode),
			     i + 1 == r->summary_nr ? ": " : " / ");
	return buf;
}

/* A figure of each mode; false: no mode has it, nothing was written. */
static bool print_derived(FILE *f, const struct result *r, const char *lead, enum perf_derived d)
{
	struct real v[MODE_NR];
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		v[i] = perf_derive(run, d, perf_whose__here(run));
		any |= v[i].known;
	}
	if (!any)
		return false;
	fprintf(f, "%s%s ", lead, perf_derived__words(d));
	for (size_t i = 0; i < r->summary_nr; i++) {
		fputs(i ? " / " : "", f);
		if (v[i].known)
			fprintf(f, v[i].value < 1000 ? "%.3g" : "%.0f", v[i].value);
		else
			fputs("n/a", f);
	}
	fprintf(f, " %s", perf_derived__unit(d));
	return true;
}

static void print_followed(FILE *f, const struct followed_mode *m)
{
	const struct followed *s = &m->sent;

	fprintf(f, "%s: ", mode__words(m->mode));
	if (!s->per_byte.known) {
		fprintf(f, "n/a, %s", s->why[0] ? s->why : s->per_byte.reason);
		return;
	}
	fprintf(f, "%.2f (%.2f to %.2f) copies per byte sent, in user space", s->per_byte.value,
		round_least(s->low, 2), round_most(s->high, 2));
	if (s->function[0] && s->per_byte.value > 0)
		fprintf(f, ", in %s", s->function);
	if (m->own.known)
		fprintf(f, "; the sender counts %.2f", m->own.value);
}

unsigned int text_notes__followed(FILE *f, const struct result *r, unsigned int columns,
				  unsigned int lines)
{
	const struct text_note_form form = {
		.label = "FOLLOWED", .separator = ". ", .columns = columns, .lines = lines};
	struct text_note l;

	text_note__begin(&l);
	for (size_t i = 0; i < r->followed_nr; i++) {
		print_followed(l.f, &r->followed[i]);
		text_note__next(&l);
	}
	return text_note__fit(&l, f, &form);
}

unsigned int text_notes__counted(FILE *f, const struct result *r, unsigned int columns,
				 unsigned int lines)
{
	static const enum perf_derived figures[] = {DERIVED_CYCLES_PER_BYTE,
						    DERIVED_LLC_MISSES_PER_KIB};
	const struct text_note_form form = {
		.label = "COUNTED", .separator = ", ", .columns = columns, .lines = lines};
	char lead[MODES_LEN + 16], modes[MODES_LEN];
	struct text_note l;

	name_modes(modes, sizeof(modes), r);
	snprintf(lead, sizeof(lead), "%s%s", modes[0] ? "total of " : "", modes);
	text_note__begin(&l);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (print_derived(l.f, r, lead, figures[i]))
			lead[0] = '\0';
		text_note__next(&l);
	}
	return text_note__fit(&l, f, &form);
}

/* The first clause of a reason, without what names the thing again. */
static void print_short(FILE *f, const char *reason)
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

static void print_uncovered(FILE *f, const struct run_result *run)
{
	const char *lead = "";
	char bytes[UNITS_BUF];

	for (int i = 0; i < NIO_SIDE_NR * NIO_UNCOVERED_NR; i++) {
		int kind = i % NIO_UNCOVERED_NR;
		const struct nio_uncovered *n = &run->uncovered[i / NIO_UNCOVERED_NR][kind];

		if (!n->events)
			continue;
		fprintf(f, "%s%s of %s %s", lead,
			format_bytes_si(bytes, sizeof(bytes), (double)n->bytes),
			mode__words(run->mode), uncovered__text((enum nio_uncovered_kind)kind));
		lead = "; ";
	}
}

/* ---- what was not measured, and why ---- */

#define TEXT_REASONS_MAX 128

struct text_reasons {
	struct text_reason {
		const char *what; /* NULL: already written */
		const char *reason;
	} list[TEXT_REASONS_MAX];
	size_t nr;
};

/* In plural, as things that were not seen. */
static const char *const stage_names[NIO_STAGE_NR] = {
	[NIO_STAGE_USER_GATHER] = "gather copies",     [NIO_STAGE_TX_COPY] = "send copies",
	[NIO_STAGE_TX_PIN] = "pinned bytes",           [NIO_STAGE_RX_COPY] = "receive copies",
	[NIO_STAGE_DEFERRED_COPY] = "deferred copies", [NIO_STAGE_OTHER_COPY] = "unexpected copies",
	[NIO_STAGE_TX_SPLICE] = "spliced bytes",       [NIO_STAGE_RX_MAP] = "mapped bytes",
	[NIO_STAGE_RX_DISCARD] = "discarded bytes",    [NIO_STAGE_RX_SPLICE] = "spliced bytes",
	[NIO_STAGE_TLS_COPY] = "encrypted bytes",
};

static void add_reason(struct text_reasons *l, const char *what, const char *reason)
{
	if (!reason || !*reason)
		reason = "the reason was not recorded";
	for (size_t i = 0; i < l->nr; i++)
		if (l->list[i].what == what && !strcmp(l->list[i].reason, reason))
			return;
	if (l->nr < TEXT_REASONS_MAX)
		l->list[l->nr++] = (struct text_reason){what, reason};
}

static void add_stage(struct text_reasons *l, const struct run_result *run, enum nio_stage stage)
{
	const char *reason = run->stages[stage].reason;
	bool applies = stage == NIO_STAGE_TX_SPLICE  ? mode__has(run->mode, MODE_SPLICES)
		       : stage == NIO_STAGE_TLS_COPY ? mode__has(run->mode, MODE_ENCRYPTS)
						     : !stage__is_rare(stage);

	if (applies && !figures__stage_known(run, stage, &reason))
		add_reason(l, stage_names[stage], reason);
}

static void add_latencies(struct text_reasons *l, const struct result *r,
			  const struct run_result *run)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		const struct latency_result *latency = &run->app.latency[k];
		bool applies = k != LATENCY_COMPLETION || mode__has(run->mode, MODE_PINS);

		if (!latency->hist && figures__shows_latency(r, k) && applies &&
		    !latency__is_detail(k))
			add_reason(l, latency__heading(k), latency->reason);
	}
}

static void add_parts(struct text_reasons *l, const struct run_result *run)
{
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		if (!run->ledger_known || time_figures__part(run, p).known)
			return;
	add_reason(l, "parts of a send call", time_figures__part(run, PATH_SEND_TOTAL + 1).reason);
}

static void add_counter(struct text_reasons *l, const struct run_result *run, const char *what,
			enum perf_derived d)
{
	struct real v = perf_derive(run, d, perf_whose__here(run));

	if (!v.known)
		add_reason(l, what, v.reason);
}

/* Fills l with what the end of a run would show, the modes together. */
static void collect_reasons(struct text_reasons *l, const struct result *r)
{
	l->nr = 0;
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		for (int s = 0; s < NIO_STAGE_NR; s++)
			add_stage(l, run, s);
		add_counter(l, run, "cycles", DERIVED_CYCLES_PER_BYTE);
		add_counter(l, run, "cache misses", DERIVED_LLC_MISSES_PER_KIB);
		add_latencies(l, r, run);
		if (!run->cpu.known)
			add_reason(l, "CPU time by class", run->cpu.reason);
		add_parts(l, run);
	}
}

/*
 * Writes the next thing and all others of its reason, ", " between them. Returns their entry; NULL:
 * nothing is left, nothing was written.
 */
static const struct text_reason *write_reason(FILE *f, struct text_reasons *l)
{
	const struct text_reason *first = NULL;

	for (size_t i = 0; i < l->nr; i++) {
		struct text_reason *r = &l->list[i];

		if (!r->what || (first && strcmp(r->reason, first->reason) != 0))
			continue;
		fprintf(f, "%s%s", first ? ", " : "", r->what);
		first = first ? first : r;
		r->what = NULL;
	}
	return first;
}

void text_notes__unseen(FILE *f, const struct result *r, unsigned int columns, unsigned int lines)
{
	static const char more[] = "--details prints stages, times and reasons.";
	struct text_note_form form = {
		.label = "NOT SEEN",
		.separator = "; ",
		.end = ". Try `netiotrace doctor`; --details prints the rest.",
		.cut = "; and more (see --details).",
		.columns = columns,
		.lines = lines,
	};
	const struct text_reason *reason;
	struct text_reasons unknown;
	struct text_note l;
	bool any;

	collect_reasons(&unknown, r);
	any = unknown.nr;
	text_note__begin(&l);
	for (size_t i = 0; i < r->summary_nr; i++) {
		any |= uncovered__any(&r->summary[i].total);
		print_uncovered(l.f, &r->summary[i].total);
		text_note__next(&l);
	}
	while ((reason = write_reason(l.f, &unknown))) {
		print_short(l.f, reason->reason);
		text_note__next(&l);
	}
	if (!any) {
		form.label = "MORE";
		form.end = NULL;
		fputs(more, l.f);
	}
	text_note__fit(&l, f, &form);
}

static bool moved_bytes(const struct result *r, int stage)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;

		if (run->ledger_known && run->stages[stage].bytes)
			return true;
	}
	return false;
}

unsigned int text_notes__words(FILE *f, const struct result *r, unsigned int columns,
			       unsigned int lines)
{
	const struct text_note_form form = {
		.label = "WORDS",
		.separator = "; ",
		.end = ". Glossary: docs/GLOSSARY.md.",
		.cut = "; others: --details, docs/GLOSSARY.md.",
		.columns = columns,
		.lines = lines,
	};
	const struct {
		bool used;
		const char *text;
	} words[] = {
		{moved_bytes(r, NIO_STAGE_DEFERRED_COPY), "deferred: zero-copy pages copied later"},
		{moved_bytes(r, NIO_STAGE_TX_PIN), "pin: pages referenced, not copied"},
		{text_tables__has_cpu(r), NULL}, /* text_tables__rest() */
		{true, "delivery: from the send call until all is read"},
		{sum_up(r).modes, "unaccounted: bytes that no stage explains"},
	};
	struct text_note l;

	text_note__begin(&l);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].used && !words[i].text)
			text_tables__rest(l.f, r);
		else
			fputs(words[i].used ? words[i].text : "", l.f);
		text_note__next(&l);
	}
	return text_note__fit(&l, f, &form);
}
