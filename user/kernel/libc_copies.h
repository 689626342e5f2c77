/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a process inside memcpy, memmove or mempcpy of its C library? Known if the process maps the
 * same library file as this program: the loader then chose the same functions. The symbols lack
 * their ends, so the ends come from the file's frame table (PT_GNU_EH_FRAME).
 */
#ifndef KERNEL_LIBC_COPIES_H
#define KERNEL_LIBC_COPIES_H

#include <stddef.h>

#include "process_maps.h"

/* The three functions, and the functions that they jump into: libc_copies__faults(). */
#define LIBC_COPIES_MAX 32

struct libc_copies {
	struct file_place library; /* without a meaning of its offset */
	size_t nr;
	struct {
		uint64_t from, to; /* offsets in the file */
	} code[LIBC_COPIES_MAX];
};

/*
 * Finds the functions of this program. false: not all can be found, as in a static program. Call
 * before threads exist (libc_copies__faults()).
 */
bool libc_copies__find(struct libc_copies *c);

enum libc_copies_answer {
	LIBC_COPIES_NO,
	LIBC_COPIES_YES,
	LIBC_COPIES_UNKNOWN, /* another C library, no C library, or unknown code */
};

/* Is the code at this address of a process a copying function? m: its mappings, or NULL. */
enum libc_copies_answer libc_copies__ask(const struct libc_copies *c, const struct process_maps *m,
					 uint64_t address);

/*
 * Finds the function that contains `at` in the table of a PT_GNU_EH_FRAME segment, which begins at
 * address table_at. A function ends where the next one begins. false: the table lacks the address,
 * or has another form than GNU's and LLVM's linkers write.
 */
bool libc_copies__function(const uint8_t *table, size_t len, uint64_t table_at, uint64_t at,
			   uint64_t *from, uint64_t *to);

typedef void *(*copy_function)(void *to, const void *from, size_t len);

/*
 * Finds the instructions with which a function copies: calls it on memory with holes, with sizes
 * from one byte to a GiB, and notes each address that faults. The C library has several variants of
 * each function for different processors, and one may jump into the body of another, which no table
 * of functions shows. Stores at most max addresses, each once, and returns their number; 0: out of
 * memory. Takes SIGSEGV meanwhile: call before threads exist.
 */
size_t libc_copies__faults(copy_function copy, uint64_t *at, size_t max);

#endif
