/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns messages on stderr and their level; see log.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "log.h"
#include "printable.h"

/* Global: the process has one level, and every module logs. */
static enum log_level level_shown = LOG_WARNING;

/* Messages held back; NULL: none are held back. */
static FILE *held;
static char *held_text;
static size_t held_len;

void log_hold(void)
{
	if (!held)
		held = xopen_memstream(&held_text, &held_len);
}

void log_release(void)
{
	if (!held)
		return;
	xclose_memstream(held);
	held = NULL;
	fwrite(held_text, 1, held_len, stderr);
	free(held_text);
	held_text = NULL;
}

FILE *log_stream(void)
{
	return held ? held : stderr;
}

void log_set_level(enum log_level level)
{
	level_shown = level;
}

void log_set_verbosity(bool quiet, int verbose)
{
	level_shown = quiet         ? LOG_ERROR
		      : verbose > 1 ? LOG_DEBUG
		      : verbose     ? LOG_INFO
				    : LOG_WARNING;
}

enum log_level log_level(void)
{
	return level_shown;
}

void log_print(enum log_level level, const char *format, ...)
{
	va_list args;
	char *text;

	if (level > level_shown)
		return;
	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	fprintf(log_stream(), "netiotrace: %s\n", printable__lines(text));
	free(text);
}
