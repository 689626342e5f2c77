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

/* With unit, 4 digits: "365.3 Gbit/s", "12.4 us", "1 345 183 760"; "n/a" for NaN. */
char *words__value(char *buf, size_t len, enum metric m, double value);
/* "12.1 Gbit/s (11.8 to 12.4)", "12.1 Gbit/s (one run)", "n/a". */
char *words__estimate(char *buf, size_t len, enum metric m, const struct estimate *e);
/* The interval alone, without unit: "11.8 to 12.4", "one run", "n/a". */
char *words__interval(char *buf, size_t len, enum metric m, const struct estimate *e);
/* "+4.4 %", "x 12" from tenfold on; "n/a". */
char *words__change(char *buf, size_t len, double change);
/* "x 12"; "n/a". */
char *words__factor(char *buf, size_t len, double from, double to);

#endif
