/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How report and compare write numbers, cells and differences. Pure. A phrase is an argument of
 * printf(): phrases__size(size).text is valid until the end of the expression.
 */
#ifndef STUDY_PHRASES_H
#define STUDY_PHRASES_H

#include "analysis.h"

#define PHRASE_BUF 192 /* longer texts are cut */

struct phrase {
	char text[PHRASE_BUF];
};

__attribute__((format(printf, 1, 2))) struct phrase phrases__of(const char *format, ...);

const char *phrases__mode(enum mode mode);             /* "two-copy" */
struct phrase phrases__size(uint64_t bytes);           /* "64 KiB" */
struct phrase phrases__threads(unsigned int threads);  /* "1 thread", "threads n/a" */
struct phrase phrases__cell(const struct cell *cell);  /* "two-copy, 64 KiB, 8 threads" */
struct phrase phrases__factor(double from, double to); /* "x 12.0"; "n/a" */

/*
 * 4 digits and no exponent: "12.10", "365.3", "0.01234"; full digits from 1 000 on, grouped by
 * thousands. For finite numbers only.
 */
struct phrase phrases__number(double value);
/* With sign and 3 digits: "+62.5", "-1234". */
struct phrase phrases__signed(double value);
/* With unit: "365.3 Gbit/s", "12.4 us", "1 345 183 760"; "n/a" for NaN. */
struct phrase phrases__value(enum metric m, double value);
/* "12.10 Gbit/s (11.80 to 12.40)"; of one run "12.10 Gbit/s"; "n/a". */
struct phrase phrases__estimate(enum metric m, const struct estimate *e);
/* The interval alone, without unit: "11.80 to 12.40", "one run", "n/a". */
struct phrase phrases__interval(enum metric m, const struct estimate *e);
/* "+4.4 %", "x 12.0" from tenfold on; "n/a". */
struct phrase phrases__change(double change);
/* "+2.1 % to +6.0 %", "x 7.66 to x 17.2" from tenfold on; "" without an interval. */
struct phrase phrases__change_interval(double low, double high);
/*
 * A range of changes in words: "-74 %", "-74 to -60 %", "x 3.20 to x 12.0" from tenfold on. From 10
 * % on without decimals.
 */
struct phrase phrases__range(double min, double max);
/* The same without unit, for an interval behind it: "-84 to -39". */
struct phrase phrases__bounds(double low, double high);
/* The change, with its interval if there is a difference: "+4.4 %; +2.1 % to +6.0 %". */
struct phrase phrases__change_of(const struct finding *f);
/*
 * The same with its certainty: "no difference" (without a figure), "+4.4 %, one run", "+4.4 %; too
 * few rounds", "n/a".
 */
struct phrase phrases__finding(const struct finding *f);

/*
 * A list in a sentence, "a, b, c and 3 more": as many items as one reads. Start from {0}. What does
 * not fit in is cut.
 */
struct item_list {
	char text[1024];
	size_t nr;
};

__attribute__((format(printf, 2, 3))) void item_list__add(struct item_list *list,
							  const char *format, ...);
/* "nowhere" when nothing was added. */
const char *item_list__words(struct item_list *list);

#endif
