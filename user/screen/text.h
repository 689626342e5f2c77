/* SPDX-License-Identifier: GPL-2.0-only */
/* The text at the end of a run. */
#ifndef SCREEN_TEXT_H
#define SCREEN_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/rank_test.h"
#include "model/congestion.h"
#include "model/result.h"

struct text_end_form {
	unsigned int columns; /* of the terminal; fewer than 40 are taken as 40 */
	unsigned int rows;    /* of the terminal; 0: there is none */
	bool details;         /* the details follow: details__print() */
};

/*
 * The answer first, then tables, at most 30 lines, and at most one fewer than the terminal has. In
 * fewer, tables are left out from the end, then notes, then sentences of the answer from its end.
 * If the details follow, nothing is left out, and what was not seen is among their reasons.
 */
void text_end__print(const struct result *r, FILE *f, const struct text_end_form *form);

/*
 * One sentence that compares the throughput of zero-copy and one-copy. Nothing for
 * DIFFERENCE_UNKNOWN.
 */
void text_comparison__write(FILE *f, const struct rank_test *t, unsigned int needed);

/*
 * Whether the senders' congestion control paces, which can limit throughput before copying does,
 * and that another one was chosen. Nothing for a control that is the system's and does not pace.
 */
void text_congestion__write(FILE *f, const struct congestion *c);

#endif
