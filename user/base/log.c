/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns messages on stderr and their level; see log.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "log.h"
#include "printable.h"

/* Global: the process has one level, and every module logs. */
static enum log_level level_shown = LOG_WARNING;

/* Of the terminal that messages go to; 0: none. */
static unsigned int columns;

void log_set_columns(unsigned int n)
{
	columns = n < LOG_COLUMNS_MIN ? 0 : n;
}

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

#define INDENT 2 /* of the second and later lines of a message */

/* Wraps at words what a terminal would break anywhere; a text of several lines has its own form. */
static void put_message(FILE *f, const char *text)
{
	unsigned int width = strchr(text, '\n') ? 0 : columns, indent = 0;
	char *message = xasprintf("netiotrace: %s", text);
	const char *rest = message, *line;
	size_t len;

	if (!width)
		fprintf(f, "%s\n", message);
	for (; width && (len = wrap__next(&rest, width - indent, &line)); indent = INDENT)
		fprintf(f, "%*s%.*s\n", (int)indent, "", (int)len, line);
	free(message);
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
	put_message(log_stream(), printable__lines(text));
	free(text);
}
