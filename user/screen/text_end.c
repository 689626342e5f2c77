/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of a run: the answer, its figures, checks, and what was not seen, in as many lines as a
 * screen has. Nothing is measured here.
 */
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "model/figures.h"
#include "text_end.h"
#include "text_cells.h"

#define COLUMNS_MIN   40
#define COLUMNS_FULL  80
#define COLUMNS_MAX   120 /* longer lines are hard to read */
#define LINES_MIN     4
#define LINES_FULL    23 /* of a terminal of 24, which keeps one for the prompt */
#define LINES_MAX     30
#define LINES_ALL     1000 /* the details follow: nothing is left out */
#define RESULT_MIN    3    /* of COLUMNS_FULL */
#define RESULT_WANTED 6
#define LABEL_COLS    9 /* of RESULT and the notes */
#define NOTES_MIN     3 /* CHECKED, COUNTED and NOT SEEN */
#define NOTES_WANTED  4
#define CHECKED_MAX   3
#define COUNTED_MAX   2
#define WORDS_MAX     4
#define ALARM_MAX     4

enum part {
	PART_HEAD,
	PART_RESULT,
	PART_MODES,
	PART_LATENCY,
	PART_CPU,
	PART_NOTES,
	PART_WORDS,
	PART_NR,
};

struct end {
	const struct result *r;
	unsigned int columns, lines;
	bool details;
	bool left_out[PART_NR];
	char *text[PART_NR];
};

/* On a small terminal the head has one line, so that the answer has the others. */
static void print_item(FILE *f, const struct end *e, size_t *used, const char *item)
{
	if (e->lines >= LINES_FULL || !*used || *used + 3 + strlen(item) <= e->columns)
		text_item__print(f, e->columns, used, item);
}

static void print_load(FILE *f, const struct end *e, size_t *used)
{
	const struct run_result *run = &e->r->summary[0].total;
	char size[UNITS_BUF], header[UNITS_BUF], more[64] = "", connections[32] = "", item[256];

	if (e->r->workload.header)
		snprintf(more, sizeof(more), ", header of %s",
			 format_size(header, sizeof(header), e->r->workload.header));
	if (run->connections > run->threads)
		snprintf(connections, sizeof(connections), ", %u connections", run->connections);
	snprintf(item, sizeof(item), "%s messages, %u field%s, %u thread%s%s%s",
		 format_size(size, sizeof(size), run->size), run->fields, plural(run->fields),
		 run->threads, plural(run->threads), more, connections);
	print_item(f, e, used, item);
}

/* Kernels' versions are without the builder's suffix; details and JSON have all of it. */
static void print_head(FILE *f, const struct end *e)
{
	const struct result *r = e->r;
	char kernel[160], item[192];
	size_t used = 0;

	snprintf(item, sizeof(item), "netiotrace %.32s", r->version ? r->version : "");
	print_item(f, e, &used, item);
	if (rounds__ended_early(r)) {
		snprintf(item, sizeof(item), "%s: %u of %u round%s",
			 r->failure[0] ? "FAILED" : "INTERRUPTED", rounds__complete(r), r->rounds,
			 plural(r->rounds));
		print_item(f, e, &used, item);
	}
	figures__kernel(kernel, sizeof(kernel), &r->env);
	kernel[strcspn(kernel, "-")] = '\0';
	snprintf(item, sizeof(item), "%s%s%s", kernel, r->env.path[0] ? ", " : "", r->env.path);
	print_item(f, e, &used, item);
	if (r->env.receiver) {
		snprintf(item, sizeof(item), "%.48s to %.48s (Linux %.*s)", r->env.machine.host,
			 r->env.receiver->machine.host, (int)strcspn(r->env.receiver->kernel, "-"),
			 r->env.receiver->kernel);
		print_item(f, e, &used, item);
	}
	if (r->summary_nr)
		print_load(f, e, &used);
	fputc('\n', f);
}

/* One direction of a run that does not balance: what the application counted, what the kernel did.
 */
static void print_gap(FILE *f, const char *done, uint64_t bytes, int64_t unaccounted,
		      const char *by)
{
	char own[UNITS_BUF], kernels[UNITS_BUF];

	if (!unaccounted)
		return;
	fprintf(f, " Of %s B %s, %s %s B.", format_count(own, sizeof(own), bytes), done, by,
		format_count(kernels, sizeof(kernels), bytes - (uint64_t)unaccounted));
}

static void print_unbalanced(FILE *f, const struct run_result *run)
{
	const char *by = run->sequence.source ? "sequence numbers count" : "events booked";

	if (!run_result__unbalanced(run))
		return;
	fprintf(f, "THE BOOKS DO NOT BALANCE in round %u of %s.", run->round,
		mode__words(run->mode));
	print_gap(f, "sent", run_result__sent(run), run->unaccounted_tx, by);
	print_gap(f, "received", run_result__received(run), run->unaccounted_rx, by);
	fprintf(f, " The stages are lower bounds.");
}

/* Where the books do not balance, that comes before all else. */
static void print_alarm(FILE *f, const struct end *e)
{
	const struct text_note_form form = {.separator = " ",
					    .cut = " More rounds do not balance.",
					    .columns = e->columns,
					    .lines = e->lines < LINES_MAX ? ALARM_MAX - 1
									  : ALARM_MAX};
	struct text_note l;

	text_note__begin(&l);
	for (size_t i = 0; i < e->r->runs_nr; i++) {
		print_unbalanced(l.f, &e->r->runs[i]);
		text_note__next(&l);
	}
	text_note__fit(&l, f, &form);
}

