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

#endif
