/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory map of a process (/proc/PID/maps), and the ELF files behind a stack. */
#ifndef FOLLOW_MAPPINGS_H
#define FOLLOW_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "chain.h"

#define MAPPINGS_NONE SIZE_MAX

struct mapping {
	uint64_t start, end, inode;
	unsigned int major, minor; /* device of the file */
	bool code;                 /* executable */
	size_t module;             /* index of the mapping where its ELF file begins, or NONE */
	const char *path;          /* "": none. Hostile text */
};

struct mappings {
	char *text;
	struct mapping *all; /* by address */
	size_t nr;
};

/* 0 or -errno. mappings__free() in both cases. */
int mappings__read(struct mappings *m, pid_t pid);
/* The same of the text of a maps file, which the mappings own. Pure. */
void mappings__parse(struct mappings *m, char *text);
void mappings__free(struct mappings *m);

/* The mapping that holds an address, or NULL. */
const struct mapping *mappings__at(const struct mappings *m, uint64_t address);

/* The files with code that the instruction pointer or a word of the stack points to: nearest the
 * top of the stack first, at most max. Their number.
 */
size_t mappings__modules(const struct mappings *m, const struct stack_copy *stack, size_t *modules,
			 size_t max);

/* "heap", "stack", "libx.so" or "mapped memory", printable; "": nothing is mapped there. */
void mappings__region(const struct mappings *m, uint64_t address, char *to, size_t len);

#endif
