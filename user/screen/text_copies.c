/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The final text on what the copies' bytes do not tell: where deferred copies ran, who made the
 * unexpected copies, how zero-copy sends completed. Everything is computed from the result
 * alone.
 */
#include "bpf/hist_layout.h"
#include "base/text_note.h"
#include "text.h"
#include "common/units.h"

#define PLACES_TOLD 3

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

static int print_deferred(FILE *f, unsigned int width, const struct result *r)
{
	const char *lead = "ran ";
	struct text_note n;
	size_t i, modes = 0;
	int err;

	for (i = 0; i < r->summary_nr; i++)
		modes += r->summary[i].total.places_nr > 0;
	err = text_note__begin(&n);
	if (err)
		return err;
	for (i = 0; i < r->summary_nr; i++) {
		if (!r->summary[i].total.places_nr)
			continue;
		if (modes > 1)
			fprintf(n.f, "%s: ", mode__name(r->summary[i].mode));
		fprintf(n.f, "%s", lead);
		print_places(n.f, &r->summary[i].total);
		fprintf(n.f, ". ");
	}
	return text_note__end(&n, f, width, "deferred");
}

static int print_others(FILE *f, unsigned int width, const struct result *r)
{
	const struct run_result *run;
	char bytes[UNITS_BUF], events[UNITS_BUF];
	const char *lead;
	struct text_note n;
	size_t i, c;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		for (c = 0, lead = ": "; c < run->others_nr; c++, lead = ", ") {
			fprintf(n.f, "%s%s%s %s in %s cop%s", c ? "" : mode__name(run->mode), lead,
				run->others[c].caller,
				format_bytes_si(bytes, sizeof(bytes), (double)run->others[c].bytes),
				format_count(events, sizeof(events), run->others[c].events),
				run->others[c].events == 1 ? "y" : "ies");
		}
		if (run->others_nr)
			fprintf(n.f, ". ");
	}
	return text_note__end(&n, f, width, "other");
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
static int print_completions(FILE *f, unsigned int width, const struct result *r)
{
	const struct run_result *run;
	struct text_note n;
	size_t i;
	int err;

	err = text_note__begin(&n);
	if (err)
		return err;
	for (i = 0; i < r->summary_nr; i++) {
		run = &r->summary[i].total;
		if (!run->kernel_zc_known || !run->notifications.known || !run->notifications.value)
			continue;
		print_completion_time(n.f, run);
		fprintf(n.f, "%.*f sends per notification. ",
			run->kernel_zc.completed < 10 * run->notifications.value,
			(double)run->kernel_zc.completed / (double)run->notifications.value);
	}
	return text_note__end(&n, f, width, "completion");
}

int text_copies__print(FILE *f, unsigned int width, const struct result *r)
{
	int err;

	err = print_deferred(f, width, r);
	if (!err)
		err = print_others(f, width, r);
	return err ? err : print_completions(f, width, r);
}
