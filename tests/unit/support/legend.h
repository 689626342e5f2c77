/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A letter for each sentence, so that a golden file has one line for many; the sentences are at its
 * end. For programs that record (record.h).
 */
#ifndef SUPPORT_LEGEND_H
#define SUPPORT_LEGEND_H

#include <string.h>

#include "record.h"
#include "support/test.h"

static const char *legend__words[64];
static size_t legend__nr;

/* NULL gives a dot. */
static inline char legend__letter(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t i;

	if (!text)
		return '.';
	for (i = 0; i < legend__nr && strcmp(legend__words[i], text); i++)
		;
	assert_true(i < sizeof(letters) - 1);
	if (i == legend__nr)
		legend__words[legend__nr++] = text;
	return letters[i];
}

static inline void legend__record(void)
{
	for (size_t i = 0; i < legend__nr; i++)
		record("%c: %s\n", legend__letter(legend__words[i]), legend__words[i]);
}

#endif
