/* SPDX-License-Identifier: GPL-2.0-only */
/* A cell of a CSV file as a number, as programs and spreadsheets write numbers. Pure. */
#ifndef NETIOTRACE_CSV_VALUE_H
#define NETIOTRACE_CSV_VALUE_H

#include <stdbool.h>

/* What a comma within a number means. */
enum csv_comma {
	COMMA_NONE,      /* no comma in it */
	COMMA_UNCLEAR,   /* "1,234" */
	COMMA_THOUSANDS, /* "1,234,567", "1,234.5" */
	COMMA_DECIMAL,   /* "0,65", "1.234,5" */
};

/* Which of them the number shows that text begins with. */
enum csv_comma csv_value__comma(const char *text);

/* Empty, n/a, nan, null, none, -, and perf's "<not supported>" and "<not counted>". */
bool csv_value__missing(const char *text);

/*
 * The decimal number at the start of text, blanks around it skipped; digits may be grouped by
 * threes. rest is what stands behind: a unit, or nothing. Missing text leaves *value alone. 0, or
 * -EINVAL: text begins with no finite number.
 */
int csv_value__parse(const char *text, enum csv_comma comma, double *value, const char **rest);

#endif
