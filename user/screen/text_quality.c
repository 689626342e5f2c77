/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on what its own figures are worth: what was not measured and why, what the probes
 * lost, whether the run was cut short.
 */
#include <math.h>
#include <string.h>

#include "base/text_note.h"
#include "common/units.h"
#include "model/figures.h"
#include "model/plan.h"
#include "model/uncovered.h"
#include "text_end.h"
#include "text_list.h"

#define SUBJECTS_NR  ((size_t)NIO_STAGE_NR + LATENCY_NR)
#define QUALITIES_NR (QUALITY_SAMPLED + 1)

/* A stage or a latency: enum nio_stage, then enum latency_kind. */
static const char *subject__name(size_t subject)
{
	return subject < NIO_STAGE_NR ? stage__heading(subject)
				      : latency__heading(subject - NIO_STAGE_NR);
}

/* Quality and reason of a subject that is less than exact; false when there is nothing to say. */
static bool shortcoming(const struct run_result *run, size_t subject, enum quality *q,
			const char **reason)
{
	*q = QUALITY_UNAVAILABLE;
	if (subject >= NIO_STAGE_NR) {
		const struct latency_result *l = &run->app.latency[subject - NIO_STAGE_NR];

		*reason = l->reason ? l->reason : "the reason was not recorded";
		return !l->hist;
	}
	if (!figures__stage_known(run, subject, reason))
		return true;
	*q = run->stages[subject].quality;
	*reason = run->stages[subject].reason;
	return *q != QUALITY_EXACT && *reason && *reason != plan__by_construction;
}

/* Of modes by their index in the summary: "two-copy, one-copy". */
static void print_names(FILE *f, const struct result *r, unsigned int modes)
{
	const char *lead = "";

	for (size_t i = 0; i < r->summary_nr; i++) {
		if (!(modes & 1u << i))
			continue;
		fprintf(f, "%s%s", lead, mode__words(r->summary[i].mode));
		lead = ", ";
	}
}

static void print_modes(FILE *f, const struct result *r, unsigned int modes)
{
	if (modes == (1u << r->summary_nr) - 1)
		return;
	fprintf(f, " (");
	print_names(f, r, modes);
	fprintf(f, ")");
}

/* A paragraph for each reason: its subjects and, where not all have it, its modes. */
void text_quality__reasons(FILE *f, unsigned int width, const struct result *r)
{
	struct text_reasons of[QUALITIES_NR] = {{.nr = 0}};
	const char *label = "reasons", *reason;
	enum quality q;

	for (size_t subject = 0; subject < SUBJECTS_NR; subject++) {
		if (subject >= NIO_STAGE_NR && !figures__shows_latency(r, subject - NIO_STAGE_NR))
			continue;
		for (size_t mode = 0; mode < r->summary_nr; mode++)
			if (shortcoming(&r->summary[mode].total, subject, &q, &reason))
				text_reasons__add(&of[q], subject__name(subject), reason,
						  1u << mode);
	}
	for (int i = 0; i < QUALITIES_NR; i++) {
		while (text_reasons__left(&of[i])) {
			const struct text_reason *told;
			struct text_note n;

			text_note__begin(&n);
			told = text_reasons__tell(n.f, &of[i]);
			print_modes(n.f, r, told->modes);
			fprintf(n.f, " %s: %s",
				i == QUALITY_UNAVAILABLE ? "n/a" : quality__name((enum quality)i),
				told->reason);
			text_note__end(&n, f, width, label);
			label = "";
		}
	}
}

static void add_loss(struct num *sum, const struct num *n)
{
	if (!n->known) {
		sum->known = false;
		sum->reason = n->reason;
	} else {
		sum->value += n->value;
	}
}

/* A loss that only some modes can have, since only they pair events: these say how much it is. */
static void add_paired(struct num *sum, const struct num *n)
{
	if (n->known) {
		sum->known = true;
		sum->value += n->value;
	} else {
		sum->reason = n->reason;
	}
}

