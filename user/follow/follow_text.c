/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of follow, and its progress. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "follow_result.h"
#include "screen/text_note.h"

#define FRAMES_SHOWN 5
#define NEAR_WHOLE   0.1 /* of a number of copies that is said as a word */

static const char *times(double per_byte)
{
	static const char *const words[] = {"never", "once", "twice", "three times", "four times"};
	double whole = round(per_byte);

	if (whole > 4 || fabs(per_byte - whole) > NEAR_WHOLE)
		return NULL;
	return words[(int)whole];
}

static void say_number(FILE *f, const struct follow_estimate *e)
{
	fprintf(f, "%.2f (%.2f to %.2f) copies per byte", e->per_byte.value, e->low, e->high);
}

static const char *name_of(const struct follow_result *r)
{
	static char name[16];

	return r->comm[0] ? printable(name, sizeof(name), r->comm) : "the program";
}

/* The function that calls for the copy: not one of the C library. */
static const struct frame *caller_of(const struct follow_site *s)
{
	for (uint32_t i = 0; i < s->frames.nr; i++) {
		const struct frame *f = &s->frames.frame[i];

		if (f->function[0] && strncmp(f->object, "libc.so", 7) != 0 &&
		    strncmp(f->function, "__mem", 5) != 0 && strncmp(f->function, "mem", 3) != 0)
			return f;
	}
	return NULL;
}

static void say_result(FILE *f, const struct follow_result *r)
{
	struct follow_estimate e = follow_result__estimate(r);
	const struct frame *caller = r->sites_nr ? caller_of(&r->sites[0]) : NULL;
	const char *word = e.per_byte.known ? times(e.per_byte.value) : NULL;

	if (!e.per_byte.known) {
		fprintf(f,
			"how often %s copies what it receives is unknown: %u byte%s followed, "
			"%d are needed.",
			name_of(r), follow_result__followed(r),
			follow_result__followed(r) == 1 ? " was" : "s were", FOLLOW_NEEDED);
		return;
	}
	fprintf(f, "%s ", name_of(r));
	if (word && !strcmp(word, "never"))
		fputs("does not copy what it receives in user space: ", f);
	else if (word)
		fprintf(f, "copies what it receives %s in user space: ", word);
	else
		fputs("copies what it receives in user space: ", f);
	say_number(f, &e);
	if (caller && e.per_byte.value > NEAR_WHOLE)
		fprintf(f, ", most often in %s", caller->function);
	fputc('.', f);
}

static void say_received(FILE *f, const struct follow_result *r)
{
	struct follow_estimate e = follow_result__estimate(r);
	unsigned int known = follow_result__followed(r), unknown = follow_result__unknown(r);

	if (e.per_byte.known)
		fprintf(f, "%.2f copies per byte   ", e.per_byte.value);
	else
		fputs("n/a: ", f);
	fprintf(f, "%u byte%s followed, %u unknown", known, plural(known), unknown);
	if (!e.per_byte.known && r->unseen)
		fprintf(f, "; %s", r->unseen);
}

static void say_ends(FILE *f, const struct follow_result *r)
{
	const char *between = "";

	for (int i = 0; i < CHAIN_ENDS_NR; i++) {
		if (!r->ends[i] || i == CHAIN_NONE)
			continue;
		fprintf(f, "%s%u %s", between, r->ends[i], chain_end__text((enum chain_end)i));
		between = ", ";
	}
}

/* The program is disturbed: how much. */
static void say_cost(FILE *f, const struct follow_result *r)
{
	char longest[UNITS_BUF], each[UNITS_BUF];

	if (!r->stops || !r->duration_ns) {
		fputs("no thread was stopped", f);
		return;
	}
	fprintf(f,
		"%" PRIu64 " stop%s of a thread, %s each, longest %s; together %.2g %% of the time",
		r->stops, plural(r->stops),
		format_ns(each, sizeof(each), (double)r->stopped_ns / (double)r->stops),
		format_ns(longest, sizeof(longest), (double)r->longest_ns),
		100 * (double)r->stopped_ns / (double)r->duration_ns);
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

static void say_site(FILE *f, const struct follow_site *s)
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

static void print_sites(FILE *out, unsigned int columns, const struct follow_result *r)
{
	for (size_t i = 0; i < r->sites_nr && i < r->o->top; i++) {
		struct text_note n;
		char label[16];

		text_note__begin(&n);
		say_site(n.f, &r->sites[i]);
		snprintf(label, sizeof(label), "  %3.0f %%", 100.0 * r->sites[i].nr / r->copies);
		text_note__end(&n, out, columns, label);
	}
	if (r->sites_nr > r->o->top)
		fprintf(out, "          %zu more places: --top\n", r->sites_nr - (size_t)r->o->top);
}

static void print_note(FILE *out, unsigned int columns, const struct follow_result *r,
		       const char *label, void (*say)(FILE *f, const struct follow_result *r))
{
	struct text_note n;

	text_note__begin(&n);
	say(n.f, r);
	text_note__end(&n, out, columns, label);
}

static void say_early(FILE *f, const struct follow_result *r)
{
	if (r->ended_early)
		fprintf(f, "%s.", r->ended_early);
}

void follow_result__print(FILE *f, unsigned int columns, const struct follow_result *r)
{
	print_note(f, columns, r, "RESULT", say_result);
	print_note(f, columns, r, "", say_early);
	fputc('\n', f);
	print_note(f, columns, r, "received", say_received);
	print_sites(f, columns, r);
	print_note(f, columns, r, "ends", say_ends);
	print_note(f, columns, r, "cost", say_cost);
}

void follow_result__print_progress(FILE *f, const struct follow_result *r, unsigned int expected)
{
	struct follow_estimate e = follow_result__estimate(r);

	fprintf(f, "%6.1f s  %u of about %u bytes followed, %u unknown",
		(double)r->duration_ns / 1e9, follow_result__followed(r), expected,
		follow_result__unknown(r));
	if (e.per_byte.known) {
		fputs("; ", f);
		say_number(f, &e);
	}
	fputc('\n', f);
}
