/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory map of a process (/proc/PID/maps), and the files behind its addresses. */
#ifndef KERNEL_MAPPINGS_H
#define KERNEL_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define MAPPINGS_NONE     SIZE_MAX
#define MAPPINGS_CODE_MAX 4096
#define MAPPINGS_NAME     64

struct mapping {
	uint64_t start, end, inode;
	unsigned int major, minor; /* device of the file */
	bool code;                 /* executable */
	size_t module;             /* index of the mapping where its ELF file begins, or NONE */
	char *path;                /* "": none. Hostile text */
};

struct mappings {
	struct mapping *all; /* by address */
	size_t nr;
};

/*
 * Reads all mappings, or only the code of files, of which it keeps the first MAPPINGS_CODE_MAX. 0
 * or -errno. mappings__free() in both cases.
 */
int mappings__read(struct mappings *m, pid_t pid, bool only_code);
/* The same of an open maps file. */
void mappings__parse(struct mappings *m, FILE *f, bool only_code);
void mappings__free(struct mappings *m);

/* The mapping that holds an address, or NULL. */
const struct mapping *mappings__at(const struct mappings *m, uint64_t address);

/* The files with code that the instruction pointer or a word of the stack points to: nearest the
 * top of the stack first, at most max. Their number.
 */
size_t mappings__modules(const struct mappings *m, uint64_t ip, const uint8_t *stack,
			 size_t stack_len, size_t *modules, size_t max);

/* "libc.so.6", "[vdso]" in name; NULL: no code of a file is known there, or m is NULL. */
const char *mappings__object(const struct mappings *m, uint64_t address, char name[MAPPINGS_NAME]);

/* Is the C library a file of its own? False in a static program. */
bool mappings__has_libc(const struct mappings *m);

/* "heap", "stack", "libx.so" or "mapped memory", printable; "": nothing is mapped there. */
void mappings__region(const struct mappings *m, uint64_t address, char *to, size_t len);

#endif
