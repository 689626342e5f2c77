/* SPDX-License-Identifier: GPL-2.0-only */
/* Growing text; see append.h. */
#include "append.h"

#include <stdio.h>
#include <string.h>

void append__args(char *buf, size_t len, const char *format, va_list args)
{
	size_t used = strlen(buf), cut = len - sizeof("...");

	if ((size_t)vsnprintf(buf + used, len - used, format, args) < len - used)
		return;
	/* Whole characters of UTF-8 stay in front of the mark. */
	while (cut && (buf[cut] & 0xc0) == 0x80)
		cut--;
	strcpy(buf + cut, "...");
}

void append__text(char *buf, size_t len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append__args(buf, len, format, args);
	va_end(args);
}
