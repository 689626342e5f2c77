/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory allocation that never fails: out of memory ends the program.
 *
 * Each function behaves like its namesake in libc, but instead of returning NULL it prints
 * "PROGRAM: out of memory" on stderr and calls exit(1). Handlers of atexit() then remove temporary
 * files and restore the terminal. The caller frees the memory with free().
 *
 * Allocations whose size comes from outside (a file, the network, an option) are checked against a
 * documented bound first. x*alloc() is no bound.
 */
#ifndef COMMON_XALLOC_H
#define COMMON_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define XALLOC_ATTR(...) __attribute__((warn_unused_result, __VA_ARGS__))

void *xmalloc(size_t size) XALLOC_ATTR(malloc, returns_nonnull);
void *xcalloc(size_t count, size_t size) XALLOC_ATTR(malloc, returns_nonnull);
void *xreallocarray(void *old, size_t count, size_t size) XALLOC_ATTR(returns_nonnull);
/* @align: a power of two, at least sizeof(void *). */
void *xaligned_alloc(size_t align, size_t size) XALLOC_ATTR(malloc, returns_nonnull);
char *xstrdup(const char *text) XALLOC_ATTR(malloc, returns_nonnull, nonnull(1));
char *xasprintf(const char *format, ...) XALLOC_ATTR(malloc, returns_nonnull, format(printf, 1, 2));
char *xvasprintf(const char *format, va_list args)
	XALLOC_ATTR(malloc, returns_nonnull, format(printf, 1, 0));

/* A stream that writes to memory. xclose_memstream() closes it: *@text is then complete. */
FILE *xopen_memstream(char **text, size_t *len) XALLOC_ATTR(returns_nonnull);
void xclose_memstream(FILE *stream);

/*
 * Makes room for one more element in an array that grows by doubling: @array has @count elements
 * of @size bytes. Call it before array[count++] = ...; returns the array, perhaps moved.
 */
void *xgrow(void *array, size_t count, size_t size) XALLOC_ATTR(returns_nonnull);

/* Prints "PROGRAM: out of memory" and calls exit(1). For libraries that report a failed malloc().
 */
void xalloc_die(void) __attribute__((noreturn));

#endif