static unsigned int clamp(unsigned int v, unsigned int low, unsigned int high)
{
	return v < low ? low : v > high ? high : v;
}

static void print_part(FILE *f, const struct end *e, enum part part, unsigned int lines)
{
	switch (part) {
	case PART_HEAD:
		print_alarm(f, e);
		print_head(f, e);
		return;
	case PART_RESULT:
		text_result__print(f, e->r, e->columns, lines, e->left_out[PART_NOTES]);
		return;
	case PART_MODES:
		text_tables__modes(f, e->r, e->columns);
		return;
	case PART_LATENCY:
		text_tables__latency(f, e->r, e->columns);
		return;
	case PART_CPU:
		text_tables__cpu(f, e->r, e->columns);
		return;
	case PART_WORDS:
		text_notes__words(f, e->r, e->columns, lines);
		return;
	default: /* the last line is for what was not seen; the details have all of it */
		lines -= text_notes__checked(f, e->r, e->columns, clamp(lines - 2, 1, CHECKED_MAX));
		lines -=
			text_notes__followed(f, e->r, e->columns, clamp(lines - 1, 1, COUNTED_MAX));
		lines -= text_notes__counted(f, e->r, e->columns, clamp(lines - 1, 1, COUNTED_MAX));
		if (!e->details)
			text_notes__unseen(f, e->r, e->columns, lines);
	}
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Returns the lines of the part. */
static unsigned int make(struct end *e, enum part part, unsigned int lines)
{
	size_t len;
	FILE *f = xopen_memstream(&e->text[part], &len);

	print_part(f, e, part, lines);
	xclose_memstream(f);
	return lines_of(e->text[part]);
}

/* Lines that hold as much text as these of COLUMNS_FULL. */
static unsigned int lines_as_long(const struct end *e, unsigned int lines)
{
	unsigned int text = lines * (COLUMNS_FULL - LABEL_COLS), width = e->columns - LABEL_COLS;

	return e->columns < COLUMNS_FULL ? (text + width - 1) / width : lines;
}

/* Leaves parts out until RESULT has what it needs at least. Returns what is left for RESULT. */
static int make_room(struct end *e, int room)
{
	/* Details first, then whether the figures hold, then the figures. */
	static const enum part order[] = {PART_CPU, PART_LATENCY, PART_NOTES, PART_MODES};
	int needed[PART_NR] = {[PART_NOTES] = (int)lines_as_long(e, NOTES_MIN)};
	int result = (int)lines_as_long(e, RESULT_MIN);

	for (enum part p = PART_MODES; p <= PART_CPU; p++)
		needed[p] = (int)make(e, p, 0);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		room -= needed[order[i]];
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && room < result; i++) {
		e->left_out[order[i]] = true;
		room += needed[order[i]];
	}
	return room + (e->left_out[PART_NOTES] ? 0 : needed[PART_NOTES]);
}

/*
 * Makes all parts. RESULT and the notes share the lines that the head and the tables leave. Blank
 * lines are between the parts, as far as that leaves RESULT and the notes what they want. Returns
 * the lines that are left. The words that explain them get no blank line, and are left out first.
 */
static int make_all(struct end *e)
{
	int room = (int)e->lines - (int)make(e, PART_HEAD, 0), blanks = 0, lines;
	int wanted = (int)lines_as_long(e, NOTES_WANTED), least = (int)lines_as_long(e, RESULT_MIN);

	if (!e->r->summary_nr)
		return room - (int)make(e, PART_RESULT, RESULT_WANTED);
	room = make_room(e, room);
	if (e->left_out[PART_NOTES])
		return room - (int)make(e, PART_RESULT, (unsigned int)(room > 1 ? room : 1));
	while (blanks < PART_NR - 2 &&
	       room - 1 - blanks > (int)lines_as_long(e, RESULT_WANTED) + wanted)
		blanks++;
	lines = room - blanks - wanted;
	room -= (int)make(e, PART_RESULT, (unsigned int)(lines > least ? lines : least));
	lines = room - blanks;
	room -= (int)make(e, PART_NOTES, (unsigned int)(lines > NOTES_MIN ? lines : NOTES_MIN));
	/* The words get what is left. */
	lines = room - blanks;
	e->left_out[PART_WORDS] = lines < 1;
	return lines < 1
		       ? room
		       : room - (int)make(e, PART_WORDS, clamp((unsigned int)lines, 1, WORDS_MAX));
}

void text_end__print(const struct result *r, FILE *f, const struct text_end_form *form)
{
	/* In the order in which parts get a blank line. */
	static const enum part parts[] = {PART_RESULT, PART_MODES, PART_NOTES, PART_LATENCY,
					  PART_CPU};
	struct end e = {
		.r = r,
		.details = form->details,
		.columns = clamp(form->columns, COLUMNS_MIN, COLUMNS_MAX),
		.lines = form->details ? LINES_ALL
			 : form->rows  ? clamp(form->rows - 1, LINES_MIN, LINES_MAX)
				       : LINES_MAX,
	};
	int left = make_all(&e);
	bool blank[PART_NR] = {false};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && left > 0; i++) {
		blank[parts[i]] = !e.left_out[parts[i]] && e.text[parts[i]] && *e.text[parts[i]];
		left -= blank[parts[i]];
	}
	for (int p = 0; p < PART_NR; p++) {
		if (e.text[p] && !e.left_out[p])
			fprintf(f, "%s%s", blank[p] ? "\n" : "", e.text[p]);
		free(e.text[p]);
	}
}
