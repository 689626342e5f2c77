/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a gate of --fail-on-regression could not judge: cells of the data set before that the one
 * after does not have, or of which it says too little. A change that makes them fail is not one
 * that passed. Pure.
 */
#ifndef NETIOTRACE_UNJUDGED_H
#define NETIOTRACE_UNJUDGED_H

#include "changes.h"

enum unjudged_why {
	UNJUDGED_ABSENT, /* no run after */
	UNJUDGED_FAILED, /* runs after, all of which failed */
	UNJUDGED_NULL,   /* no run after has the metric */
	UNJUDGED_FEW,    /* rounds too few for any test of the metric */
};

struct unjudged {
	const struct cell *cell; /* before */
	enum unjudged_why why;
	enum metric metric; /* the first such, with UNJUDGED_NULL and UNJUDGED_FEW */
};

/*
 * The next such cell from *at on, which is 0 at first and belongs to this function. A metric that
 * the cell did not have before is not asked for. False: there is no further one.
 */
bool unjudged__next(const struct changes *c, size_t *at, struct unjudged *u);

/* What a gate of --fail-on-regression says of the whole comparison. */
enum gate {
	GATE_NONE, /* none was asked for */
	GATE_PASSED,
	GATE_FAILED,      /* there is a regression */
	GATE_CANNOT_TELL, /* none is seen, and not every cell could be judged */
};

/*
 * The one decision that text, JSON and exit status state. limit: of --fail-on-regression; NaN:
 * none. across: settings that may differ, with commas; NULL: none.
 */
enum gate gate__of(const struct changes *c, double limit, const char *across);

#endif
