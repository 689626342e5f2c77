/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures that are unknown, and why: NOT SEEN of the end of a run. */
#ifndef SCREEN_TEXT_REASONS_H
#define SCREEN_TEXT_REASONS_H

#include <stdio.h>

#include "model/result.h"

#define TEXT_REASONS_MAX 128

struct text_reasons {
	struct text_reason {
		const char *what; /* NULL: already written */
		const char *reason;
	} list[TEXT_REASONS_MAX];
	size_t nr;
};

/* Fills l with what the end of a run would show, the modes together. Strings are the result's. */
void text_reasons__collect(struct text_reasons *l, const struct result *r);

/*
 * Writes the next thing and all others of its reason, ", " between them. Returns their entry; NULL:
 * nothing is left, nothing was written.
 */
const struct text_reason *text_reasons__write(FILE *f, struct text_reasons *l);

#endif
