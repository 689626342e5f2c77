/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of follow, and its progress. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "follow_result.h"
#include "screen/text_cells.h"
#include "write/followed_document.h"

#define FRAMES_SHOWN 5

static void print_times(FILE *f, unsigned int times)
{
	static const char *const words[] = {"", " once", " twice", " three times", " four times"};

	if (times < ARRAY_SIZE(words))
		fputs(words[times], f);
	else
		fprintf(f, " %u times", times);
}

/* As percent, rounded outwards. */
static void print_share(FILE *f, struct follow_range share)
{
	int decimals = share.high < 0.1;

	fprintf(f, "%g to %g %%", round_least(share.low * 100, decimals),
		round_most(share.high * 100, decimals));
}

static const char *name_of(const struct follow_result *r)
{
	static char name[16];

	return r->comm[0] ? printable(name, sizeof(name), r->comm) : "the program";
}

/* The function that calls for the copy. */
static const struct frame *caller_of(const struct follow_site *s)
{
	for (uint32_t i = 0; i < s->frames.nr; i++) {
		const struct frame *f = &s->frames.frame[i];

		if (f->function[0] && !followed_document__copies_for_others(f->function, f->object))
			return f;
	}
	return NULL;
}

static const struct {
	const char *label, *object; /* "copies WHAT once" */
} directions[] = {
	[NIO_FOLLOW_RECEIVED] = {"received", "what it receives"},
	[NIO_FOLLOW_SENT] = {"sent", "what it sends"},
};

static void print_answer(FILE *f, const struct follow_result *r, enum nio_follow_direction d,
			 const struct follow_estimate *e)
{
	static const char *const verbs[] = {
		[FOLLOW_DOES_NOT_COPY] = "does not copy",
		[FOLLOW_COPIES_SOME] = "copies some of",
		[FOLLOW_COPIES_MOST] = "copies most of",
		[FOLLOW_COPIES] = "copies",
	};

	if (e->answer == FOLLOW_UNKNOWN) {
		fprintf(f, "Whether %s copies %s cannot be told from %u bytes", name_of(r),
			directions[d].object, follow_copies__followed(&r->of[d]));
	} else {
		fprintf(f, "%s %s %s", name_of(r), verbs[e->answer], directions[d].object);
		print_times(f, e->times);
	}
	fputs(" in user space: ", f);
	print_share(f, e->said);
	fputs(" of the bytes", f);
}

static void print_known(FILE *f, const struct follow_result *r, enum nio_follow_direction d)
{
	struct follow_estimate e = follow_result__estimate(r, d);
	const struct follow_copies *c = &r->of[d];
	const struct frame *caller = c->sites_nr ? caller_of(&c->sites[0]) : NULL;

	print_answer(f, r, d, &e);
	if (caller)
		fprintf(f, ", most often in %s", caller->function);
	fputs(". ", f);
}

static void print_unknown(FILE *f, const struct follow_result *r)
{
	unsigned int received = follow_copies__followed(&r->of[NIO_FOLLOW_RECEIVED]),
		     sent = follow_copies__followed(&r->of[NIO_FOLLOW_SENT]);

	fprintf(f, "How often %s copies what it receives and sends is unknown: ", name_of(r));
	if (follow_result__disagrees(r))
		fputs(follow_result__estimate(r, NIO_FOLLOW_SENT).per_byte.reason, f);
	else if (!r->comm[0])
		fputs("no process was followed", f);
	else if (!r->of[NIO_FOLLOW_RECEIVED].bytes && !r->of[NIO_FOLLOW_SENT].bytes)
		fputs("follow saw no TCP payload. Follow while the program has traffic", f);
	else
		fprintf(f,
			"follow needs %d bytes of a direction and followed %u received and %u "
			"sent%s",
			FOLLOW_NEEDED, received, sent,
			r->ended_early ? "" : ". Follow for longer (--duration)");
	fputc('.', f);
}

static void print_result(FILE *f, const struct follow_result *r)
{
	bool known = false;

	for (enum nio_follow_direction d = 0; d < NIO_FOLLOW_DIRECTIONS; d++)
		if (follow_result__estimate(r, d).per_byte.known) {
			known = true;
			print_known(f, r, d);
		}
	if (!known)
		print_unknown(f, r);
}

static void print_estimate(FILE *f, const struct follow_result *r, enum nio_follow_direction d)
{
	const struct follow_copies *c = &r->of[d];
	struct follow_estimate e = follow_result__estimate(r, d);
	unsigned int known = follow_copies__followed(c), unknown = follow_copies__unknown(c);

	if (e.per_byte.known)
		fprintf(f, "%.2f (%.2f to %.2f) copies per byte   ", e.per_byte.value,
			round_least(e.mean.low, 2), round_most(e.mean.high, 2));
	else
		fputs("n/a: ", f);
	fprintf(f, "%u byte%s followed, %u unknown", known, plural(known), unknown);
	if (!e.per_byte.known && !follow_result__disagrees(r))
		fprintf(f, "; %s", e.per_byte.reason);
}

static void print_ends(FILE *f, const struct follow_copies *c)
{
	const char *between = "";

	for (int i = 0; i < CHAIN_ENDS_NR; i++) {
		if (!c->ends[i] || i == CHAIN_NONE)
			continue;
		fprintf(f, "%s%u %s", between, c->ends[i], chain_end__text((enum chain_end)i));
		between = ", ";
	}
}

