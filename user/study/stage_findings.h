/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stages behind a difference in CPU time: each class of sampled CPU time of each mode against
 * two-copy, by the rule of base/rank_test.h. Pure.
 *
 * Few rounds of a cell are sampled, one of three in a sweep, so a finding covers all settings. The
 * values of A and B are those of the rounds in which a setting has both. Settings differ, so each
 * value is scaled to the mean setting: multiplied by the mean CPU time of all settings and divided
 * by that of its own, over all modes alike. The factor is common to A and B, and each setting has
 * as many rounds of either: where nothing differs, neither ranks higher. All classes of all modes
 * are one family.
 */
#ifndef STUDY_STAGE_FINDINGS_H
#define STUDY_STAGE_FINDINGS_H

#include "answer.h"

struct stage_finding {
	enum mode mode;
	enum cpu_class class;
	struct rank_test test; /* of the mode against two-copy, ns per KiB */
};

struct stage_findings {
	bool both; /* of sender and receiver together; else of the sender, whose receiver is away */
	struct stage_finding list[MODE_NR * CPU_CLASS_NR]; /* classes that occur; largest first */
	size_t nr;
};

void stage_findings__make(struct stage_findings *s, const struct analysis *a);

/*
 * "one-copy saves most: gather -54.1 ns/KiB": for a headline, each mode with a saving that was
 * found, and its largest extra cost.
 */
struct item_list stage_findings__savings(const struct stage_findings *s);

/* Adds a table with a row for each mode and class; nothing without samples. */
void stage_findings__table(struct answer_text *answer, const struct stage_findings *s);

#endif
