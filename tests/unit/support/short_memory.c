/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that runs short on request; see short_memory.h. Linked into every unit test. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "short_memory.h"
#include "support/test.h"

/* Written by tests without threads only. */
static unsigned long left; /* allocations until the one that fails; 0: none fails */
static bool refused;

static bool usage_error(void)
{
	if (!left || --left)
		return false;
	refused = true;
	errno = ENOMEM;
	return true;
}

/* ---- functions that the linker redirects to this file ---- */

void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t n, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
int __wrap_vasprintf(char **text, const char *format, va_list args);
int __wrap_asprintf(char **text, const char *format, ...);
FILE *__wrap_open_memstream(char **text, size_t *len);
void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_reallocarray(void *memory, size_t n, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
int __real_vasprintf(char **text, const char *format, va_list args);
FILE *__real_open_memstream(char **text, size_t *len);

void *__wrap_malloc(size_t size)
{
	return usage_error() ? NULL : __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return usage_error() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return usage_error() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return usage_error() ? NULL : __real_realloc(memory, size);
}

void *__wrap_reallocarray(void *memory, size_t n, size_t size)
{
	return usage_error() ? NULL : __real_reallocarray(memory, n, size);
}

char *__wrap_strdup(const char *text)
{
	return usage_error() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n)
{
	return usage_error() ? NULL : __real_strndup(text, n);
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	static char nobodys;

	if (!usage_error())
		return __real_vasprintf(text, format, args);
	*text = &nobodys; /* vasprintf(3): undefined on failure, so it must not be freed */
	return -1;
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __wrap_vasprintf(text, format, args);
	va_end(args);
	return len;
}

FILE *__wrap_open_memstream(char **text, size_t *len)
{
	return usage_error() ? NULL : __real_open_memstream(text, len);
}

/* ---- for tests ---- */

void short_memory__begin(unsigned long nth)
{
	json_set_alloc_funcs(__wrap_malloc, free);
	left = nth;
	refused = false;
}

bool short_memory__end(void)
{
	left = 0;
	return refused;
}

void short_memory__walk_by(unsigned long step, int (*make)(void *arg), void *arg)
{
	unsigned long nth = 1 - step, told = 0;
	int err;

	do {
		nth += step;
		short_memory__begin(nth);
		err = make(arg);
		short_memory__end();
		if (err && (err != -ENOMEM || !refused))
			fail_msg("allocation %lu%s: error %d", nth,
				 refused ? " failed" : ", which there is not", err);
		told += err == -ENOMEM;
	} while (refused);
	assert_true(told > 0);
}

void short_memory__walk(int (*make)(void *arg), void *arg)
{
	short_memory__walk_by(1, make, arg);
}
