/* SPDX-License-Identifier: GPL-2.0-only */
/* How the report writes numbers, cells and differences. Pure; writers fill buf and return it. */
#ifndef STUDY_PHRASES_H
#define STUDY_PHRASES_H

#include "analysis.h"

#define PHRASE_BUF 128

const char *phrases__mode(enum mode mode);                           /* "two-copy" */
char *phrases__threads(char *buf, size_t len, unsigned int threads); /* "1 thread", "threads n/a" */
char *phrases__cell(char *buf, size_t len,
		    const struct cell *cell); /* "two-copy, 64 KiB, 8 threads" */

/*
 * 4 digits and no exponent: "12.10", "365.3", "0.01234"; full digits from 1 000 on, grouped by
 * thousands. For finite numbers only.
 */
char *phrases__number(char *buf, size_t len, double value);
/* With sign and 3 digits: "+62.5", "-1234". */
char *phrases__signed(char *buf, size_t len, double value);
/* With unit: "365.3 Gbit/s", "12.4 us", "1 345 183 760"; "n/a" for NaN. */
char *phrases__value(char *buf, size_t len, enum metric m, double value);
/* "12.10 Gbit/s (11.80 to 12.40)"; of one run "12.10 Gbit/s"; "n/a". */
char *phrases__estimate(char *buf, size_t len, enum metric m, const struct estimate *e);
/* The interval alone, without unit: "11.80 to 12.40", "one run", "n/a". */
char *phrases__interval(char *buf, size_t len, enum metric m, const struct estimate *e);
/* "+4.4 %", "x 12.0" from tenfold on; "n/a". */
char *phrases__change(char *buf, size_t len, double change);
/* "+2.1 % to +6.0 %", "x 7.66 to x 17.2" from tenfold on; "" without an interval. */
char *phrases__change_interval(char *buf, size_t len, double low, double high);
/* The change of a finding, with its interval if there is a difference: "+4.4 %; +2.1 % to +6.0 %".
 */
char *phrases__change_of(char *buf, size_t len, const struct finding *f);
/*
 * A finding: "+4.4 %; +2.1 % to +6.0 %", "no difference", "+4.4 %, point difference", "+4.4 %, too
 * few rounds", "n/a". "no difference" has no figure.
 */
char *phrases__finding(char *buf, size_t len, const struct finding *f);
/* "x 12.0"; "n/a". */
char *phrases__factor(char *buf, size_t len, double from, double to);

#endif
