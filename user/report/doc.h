/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report as a sequence of headings, paragraphs, tables and pictures. body.c has the content;
 * html.c and markdown.c are its formats. Pure, except for the stream.
 */
#ifndef REPORT_DOC_H
#define REPORT_DOC_H

#include <stdio.h>

#include "study/analysis.h"
#include "study/answer.h"
#include "figure.h"

/* Prefix of the best mode's number in a table. */
#define REPORT_WINNER "\xe2\x98\x85 "

/* A heading or a picture of the report, to go to. */
struct report_link {
	const char *text;
	const char *picture; /* the name of its files; NULL: the heading whose text this is */
};

/* Text is plain: each form escapes it. */
struct report_form {
	void (*begin)(FILE *f, const char *title);
	void (*end)(FILE *f);
	void (*contents)(FILE *f, const struct report_link *links, size_t n);
	void (*heading)(FILE *f, int level, const char *text); /* its anchor: report_body__slug() */
	void (*paragraph)(FILE *f, const char *text);
	void (*strong)(FILE *f, const char *text); /* an emphasized paragraph */
	void (*list)(FILE *f, char *const *items, size_t n);
	void (*table_begin)(FILE *f, const char *const *heads, size_t n);
	void (*table_row)(FILE *f, const char *const *cells, size_t n);
	void (*table_end)(FILE *f);
	/* name: of its files; svg: the picture itself; alt: its replacement; caption: NULL for
	 * none. */
	void (*picture)(FILE *f, const char *name, const char *svg, const char *alt,
			const char *caption);
	void (*pair_begin)(FILE *f); /* two pictures beside each other, where they fit */
	void (*pair_end)(FILE *f);
	void (*links)(FILE *f, const char *before, const struct report_link *links, size_t n);
	void (*fold_begin)(FILE *f, const char *summary); /* a part that is closed at first */
	void (*fold_end)(FILE *f);
};

extern const struct report_form report_html;
extern const struct report_form report_markdown;

/* A flame graph for each mode, and one of two-copy beside zero-copy. */
#define FLAME_DIFFERENCE MODE_NR
#define FLAME_NR         (MODE_NR + 1)

/* Input of a report. */
struct report {
	char *source; /* name of the directory or file */
	const struct analysis *a;
	const struct answer_text *answers;
	struct figure figures[FIGURE_NR];
	char *figure_svg[FIGURE_NR];
	char *diagram_svg[MODE_NR]; /* NULL: no ledger of this mode */
	char *flame_svg[FLAME_NR];  /* NULL: no samples */
	char *system;
	char *command; /* that repeats the report */
};

/* Writes the whole report. */
void report_body__write(const struct report_form *form, FILE *f, const struct report *r);

/* "All cells" -> "all-cells": the anchor of a heading, as GitHub makes it of Markdown. */
void report_body__slug(char *buf, size_t len, const char *text);

/* "diagram-twocopy" */
const char *report_body__diagram_name(enum mode mode);
/* "diagram-flame-twocopy", ..., "diagram-flame-difference" */
const char *report_body__flame_name(int flame);

#endif
