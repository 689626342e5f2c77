/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which instructions a copying function of the C library copies with: it is called on memory with
 * holes, and where it faults is told. The C library has several forms of each function, of which
 * the loader chooses by the processor, and one may jump into the body of another: of a processor
 * without ERMS, glibc's memmove is 47 bytes long, and all that is longer than 64 bytes is copied
 * within __memmove_avx_unaligned_erms. No table of functions shows that.
 */
#ifndef NETIOTRACE_COPY_FAULTS_H
#define NETIOTRACE_COPY_FAULTS_H

#include <stddef.h>
#include <stdint.h>

typedef void *(*copy_function)(void *to, const void *from, size_t len);

/*
 * Addresses of such instructions, at most `max` and each once, for sizes from one byte to a GiB.
 * Returns how many; 0: there is no memory for it. To be called before there are threads: it takes
 * SIGSEGV for its time.
 */
size_t copy_faults__find(copy_function copy, uint64_t *at, size_t max);

#endif
