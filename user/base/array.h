/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays as long as what they hold: a sanitizer sees the first element too many. */
#ifndef NETIOTRACE_ARRAY_H
#define NETIOTRACE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/* n elements of zeros; NULL is that memory is short, also of none. free() it. */
static inline void *array__new(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

/* The first n elements of a list of more, in place or moved; never NULL for a list. */
static inline void *array__shrunk(void *list, size_t n, size_t size)
{
	void *less = n ? reallocarray(list, n, size) : NULL;

	return less ? less : list;
}

#endif
