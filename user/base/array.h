/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns arrays of exact size, so that a sanitizer detects an access past the end. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#include "common/xalloc.h"

/* Allocates n zeroed elements, at least one. The caller frees the array. */
static inline void *array__new(size_t n, size_t size)
{
	return xcalloc(n, size);
}

/* Shrinks a list to its first n elements, in place or moved. Never returns NULL for a list. */
static inline void *array__shrunk(void *list, size_t n, size_t size)
{
	void *less = n ? reallocarray(list, n, size) : NULL;

	return less ? less : list;
}

#endif
