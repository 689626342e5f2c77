/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a program whose command line is wrong; see lg_options.h. Tests have another. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lg_options.h"

#define EXIT_USAGE 2

void lg_options__refuse(const char *format, ...)
{
	char why[512];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	fprintf(stderr, "netio-loadgen: %s\n", why);
	exit(EXIT_USAGE);
}
