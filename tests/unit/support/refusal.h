/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command lines of netio-loadgen, which end a program if they are wrong: here refused() is the
 * sentence. For one file of a test.
 */
#ifndef SUPPORT_REFUSAL_H
#define SUPPORT_REFUSAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "loadgen/lg_options.h"

static jmp_buf refusal__caller;
static char refusal__why[512];

/* Replaces the program's. */
void lg_options__refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(refusal__why, sizeof(refusal__why), format, args);
	va_end(args);
	longjmp(refusal__caller, 1);
}

/* NULL: the line is accepted. */
static const char *refused(struct lg_options *s, int argc, char **argv)
{
	if (setjmp(refusal__caller))
		return refusal__why;
	lg_options__parse(s, argc, argv);
	return NULL;
}

#endif
