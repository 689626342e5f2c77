/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is said of stages and their CPU time. Made of claims alone (stage_claims.h): nothing is
 * judged here. Pure.
 */
#ifndef NETIOTRACE_STAGE_WORDS_H
#define NETIOTRACE_STAGE_WORDS_H

#include "answer.h"
#include "stage_claims.h"

/*
 * " one-copy saves most in gather (-54.1 ns/KiB), ...": for a headline, of each mode with a claimed
 * saving, and where it takes more; "" where there is none. Fills buf and returns it.
 */
char *stage_words__savings(char *buf, size_t len, const struct stage_claims *s);

/* A point for a mode: in which stages it takes less CPU time than two-copy, in which more. */
void stage_words__say(struct answer_text *answer, const struct analysis *a,
		      const struct stage_claims *s, enum mode mode);

#endif