static struct health sum_health(const struct result *r)
{
	struct health sum = {.missed.known = true, .dropped.known = true, .anomalies.known = true};
	const struct health *h;
	size_t i;

	for (i = 0; i < r->summary_nr; i++) {
		h = &r->summary[i].total.health;
		add_loss(&sum.missed, &h->missed);
		add_loss(&sum.dropped, &h->dropped);
		add_paired(&sum.map_full, &h->map_full);
		add_paired(&sum.unmatched, &h->unmatched);
		add_loss(&sum.anomalies, &h->anomalies);
	}
	return sum;
}

/* A loss known of some modes only is at least that much: it is said, and that it is not all. */
static void print_loss(FILE *f, const struct num *n, const char *what, const char **reason)
{
	char buf[UNITS_BUF];

	if (!n->known && n->reason)
		*reason = n->reason;
	if (n->known)
		fprintf(f, ", %s %s", format_count(buf, sizeof(buf), n->value), what);
	else if (n->value)
		fprintf(f, ", at least %s %s", format_count(buf, sizeof(buf), n->value), what);
	else
		fprintf(f, ", %s n/a", what);
}

/* What a loss means for the figures above, in a sentence. */
static void print_meaning(FILE *f, const struct num *n, const char *sentence)
{
	if (n->value)
		fprintf(f, " %s", sentence);
}

static void print_meanings(FILE *f, const struct health *h, bool bytes_known)
{
	if (h->missed.value || h->dropped.value)
		fprintf(f, ". EVENTS WERE LOST");
	else if (!h->map_full.value && !h->unmatched.value && !h->anomalies.value)
		return;
	fputc('.', f);
	print_meaning(f, &h->missed,
		      bytes_known ? "Missed: the kernel refused these program runs; bytes sent and "
				    "received are by sequence numbers and not affected, the kinds, "
				    "sizes and times of these events are not in this ledger."
				  : "Missed: the kernel refused these program runs; what they "
				    "would have booked, bytes and time, is not in this ledger.");
	print_meaning(f, &h->dropped,
		      "Dropped: what these events would have booked is not in this ledger.");
	print_meaning(f, &h->unmatched,
		      "Unmatched: of these events the beginning or the end was not seen and their "
		      "time was dropped; bytes sent and received are not affected, deferred and "
		      "other copies among them are not booked.");
	print_meaning(f, &h->map_full,
		      "Full maps: there was no room to follow these events and their time was "
		      "dropped; bytes sent and received are not affected, copies and completions "
		      "among them may not be booked.");
}

/* The least covered mode: a mean over modes would hide it. Never rounded up to 1. */
static void print_coverage(FILE *f, const struct result *r, const char **reason)
{
	const struct real *least = NULL;

	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct real *c = &r->summary[i].total.health.coverage;

		if (!c->known && c->reason)
			*reason = c->reason;
		if (c->known && (!least || c->value < least->value))
			least = c;
	}
	if (least)
		fprintf(f, ", coverage %.4f", floor(least->value * 10000) / 10000);
	else
		fprintf(f, ", coverage n/a");
}

/* Are there events of a stage that were looked at a part of the time? */
static bool in_slices(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];

	return s->quality != QUALITY_UNAVAILABLE && !s->no_events &&
	       run_result__sampled_events(run, stage);
}

enum direction {
	SENDING = 1,
	RECEIVING = 2,
};

static unsigned int directions_in_slices(const struct run_result *run)
{
	return (in_slices(run, NIO_STAGE_TX_COPY) ? SENDING : 0) |
	       (in_slices(run, NIO_STAGE_RX_COPY) ? RECEIVING : 0);
}

