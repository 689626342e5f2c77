/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernel code addresses, by /proc/kallsyms. */
#ifndef NETIOTRACE_KSYM_H
#define NETIOTRACE_KSYM_H

#include <stddef.h>
#include <stdint.h>

#define KSYM_NAME_MAX 64

/* An address and the name of the function it lies in; empty: not found. */
struct ksym {
	uint64_t address;
	char name[KSYM_NAME_MAX];
};

/*
 * Fills the names of n addresses in one pass over the symbol table. 0 or -errno: -EPERM when the
 * kernel hides its addresses (kptr_restrict); then all names are empty.
 */
int ksym__resolve(struct ksym *syms, size_t n);

/* The same from any table in the form of /proc/kallsyms; for tests. */
int ksym__resolve_from(const char *file, struct ksym *syms, size_t n);

/*
 * Addresses of n symbols by name, functions or data; 0 where there is none of that name. 0 or
 * -errno.
 */
int ksym__find(const char *const *names, uint64_t *addresses, size_t n);

/* The same in any table in the form of /proc/kallsyms; for tests. */
int ksym__find_in(const char *file, const char *const *names, uint64_t *addresses, size_t n);

/*
 * Who called `function`, by a stack of addresses from the innermost frame outwards (0 ends it): the
 * name of the frame outside of the first one of that name; empty when it does not appear.
 */
void ksym__caller(const struct ksym *stack, size_t n, const char *function,
		  char name[KSYM_NAME_MAX]);

#endif
