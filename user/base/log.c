/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on stderr; see log.h. */
#include <stdarg.h>
#include <stdio.h>

#include "log.h"

/* How talkative one process is does not vary within it, and every part needs it. */
static enum log_level level_shown = LOG_WARNING;

/* Where errors go instead of stderr, while somebody wants to tell them himself. */
static char *kept;
static size_t kept_len;

void log_keep_errors(char *buf, size_t len)
{
	kept = buf;
	kept_len = len;
	if (buf)
		buf[0] = '\0';
}

void log_set_level(enum log_level level)
{
	level_shown = level;
}

enum log_level log_level(void)
{
	return level_shown;
}

__attribute__((format(printf, 2, 0))) static void print(enum log_level level, const char *format,
							va_list args)
{
	if (level > level_shown)
		return;
	fputs("netiotrace: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!kept)
		print(LOG_ERROR, format, args);
	else if (!kept[0])
		vsnprintf(kept, kept_len, format, args);
	va_end(args);
}

void log_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(LOG_WARNING, format, args);
	va_end(args);
}

void log_info(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(LOG_INFO, format, args);
	va_end(args);
}
