/* SPDX-License-Identifier: GPL-2.0-only */
/* What the books say in words: was zero-copy zero-copy, and what could be had for less. Pure. */
#ifndef NETIOTRACE_JUDGE_H
#define NETIOTRACE_JUDGE_H

#include "books.h"

struct judgement {
	struct real copied_fraction; /* of the zero-copy sends that completed */
	const char *cause; /* "local", "delivered here", "unknown"; NULL: nothing was copied */
	char text[512];    /* sentences; empty: no zero-copy sends */
	char advice[512];  /* empty: none that the evidence carries */
};

/*
 * Judges the books. told: the kernel tells how a send was made (which probe "message" sees);
 * notices: it tells of completions.
 */
void judge__give(struct judgement *j, const struct books *b, bool told, bool notices);

#endif
