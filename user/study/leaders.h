/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which modes are fastest or cheapest in each setting (a size and a thread count), in lines for the
 * first screen. Every number is a finding of analysis__compare(), as in all tables and pictures:
 * thread counts are never pooled. Pure.
 */
#ifndef STUDY_LEADERS_H
#define STUDY_LEADERS_H

#include "analysis.h"

/*
 * The modes of a setting: first those than which none is better, then the others, both in the order
 * of enum mode.
 */
struct setting_ranking {
	size_t nr;   /* modes with a value */
	size_t best; /* the first so many are the group of the best */
	enum mode mode[MODE_NR];
	/* Each against the best median; one than which only another mode is better, against that.
	 */
	struct finding behind[MODE_NR];
	enum mode than[MODE_NR]; /* the mode that is better; MODE_NR in the group of the best */
	bool withheld;           /* no mode is ranked: SOFTIRQ_UNKNOWN; nr and best are 2 */
};

/* 1: the first is better, certainly or by the only rounds; -1: the second; 0: neither. */
int leaders__better(const struct finding *f, enum metric m);

/* Of all modes but one (MODE_NR: of all); MODE_NR: none has a value. */
enum mode leaders__best_median(const struct analysis *a, uint64_t size, unsigned int threads,
			       enum metric m, enum mode without);

/* m: a metric with a better direction. Where no difference can be certain, medians decide. */
struct setting_ranking leaders__rank(const struct analysis *a, uint64_t size, unsigned int threads,
				     enum metric m);

/* Is the mode in the group of the best, and another mode certainly worse? */
bool leaders__is_best(const struct setting_ranking *r, enum mode mode);

/*
 * One line for each group of thread counts in which the same modes lead at the same sizes. threads:
 * "" of all thread counts, else "1 and 2 threads". text: "two-copy or one-copy; zero-copy is
 * slower than one-copy, -74 % (-84 to -39)". Over several settings: from the lowest to the highest
 * change, and the interval that holds all of theirs.
 */
struct leader_line {
	char *threads, *text;
};

struct leaders {
	struct leader_line *lines;
	size_t nr; /* at least 1 */
};

/* Free with leaders__clear(). */
void leaders__make(struct leaders *l, const struct analysis *a, enum metric m);
void leaders__clear(struct leaders *l);

/*
 * "Thread counts disagree on one-copy against two-copy: at 64 KiB +13 to +14 % with 1, 2 and 4
 * threads, -34 % with 8 threads." Of rounds that cannot be tested, changes under 5 % do not count.
 * NULL: they do not disagree. Caller frees.
 */
char *leaders__disagreement(const struct analysis *a, enum mode mode, enum metric m);

#endif
