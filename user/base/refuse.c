/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the exit after a usage error; see refuse.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "exit_code.h"
#include "log.h"
#include "refuse.h"

void refuse(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	log_error("%s", text);
	free(text);
	exit(EXIT_USAGE);
}
