/* SPDX-License-Identifier: GPL-2.0-only */
/* Refusing a command line; see refuse.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_code.h"
#include "refuse.h"

void refuse(const char *format, ...)
{
	va_list args;

	fputs("netiotrace: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_USAGE);
}