/* The modes of which it was the events of just these directions. */
static bool print_directions(FILE *f, const struct result *r, unsigned int directions,
			     const char *lead)
{
	static const char *const words[] = {
		[SENDING] = "sending",
		[RECEIVING] = "receiving",
		[SENDING | RECEIVING] = "sending and receiving",
	};
	unsigned int modes = 0;
	double least = 1;

	for (size_t i = 0; i < r->summary_nr; i++) {
		struct real share = run_result__events_share(&r->summary[i].total);

		if (!share.known || directions_in_slices(&r->summary[i].total) != directions)
			continue;
		modes |= 1u << i;
		least = share.value < least ? share.value : least;
	}
	if (!modes)
		return false;
	fputs(lead, f);
	print_names(f, r, modes);
	fprintf(f, ": events of %s were looked at %.0f %% of the time", words[directions],
		least * 100);
	return true;
}

/* Numbers and sizes of events that were looked at a part of the time are a sample: said here. */
static void print_slices(FILE *f, const struct result *r)
{
	const char *lead = ". ";

	for (unsigned int directions = SENDING | RECEIVING; directions; directions--)
		if (print_directions(f, r, directions, lead))
			lead = "; ";
	if (lead[0] == ';')
		fputs("; their sizes are sampled, the sockets count the bytes (--count-calls looks "
		      "at all)",
		      f);
}

static bool bytes_by_sequence(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (!r->summary[i].total.sequence.source)
			return false;
	return true;
}

/*
 * All events were looked at, none was refused, and yet bytes went without one: what is known to do
 * that is another watcher, who attaches to a function or leaves it (docs/KERNELS.md).
 */
static void print_unexplained(FILE *f, const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct health *h = &run->health;
		struct real share = run_result__events_share(run);

		if (!h->coverage.known || h->coverage.value >= 1 || !share.known ||
		    share.value < 1 || !h->missed.known || h->missed.value || h->unmatched.value)
			continue;
		fputs(". Coverage: events of some bytes were not seen, though none was refused; "
		      "who attaches programs to a function, or takes them away, meanwhile does "
		      "that to calls within it",
		      f);
		return;
	}
}

/* A sentence of its own: it is not to be met on a kernel that is understood. */
static void print_anomalies(FILE *f, const struct health *h)
{
	print_meaning(f, &h->anomalies,
		      "Anomalies: a sequence number was below the one before, or a socket had no "
		      "counter; nothing was booked for these events.");
}

void text_quality__say_watching(FILE *f, const struct result *r)
{
	struct health h = sum_health(r);
	const char *reason = NULL;

	fprintf(f, "%u probe%s", r->probes, plural(r->probes));
	print_coverage(f, r, &reason);
	print_loss(f, &h.missed, "missed", &reason);
	print_loss(f, &h.dropped, "dropped", &reason);
	print_loss(f, &h.unmatched, "unmatched", &reason);
	if (h.map_full.value)
		print_loss(f, &h.map_full, "lost to full maps", &reason);
	if (h.anomalies.value)
		print_loss(f, &h.anomalies, "anomalies", &reason);
	if (reason)
		fprintf(f, " (n/a: %s)", reason);
	print_slices(f, r);
	print_unexplained(f, r);
	print_meanings(f, &h, bytes_by_sequence(r));
	print_anomalies(f, &h);
}

static void print_kind(FILE *f, const struct run_result *run, int side, int kind, bool *first)
{
	const struct nio_uncovered *u = &run->uncovered[side][kind];
	char buf[UNITS_BUF];

	if (!u->events)
		return;
	fprintf(f, "%s%s %s at the %s %s", *first ? "" : "; ", mode__words(run->mode),
		format_bytes_si(buf, sizeof(buf), u->bytes),
		side == NIO_SIDE_SENDER ? "sender" : "receiver",
		uncovered__text((enum nio_uncovered_kind)kind));
	*first = false;
}

void text_quality__say_uncovered(FILE *f, const struct result *r)
{
	bool first = true;

	for (size_t i = 0; i < r->summary_nr; i++)
		for (int side = 0; side < NIO_SIDE_NR; side++)
			for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
				print_kind(f, &r->summary[i].total, side, kind, &first);
	if (!first)
		fputs(". The ledger covers what TCP itself takes from an application and copies to "
		      "one.",
		      f);
}
