/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stages behind a difference in CPU time: each class of sampled CPU time of each mode compared
 * with two-copy, as findings and sentences. Pure.
 *
 * Few rounds of a cell are sampled, one of three in a sweep. So a pair is one sampled round of one
 * cell, of the mode and of two-copy, and a finding covers all cells together. The interval of the
 * median difference is between order statistics (base/estimate.h), which is exact for independent
 * pairs. All T classes of all modes are compared together: there is a difference only if the
 * interval of coverage 1 - 5 % / T is wholly above or below 0.
 */
#ifndef STUDY_STAGE_FINDINGS_H
#define STUDY_STAGE_FINDINGS_H

#include "answer.h"

struct stage_finding {
	enum mode mode;
	enum cpu_class class;
	struct estimate paired; /* of the difference to two-copy in a pair, ns per KiB */
	enum difference difference;
};

struct stage_findings {
	bool both; /* of sender and receiver together; else of the sender, whose receiver is away */
	size_t pairs; /* rounds of two-copy that were sampled */
	struct stage_finding list[MODE_NR * CPU_CLASS_NR]; /* classes that occur; largest first */
	size_t nr;
};

void stage_findings__make(struct stage_findings *s, const struct analysis *a);

/* The metric of a class that the findings are about. */
enum metric stage_findings__metric(const struct stage_findings *s, enum cpu_class c);

/*
 * "one-copy saves most in gather (-54.1 ns/KiB)": for a headline, each mode with a saving that was
 * found, and where it takes more.
 */
struct item_list stage_findings__savings(const struct stage_findings *s);

/* A point for a mode: in which stages it takes less CPU time than two-copy, in which more. */
void stage_findings__say(struct answer_text *answer, const struct stage_findings *s,
			 enum mode mode);

#endif
