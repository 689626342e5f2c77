/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text on the quality of its figures: losses of the probes, bytes outside all stages. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/units.h"
#include "model/unsupported_paths.h"
#include "text_end.h"

/* Names of modes from their index in the summary: "two-copy, one-copy". */
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

/* A kind of loss: field, name, and effect on the figures. */
static const struct loss {
	size_t at; /* of a struct num in struct health */
	const char *word;
	const char *meaning;
	bool paired; /* only modes that pair events can have it: these say how much it is */
	bool always; /* printed even if 0 */
} losses[] = {
	{offsetof(struct health, missed), "missed", NULL, false, true},
	{offsetof(struct health, dropped), "dropped",
	 "Dropped: what these events would have booked is missing here.", false, true},
	{offsetof(struct health, unmatched), "unmatched",
	 "Unmatched: the beginning or the end of these events was not seen. Their times are "
	 "missing "
	 "here, and deferred and other copies among them; bytes sent and received are unaffected.",
	 true, true},
	{offsetof(struct health, map_full), "lost to full maps",
	 "Full maps: there was no room to follow these events. Their times are missing here, and "
	 "perhaps copies and completions; bytes sent and received are unaffected.",
	 true, false},
	{offsetof(struct health, anomalies), "anomalies",
	 "Anomalies: a sequence number was below the one before, or a socket had no counter; "
	 "nothing was booked for these events.",
	 false, false},
};

#define LOSSES_NR    (sizeof(losses) / sizeof(losses[0]))
#define MISSED_BYTES "Missed: the kernel refused these program runs. "
#define MISSED_KNOWN                                                               \
	MISSED_BYTES "Bytes sent and received come from sequence numbers and are " \
		     "unaffected; kinds, sizes and times of these events are missing here."
#define MISSED_UNTOLD MISSED_BYTES "Bytes and times of these events are missing here."

static struct num sum_of(const struct result *r, const struct loss *l)
{
	struct num sum = {.known = !l->paired};

	for (size_t i = 0; i < r->summary_nr; i++) {
		const char *health = (const char *)&r->summary[i].total.health;
		const struct num *n = (const struct num *)(health + l->at);

		sum.value += n->known ? n->value : 0;
		if (n->known != sum.known)
			sum.known = l->paired;
		if (!n->known)
			sum.reason = n->reason;
	}
	return sum;
}

/* A loss known for some modes only is a lower bound, and marked as incomplete. */
static void say_loss(FILE *f, const struct num *n, const char *what, const char **reason)
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

static bool bytes_by_sequence(const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++)
		if (!r->summary[i].total.sequence.source)
			return false;
	return true;
}

static void say_meanings(FILE *f, const struct result *r)
{
	const char *lead = ".";

	for (size_t i = 0; i < LOSSES_NR; i++) {
		const char *meaning = losses[i].meaning;

		if (!sum_of(r, &losses[i]).value)
			continue;
		if (!meaning)
			meaning = bytes_by_sequence(r) ? MISSED_KNOWN : MISSED_UNTOLD;
		fprintf(f, "%s %s", lead, meaning);
		lead = "";
	}
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

/* Are there events of a stage that were watched a part of the time? */
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

/* The modes whose events were sampled in exactly these directions. */
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
	fprintf(f, ": events of %s were watched %.0f %% of the time", words[directions],
		least * 100);
	return true;
}

/* Names the modes whose event numbers and sizes are a sample. */
static void print_slices(FILE *f, const struct result *r)
{
	const char *lead = ". ";

	for (unsigned int directions = SENDING | RECEIVING; directions; directions--)
		if (print_directions(f, r, directions, lead))
			lead = "; ";
	if (lead[0] == ';')
		fputs("; their sizes are sampled, the sockets count the bytes (--count-calls "
		      "watches "
		      "all)",
		      f);
}

/* All events were watched, none was refused, and yet bytes had no event (docs/KERNELS.md). */
static void print_unexplained(FILE *f, const struct result *r)
{
	for (size_t i = 0; i < r->summary_nr; i++) {
		const struct run_result *run = &r->summary[i].total;
		const struct health *h = &run->health;
		struct real share = run_result__events_share(run);

		if (!h->coverage.known || h->coverage.value >= 1 || !share.known ||
		    share.value < 1 || !h->missed.known || h->missed.value || h->unmatched.value)
			continue;
		fputs(". Coverage: events of some bytes were not seen, though none was refused. "
		      "Another tool that attaches or detaches programs meanwhile has this effect",
		      f);
		return;
	}
}

void text_quality__say_watching(FILE *f, const struct result *r)
{
	const char *reason = NULL;

	fprintf(f, "%u probe%s", r->probes, plural(r->probes));
	print_coverage(f, r, &reason);
	for (size_t i = 0; i < LOSSES_NR; i++) {
		struct num n = sum_of(r, &losses[i]);

		if (losses[i].always || n.value)
			say_loss(f, &n, losses[i].word, &reason);
	}
	if (reason)
		fprintf(f, " (n/a: %s)", reason);
	print_slices(f, r);
	print_unexplained(f, r);
	say_meanings(f, r);
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
		unsupported_paths__text((enum nio_uncovered_kind)kind));
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