/* The program is disturbed: how much. */
static void print_cost(FILE *f, const struct follow_result *r)
{
	char longest[UNITS_BUF], each[UNITS_BUF];

	if (!r->stops || !r->duration_ns) {
		fputs("no thread was stopped", f);
	} else {
		fprintf(f,
			"%" PRIu64
			" stop%s of a thread, %s each, longest %s; together %.2g %% of the time",
			r->stops, plural(r->stops),
			format_ns(each, sizeof(each), (double)r->stopped_ns / (double)r->stops),
			format_ns(longest, sizeof(longest), (double)r->longest_ns),
			100 * (double)r->stopped_ns / (double)r->duration_ns);
	}
	if (r->duration_ns)
		fprintf(f,
			"; polled a CPU for %.2g %% of the time, up to 4 ms on end between stops",
			100 * (double)r->polled_ns / (double)r->duration_ns);
}

static void print_frame(FILE *f, const struct frame *frame)
{
	if (frame->function[0])
		fputs(frame->function, f);
	else
		fprintf(f, "%s+0x%" PRIx64, frame->object[0] ? frame->object : "[no file]",
			frame->offset);
	if (frame->file[0])
		fprintf(f, " %s:%u", frame->file, frame->line);
}

static void print_site(FILE *f, const struct follow_site *s)
{
	fprintf(f, "%s%s  ", s->insn, s->kind == LINK_TRANSFORM ? " (changed)" : "");
	for (uint32_t i = 0; i < s->frames.nr && i < FRAMES_SHOWN; i++) {
		if (i)
			fputs(" < ", f);
		print_frame(f, &s->frames.frame[i]);
	}
	if (!s->frames.nr)
		fputs("[stack unknown]", f);
	if (s->from[0] && s->to[0])
		fprintf(f, "; %s to %s", s->from, s->to);
}

static void print_sites(FILE *out, unsigned int columns, const struct follow_copies *c,
			uint64_t top)
{
	for (size_t i = 0; i < c->sites_nr && i < top; i++) {
		struct text_note n;
		char label[16];

		text_note__begin(&n);
		print_site(n.f, &c->sites[i]);
		snprintf(label, sizeof(label), "  %3.0f %%", 100.0 * c->sites[i].nr / c->copies);
		text_note__end(&n, out, columns, label);
	}
	if (c->sites_nr > top)
		fprintf(out, "          %zu more places: --top\n", c->sites_nr - top);
}

static void print_note(FILE *out, unsigned int columns, const struct follow_result *r,
		       const char *label, void (*print)(FILE *f, const struct follow_result *r))
{
	struct text_note n;

	text_note__begin(&n);
	print(n.f, r);
	text_note__end(&n, out, columns, label);
}

static void print_early(FILE *f, const struct follow_result *r)
{
	if (r->ended_early)
		fprintf(f, "%s.", r->ended_early);
}

static void print_killed(FILE *f, const struct follow_result *r)
{
	if (r->killed)
		fprintf(f, "%u followed process%s ended by a signal: process %u by signal %d (%s).",
			r->killed, r->killed == 1 ? "" : "es", r->killed_pid, r->killed_by,
			strsignal(r->killed_by));
}

static void print_copies(FILE *f, unsigned int columns, const struct follow_result *r,
			 enum nio_follow_direction d)
{
	struct text_note n;

	text_note__begin(&n);
	print_estimate(n.f, r, d);
	text_note__end(&n, f, columns, directions[d].label);
	print_sites(f, columns, &r->of[d], r->o->top);
	text_note__begin(&n);
	print_ends(n.f, &r->of[d]);
	text_note__end(&n, f, columns, "  ends");
}

void follow_result__print(FILE *f, unsigned int columns, const struct follow_result *r)
{
	print_note(f, columns, r, "RESULT", print_result);
	print_note(f, columns, r, "", print_early);
	print_note(f, columns, r, "", print_killed);
	fputc('\n', f);
	for (enum nio_follow_direction d = 0; d < NIO_FOLLOW_DIRECTIONS; d++)
		print_copies(f, columns, r, d);
	print_note(f, columns, r, "cost", print_cost);
}

void follow_result__print_progress(FILE *f, const struct follow_result *r, unsigned int expected)
{
	fprintf(f, "%6.1f s  of about %u bytes:", (double)r->duration_ns / 1e9, expected);
	for (enum nio_follow_direction d = 0; d < NIO_FOLLOW_DIRECTIONS; d++) {
		struct follow_estimate e = follow_result__estimate(r, d);

		fprintf(f, "%s %s %u followed, %u unknown", d ? ";" : "", directions[d].label,
			follow_copies__followed(&r->of[d]), follow_copies__unknown(&r->of[d]));
		if (e.per_byte.known) {
			fprintf(f, ", %.2f (%.2f to %.2f) copies per byte, ", e.per_byte.value,
				round_least(e.mean.low, 2), round_most(e.mean.high, 2));
			print_share(f, e.copied);
			fputs(" of the bytes copied", f);
		}
	}
	fputc('\n', f);
}
