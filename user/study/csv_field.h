/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the header of a CSV file calls the numbers of a run: one table of fields, with their other
 * names and the units that a header may state. Pure.
 */
#ifndef STUDY_CSV_FIELD_H
#define STUDY_CSV_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "model/metric.h"

enum column_kind {
	COLUMN_IGNORED,
	COLUMN_METRIC,
	COLUMN_MODE,
	COLUMN_SIZE,
	COLUMN_FIELD_SIZE, /* of one field of a message */
	COLUMN_THREADS,
	COLUMN_ROUND,
	COLUMN_INTERRUPTED,
	COLUMN_VERDICT,
	COLUMN_ENVIRONMENT,
	COLUMN_FIELDS,
};

enum csv_dimension {
	DIMENSION_NONE, /* text */
	DIMENSION_COUNT,
	DIMENSION_RATE, /* Gbit/s */
	DIMENSION_NS,
	DIMENSION_S,
	DIMENSION_SIZE,  /* bytes; K is 1024 */
	DIMENSION_BYTES, /* bytes; K is 1000 */
};

/* How one name of a header is understood. */
struct csv_match {
	enum column_kind kind;
	enum metric metric; /* of COLUMN_METRIC */
	enum csv_dimension dimension;
	double scale;      /* a cell times scale is in the unit of the dimension */
	const char *field; /* its name in the table, or our own column */
	const char *unit;  /* of the cells; "": none */
	unsigned int rank; /* where two columns match one field the lower rank is read */
	bool assumed;      /* the name states no unit, and cells of this field need one */
};

/* false: no field has this name. *m is then of COLUMN_IGNORED. */
bool csv_field__match(const char *name, struct csv_match *m);

/* The scale of a unit after a number ("KiB", "ms", "Gbit/s"); NaN: the dimension lacks it. */
double csv_field__unit(const char *unit, enum csv_dimension dimension);

/* Are the two names the same but for case, blanks and punctuation? */
bool csv_field__same(const char *a, const char *b);

/* The i-th field of the table, for messages and documents; NULL: no more. */
const char *csv_field__name(size_t i);

#endif
