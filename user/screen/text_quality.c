/* SPDX-License-Identifier: GPL-2.0-only */
/* The final text on the quality of its figures: losses of the probes, bytes outside all stages. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/units.h"
#include "model/unsupported_paths.h"
#include "text_cells.h"
#include "text_end.h"

#define MISSED "Missed: the kernel refused these program runs. "

/* A kind of loss: field, name, and effect on the figures. */
static const struct loss {
	size_t at; /* of a struct num in struct health */
	const char *word;
	bool always; /* said even if 0 or not known */
	const char *meaning;
} losses[] = {
	{offsetof(struct health, missed), "missed", true,
	 MISSED "Bytes sent and received come from sequence numbers and are unaffected; kinds, "
		"sizes and times of these events are missing here."},
	{offsetof(struct health, dropped), "dropped", true,
	 "Dropped: what these events would have booked is missing here."},
	{offsetof(struct health, unmatched), "unmatched", true,
	 "Unmatched: the beginning or the end of these events was not seen. Their times are "
	 "missing here, and deferred and other copies among them; bytes sent and received are "
	 "unaffected."},
	{offsetof(struct health, map_full), "lost to full maps", false,
	 "Full maps: there was no room to follow these events. Their times are missing here, and "
	 "perhaps copies and completions; bytes sent and received are unaffected."},
	{offsetof(struct health, anomalies), "anomalies", false,
	 "Anomalies: a sequence number was below the one before, or a socket had no counter; "
	 "nothing was booked for these events."},
};

#define LOSSES_NR (sizeof(losses) / sizeof(losses[0]))

static const struct num *number_of(const struct run_result *run, const struct loss *l)
{
	return (const struct num *)((const char *)&run->health + l->at);
}

/* All events were watched, none was refused, and yet bytes had no event (docs/KERNELS.md). */
static bool is_unexplained(const struct run_result *run)
{
	const struct health *h = &run->health;
	struct real share = run_result__events_share(run);

	return h->coverage.known && h->coverage.value < 1 && share.known && share.value >= 1 &&
	       h->missed.known && !h->missed.value && !h->unmatched.value;
}

/* Never rounded up to 1. */
static void coverage_cell(char *cell, const void *of, size_t row, int what)
{
	const struct real *c = &((const struct result *)of)->summary[row].total.health.coverage;

	(void)what;
	if (c->known)
		snprintf(cell, TEXT_CELL_MAX, "%.4f", floor(c->value * 10000) / 10000);
	else
		strcpy(cell, "n/a");
}

/* what: the kind of loss. */
static void loss_cell(char *cell, const void *of, size_t row, int what)
{
	const struct result *r = of;
	const struct num *n = number_of(&r->summary[row].total, &losses[what]);

	if (n->known)
		format_count(cell, TEXT_CELL_MAX, n->value);
	else
		strcpy(cell, "n/a");
}

static bool any_loss(const struct result *r, const struct loss *l)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->summary_nr; i++)
		sum |= number_of(&r->summary[i].total, l)->known
			       ? number_of(&r->summary[i].total, l)->value
			       : 0;
	return sum;
}

void text_quality__losses(FILE *f, const struct result *r, unsigned int columns)
{
	struct text_cells t;
	char label[32];

	snprintf(label, sizeof(label), "%u probe%s", r->probes, plural(r->probes));
	text_tables__begin(&t, r, label, 1);
	text_cells__add(&t, "coverage", false, coverage_cell, r, 0);
	for (size_t i = 0; i < LOSSES_NR; i++)
		if (losses[i].always || any_loss(r, &losses[i]))
			text_cells__add(&t, losses[i].word, false, loss_cell, r, (int)i);
	text_cells__print(f, &t, columns);
}

/* What the losses of any mode mean. */
void text_quality__say_meanings(FILE *f, const struct result *r)
{
	bool by_sequence = true, unexplained = false;

	for (size_t m = 0; m < r->summary_nr; m++) {
		const struct run_result *run = &r->summary[m].total;

		by_sequence &= run->sequence.source != NULL;
		unexplained |= is_unexplained(run);
	}
	for (size_t i = 0; i < LOSSES_NR; i++)
		if (any_loss(r, &losses[i]))
			fprintf(f, "%s ",
				i || by_sequence ? losses[i].meaning
						 : MISSED
					"Bytes and times of these events are missing here.");
	if (unexplained)
		fputs("Coverage: events of some bytes were not seen, though none was refused. "
		      "Another tool that attaches or detaches programs meanwhile has this effect.",
		      f);
}

/* Are events of a stage attached that were watched a part of the time? */
static bool is_sampled(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];

	return s->quality != QUALITY_UNAVAILABLE && !s->no_events &&
	       run_result__sampled_events(run, stage) && run_result__events_share(run).known;
}

static bool any_sampled(const struct run_result *run)
{
	return is_sampled(run, NIO_STAGE_TX_COPY) || is_sampled(run, NIO_STAGE_RX_COPY);
}

void text_quality__say_sampling(FILE *f, const struct result *r)
{
	bool any = false;

	for (size_t i = 0; i < r->summary_nr; i++)
		any |= any_sampled(&r->summary[i].total);
	if (any)
		fputs("sizes of these events; the sockets count the bytes (--count-calls watches "
		      "all). ",
		      f);
}

void text_quality__say_sampled(FILE *f, const struct run_result *run)
{
	bool sending = is_sampled(run, NIO_STAGE_TX_COPY);
	bool receiving = is_sampled(run, NIO_STAGE_RX_COPY);

	if (any_sampled(run))
		fprintf(f, "%s: %s%s%s, watched %.0f %% of the time. ", mode__words(run->mode),
			sending ? "sending" : "", sending && receiving ? " and " : "",
			receiving ? "receiving" : "", run_result__events_share(run).value * 100);
}

void text_quality__say_uncovered(FILE *f, const struct run_result *run)
{
	char buf[UNITS_BUF];

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			const struct nio_uncovered *u = &run->uncovered[side][kind];

			if (u->events)
				fprintf(f, "%s %s at the %s %s. ", mode__words(run->mode),
					format_bytes_si(buf, sizeof(buf), (double)u->bytes),
					side == NIO_SIDE_SENDER ? "sender" : "receiver",
					unsupported_paths__text((enum nio_uncovered_kind)kind));
		}
	}
}
