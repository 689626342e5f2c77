/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sentences from the tests of a program; the last test compares them with a golden file. Each test
 * checks the important words, the file has every word.
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

/* Only if all tests of the program run: with some of them the record is incomplete. */
static inline void record__check(const char *name)
{
	golden__check(name, record__text);
}

#endif
