/* SPDX-License-Identifier: GPL-2.0-only */
/* The content and order of a report. Pure, except for the stream. */
#ifndef REPORT_BODY_H
#define REPORT_BODY_H

#include "doc.h"
#include "figure.h"
#include "study/analysis.h"
#include "study/answer.h"

/* A flame graph for each mode, and one of two-copy beside zero-copy. */
#define FLAME_DIFFERENCE MODE_NR
#define FLAME_NR         (MODE_NR + 1)

/* A picture that gnuplot does not draw. */
struct drawing {
	char name[48]; /* of its file, without suffix: "diagram-..." */
	char *svg;     /* NULL: the data has no ledger or no samples for it */
};

struct report {
	char *source;    /* name of the directory or file */
	const char *raw; /* the data, from the report's directory; NULL: not beside it */
	const struct analysis *a;
	const struct answer_text *answers;
	struct figure figures[FIGURE_NR];
	struct drawing diagrams[MODE_NR];
	struct drawing flames[FLAME_NR];
	char *system;
	char *command; /* that repeats the report */
};

/* Writes the whole report. */
void body__write(const struct doc_form *form, FILE *f, const struct report *r);

#endif
