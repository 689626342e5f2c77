/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sentences met in the tests of a program, kept to be held against a golden file by the last of
 * them: each test says what matters in its sentence, the file holds every word.
 */
#ifndef SUPPORT_RECORD_H
#define SUPPORT_RECORD_H

#include <stdio.h>
#include <string.h>

#include "golden.h"
#include "support/test.h"

static char record__text[1 << 17];

__attribute__((format(printf, 1, 2))) static inline void record(const char *format, ...)
{
	size_t len = strlen(record__text);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(record__text + len, sizeof(record__text) - len, format, args);
	va_end(args);
	assert_true(n >= 0 && (size_t)n < sizeof(record__text) - len);
}

/* Of a whole program only: with a part of its tests there is a part of the sentences. */
static inline void record__check(const char *name)
{
	golden__check(name, record__text);
}

#endif
