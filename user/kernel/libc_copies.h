/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a process inside memcpy, memmove or mempcpy of its C library? Known if it maps the same file
 * as this program: the loader then chose the same functions. Their ends are not among the symbols,
 * but in the file's frame table (PT_GNU_EH_FRAME).
 */
#ifndef KERNEL_LIBC_COPIES_H
#define KERNEL_LIBC_COPIES_H

#include <stddef.h>

#include "process_maps.h"

/* The three functions, and the ones they jump into: libc_copies__faults(). */
#define LIBC_COPIES_MAX 32

struct libc_copies {
	struct file_place library; /* its offset means nothing */
	size_t nr;
	struct {
		uint64_t from, to; /* offsets in the file */
	} code[LIBC_COPIES_MAX];
};

/*
 * false: they cannot all be found, as in a static program. To be called before there are threads
 * (libc_copies__faults()).
 */
bool libc_copies__find(struct libc_copies *c);

enum libc_copies_answer {
	LIBC_COPIES_NO,
	LIBC_COPIES_YES,
	LIBC_COPIES_UNTOLD, /* another C library or none, or unknown code */
};

/* For code at this address of a process; m as in process_maps__object(). */
enum libc_copies_answer libc_copies__ask(const struct libc_copies *c, const struct process_maps *m,
					 uint64_t address);

/*
 * The function that `at` is in, by the table of a PT_GNU_EH_FRAME segment, which begins at
 * table_at: from there to the next. false: the table does not know, or has another form than the
 * linkers of GNU and LLVM give it.
 */
bool libc_copies__function(const uint8_t *table, size_t len, uint64_t table_at, uint64_t at,
			   uint64_t *from, uint64_t *to);

typedef void *(*copy_function)(void *to, const void *from, size_t len);

/*
 * Finds the instructions that a copying function copies with: calls it on memory with holes, for
 * sizes from one byte to a GiB, and notes where it faults. The C library has several forms of each
 * function and chooses by the processor; one may jump into the body of another, which no table of
 * functions shows. Stores at most max addresses, each once. Returns how many; 0: out of memory.
 * Only before there are threads: it takes SIGSEGV.
 */
size_t libc_copies__faults(copy_function copy, uint64_t *at, size_t max);

#endif
