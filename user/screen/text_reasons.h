/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures that are less than exact, and why: NOT SEEN of the end of a run, reasons of the details.
 */
#ifndef SCREEN_TEXT_REASONS_H
#define SCREEN_TEXT_REASONS_H

#include <stdio.h>

#include "model/result.h"

#define TEXT_REASONS_MAX 128

struct text_reasons {
	struct text_reason {
		const char *what; /* NULL: already written */
		const char *reason;
		enum quality quality;
		unsigned int modes; /* 1 << index in the summary */
	} list[TEXT_REASONS_MAX];
	size_t nr;
};

/*
 * Fills l. Strings are the result's. details: everything, by mode; else what the end of a run would
 * show, the modes together.
 */
void text_reasons__collect(struct text_reasons *l, const struct result *r, bool details);

/*
 * Writes the next thing and all others of its reason, quality and modes, ", " between them. Returns
 * their entry; NULL: nothing is left, nothing was written.
 */
const struct text_reason *text_reasons__tell(FILE *f, struct text_reasons *l);

/* A paragraph of the details for each reason. */
void text_reasons__print(FILE *f, const struct result *r, unsigned int columns);

#endif
