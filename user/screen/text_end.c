/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of a run: the answer, the figures it rests on, what was checked, what was not seen; in as
 * many lines as a screen has. Nothing is measured here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/figures.h"
#include "text.h"
#include "text_end.h"
#include "text_list.h"

#define COLUMNS_MIN   80
#define COLUMNS_MAX   120 /* longer lines are hard to read */
#define LINES_MIN     23  /* of a terminal of 24, which keeps one for the prompt */
#define LINES_MAX     30
#define RESULT_MIN    3
#define RESULT_WANTED 6
#define NOTES_MIN     3 /* CHECKED, COUNTED and NOT SEEN */
#define NOTES_WANTED  4
#define CHECKED_MAX   3
#define ALARM_MAX     4

enum part {
	PART_HEAD,
	PART_RESULT,
	PART_MODES,
	PART_LATENCY,
	PART_CPU,
	PART_NOTES,
	PART_NR,
};

struct end {
	const struct result *r;
	const struct text_end_form *form;
	unsigned int columns, lines;
	char *text[PART_NR];
	unsigned int blank; /* blank lines before parts: 1 << enum part */
};

/* Prints an item two spaces behind those before it, or on the next line where it does not fit. */
static void print_item(FILE *f, const struct end *e, size_t *used, const char *item)
{
	size_t len = strlen(item);

	if (*used && *used + 2 + len > e->columns) {
		fputc('\n', f);
		*used = 0;
	}
	fprintf(f, "%s%s", *used ? "  " : "", item);
	*used += len + (*used ? 2 : 0);
}

/* The kernel's version without what its builder added: details and JSON have the whole of it. */
static void print_where(FILE *f, const struct end *e, size_t *used)
{
	char kernel[160], item[192];

	figures__kernel(kernel, sizeof(kernel), &e->r->env);
	kernel[strcspn(kernel, "-")] = '\0';
	snprintf(item, sizeof(item), "%s%s%s", kernel, e->r->env.path[0] ? ", " : "",
		 e->r->env.path);
	print_item(f, e, used, item);
}

static void print_load(FILE *f, const struct end *e, size_t *used)
{
	const struct run_result *run = &e->r->summary[0].total;
	char size[UNITS_BUF], item[192];
	int n;

	n = snprintf(item, sizeof(item), "%s messages, %u field%s, %u thread%s",
		     format_size(size, sizeof(size), run->size), run->fields, plural(run->fields),
		     run->threads, plural(run->threads));
	if (e->r->traffic.header)
		n += snprintf(item + n, sizeof(item) - (size_t)n, ", header of %s",
			      format_size(size, sizeof(size), e->r->traffic.header));
	if (run->connections > run->threads)
		snprintf(item + n, sizeof(item) - (size_t)n, ", %u connections", run->connections);
	print_item(f, e, used, item);
}

static void print_head(FILE *f, const struct end *e)
{
	const struct result *r = e->r;
	char item[64];
	size_t used = 0;

	snprintf(item, sizeof(item), "netiotrace %.32s", r->version ? r->version : "");
	print_item(f, e, &used, item);
	if (text_rounds__ended_early(r)) {
		snprintf(item, sizeof(item), "%s: %u of %u round%s",
			 r->failure[0] ? "FAILED" : "INTERRUPTED", text_rounds__complete(r),
			 r->rounds, plural(r->rounds));
		print_item(f, e, &used, item);
	}
	print_where(f, e, &used);
	if (r->summary_nr)
		print_load(f, e, &used);
	fputc('\n', f);
}

/* Where the books do not balance, that comes before all else. */
static int print_alarm(FILE *f, const struct end *e)
{
	const struct text_list_form form = {.separator = " ",
					    .cut = " More rounds do not balance.",
					    .columns = e->columns,
					    .lines = e->lines < LINES_MAX ? ALARM_MAX - 1
									  : ALARM_MAX};
	struct text_list l;
	int err = text_list__begin(&l);

	if (err)
		return err;
	for (size_t i = 0; i < e->r->runs_nr; i++) {
		text_books__alarm(l.f, &e->r->runs[i]);
		text_list__next(&l);
	}
	return text_list__end(&l, f, &form);
}

/* Takes the lines that it uses from *left. */
static int print_checked(FILE *f, const struct end *e, unsigned int most, unsigned int *left)
{
	char *checked = NULL;
	size_t len;
	FILE *m = open_memstream(&checked, &len);
	int err = m ? text_checked__print(m, e->r, e->columns, most) : -ENOMEM;

	if (m && fclose(m))
		err = -ENOMEM;
	if (!err) {
		*left -= text_lines(checked);
		fputs(checked, f);
	}
	free(checked);
	return err;
}

