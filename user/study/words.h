/* SPDX-License-Identifier: GPL-2.0-only */
/* How the report writes numbers, cells and differences. Pure; writers fill buf and return it. */
#ifndef NETIOTRACE_WORDS_H
#define NETIOTRACE_WORDS_H

#include "analysis.h"

#define WORDS_BUF 128

const char *words__mode(enum mode mode);                           /* "two-copy" */
char *words__threads(char *buf, size_t len, unsigned int threads); /* "1 thread", "threads n/a" */
char *words__cell(char *buf, size_t len,
		  const struct cell *cell); /* "two-copy, 64 KiB, 8 threads" */

/*
 * 4 digits and no exponent: "12.10", "365.3", "0.01234"; thousands apart from 1 000 on, in full.
 * Neither NaN nor infinite.
 */
char *words__number(char *buf, size_t len, double value);
/* With sign and 3 digits: "+62.5", "-1234". */
char *words__signed(char *buf, size_t len, double value);
/* With unit: "365.3 Gbit/s", "12.4 us", "1 345 183 760"; "n/a" for NaN. */
char *words__value(char *buf, size_t len, enum metric m, double value);
/* "12.10 Gbit/s (11.80 to 12.40)"; of one run "12.10 Gbit/s"; "n/a". */
char *words__estimate(char *buf, size_t len, enum metric m, const struct estimate *e);
/* The interval alone, without unit: "11.80 to 12.40", "one run", "n/a". */
char *words__interval(char *buf, size_t len, enum metric m, const struct estimate *e);
/* "+4.4 %", "x 12.0" from tenfold on; "n/a". */
char *words__change(char *buf, size_t len, double change);
/* "+2.1 % to +6.0 %", "x 7.66 to x 17.2" to tenfold and more; "" when there is no interval. */
char *words__change_interval(char *buf, size_t len, double low, double high);
/*
 * What may be said of a claim: "+4.4 %, +2.1 % to +6.0 %", "no difference", "+4.4 %, point
 * difference", "+4.4 %, too few rounds", "n/a". No figure stands beside "no difference".
 */
char *words__claim(char *buf, size_t len, const struct claim *c);
/* "x 12.0"; "n/a". */
char *words__factor(char *buf, size_t len, double from, double to);

#endif
