// SPDX-License-Identifier: GPL-2.0-only
/* Memory allocation that never fails: out of memory ends the program. */
#include "common/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void xalloc_die(void)
{
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(EXIT_FAILURE);
}

static void *checked(void *memory)
{
	if (!memory)
		xalloc_die();
	return memory;
}

/* malloc(0) may return NULL without a failure. */
void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

void *xaligned_alloc(size_t align, size_t size)
{
	void *memory;

	return checked(posix_memalign(&memory, align, size) ? NULL : memory);
}

char *xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *xvasprintf(const char *format, va_list args)
{
	char *text = NULL;

	return checked(vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}

FILE *xopen_memstream(char **text, size_t *len)
{
	return checked(open_memstream(text, len));
}

void xclose_memstream(FILE *stream)
{
	if (fclose(stream))
		xalloc_die();
}

/* The capacity is not stored: it is the smallest power of two that holds @count elements. */
void *xgrow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return xreallocarray(array, count ? count * 2 : 1, size);
}