static int print_notes(FILE *f, const struct end *e, unsigned int lines)
{
	unsigned int left = lines;
	char *counted = NULL;
	size_t len;
	FILE *m = open_memstream(&counted, &len);
	int err = m ? text_counted__print(m, e->r, e->columns, lines > NOTES_WANTED ? 2 : 1)
		    : -ENOMEM;

	if (m && fclose(m))
		err = -ENOMEM;
	if (!err) {
		left -= text_lines(counted);
		err = print_checked(f, e, left > CHECKED_MAX ? CHECKED_MAX : left - 1, &left);
	}
	if (!err) {
		fputs(counted, f);
		err = text_unseen__print(f, e->r, e->columns, left, e->form->details);
	}
	free(counted);
	return err;
}

static int print_part(FILE *f, const struct end *e, enum part part, unsigned int lines)
{
	int err;

	switch (part) {
	case PART_HEAD:
		err = print_alarm(f, e);
		print_head(f, e);
		return err;
	case PART_RESULT:
		return text_result__print(f, e->r, e->columns, lines);
	case PART_MODES:
		text_tables__modes(f, e->r, e->columns);
		return 0;
	case PART_LATENCY:
		text_tables__latency(f, e->r, e->columns);
		return 0;
	case PART_CPU:
		text_tables__cpu(f, e->r, e->columns);
		return 0;
	default:
		return print_notes(f, e, lines);
	}
}

static int make(struct end *e, enum part part, unsigned int lines)
{
	size_t len;
	FILE *f = open_memstream(&e->text[part], &len);
	int err = f ? print_part(f, e, part, lines) : -ENOMEM;

	return f && fclose(f) ? -ENOMEM : err;
}

static unsigned int lines_used(const struct end *e)
{
	unsigned int lines = 0;

	for (int p = 0; p < PART_NR; p++)
		lines += (e->text[p] ? text_lines(e->text[p]) : 0) + !!(e->blank & 1u << p);
	return lines;
}

/* Lines that are left for RESULT and the notes; blank lines make room for them. */
static unsigned int make_room(struct end *e)
{
	static const enum part least[] = {PART_CPU, PART_LATENCY, PART_NOTES, PART_MODES,
					  PART_RESULT};

	if (!e->text[PART_CPU] || !*e->text[PART_CPU])
		e->blank &= ~(1u << PART_CPU);
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		if (lines_used(e) + RESULT_WANTED + NOTES_WANTED <= e->lines)
			break;
		e->blank &= ~(1u << least[i]);
	}
	return lines_used(e) + RESULT_MIN + NOTES_MIN < e->lines ? e->lines - lines_used(e)
								 : RESULT_MIN + NOTES_MIN;
}

/* Blank lines that there is room for after all, around the answer first. */
static void spread_out(struct end *e)
{
	static const enum part most[] = {PART_RESULT, PART_MODES, PART_NOTES, PART_LATENCY,
					 PART_CPU};

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
		if (lines_used(e) < e->lines && e->text[most[i]] && *e->text[most[i]])
			e->blank |= 1u << most[i];
}

static int make_measured(struct end *e)
{
	static const enum part fixed[] = {PART_MODES, PART_LATENCY, PART_CPU};
	unsigned int room;
	int err = 0;

	e->blank = (1u << PART_RESULT) | (1u << PART_MODES) | (1u << PART_LATENCY) |
		   (1u << PART_CPU) | (1u << PART_NOTES);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]) && !err; i++)
		err = make(e, fixed[i], 0);
	if (err)
		return err;
	room = make_room(e);
	err = make(e, PART_RESULT,
		   room > RESULT_MIN + NOTES_WANTED ? room - NOTES_WANTED : RESULT_MIN);
	if (err)
		return err;
	err = make(e, PART_NOTES, room - text_lines(e->text[PART_RESULT]));
	spread_out(e);
	return err;
}

static void print_all(FILE *f, const struct end *e)
{
	for (int p = 0; p < PART_NR; p++) {
		if (!e->text[p] || !*e->text[p])
			continue;
		fprintf(f, "%s%s", e->blank & 1u << p ? "\n" : "", e->text[p]);
	}
}

static unsigned int clamp(unsigned int v, unsigned int low, unsigned int high)
{
	return v < low ? low : v > high ? high : v;
}

int text_end__print(const struct result *r, FILE *f, const struct text_end_form *form)
{
	struct end e = {
		.r = r,
		.form = form,
		.columns = clamp(form->columns, COLUMNS_MIN, COLUMNS_MAX),
		.lines = form->rows ? clamp(form->rows - 1, LINES_MIN, LINES_MAX) : LINES_MAX,
	};
	int err = make(&e, PART_HEAD, 0);

	if (!err && r->summary_nr) {
		err = make_measured(&e);
	} else if (!err) {
		e.blank = 1u << PART_RESULT;
		err = make(&e, PART_RESULT, RESULT_WANTED);
	}
	if (!err)
		print_all(f, &e);
	for (int p = 0; p < PART_NR; p++)
		free(e.text[p]);
	return err;
}
