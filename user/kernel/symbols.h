/* SPDX-License-Identifier: GPL-2.0-only */
/* All functions of the running kernel, its modules and BPF programs by address. */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

struct symbols;

/*
 * Reads the functions of a file in the form of /proc/kallsyms: some 100 000 lines. 0 or -errno;
 * -EPERM when the kernel hides the addresses (kptr_restrict).
 */
int symbols__load_from(struct symbols **out, const char *file);
int symbols__load(struct symbols **out); /* /proc/kallsyms */
void symbols__free(struct symbols *s);   /* takes NULL */

/* The name of the function that contains the address; NULL: none. Valid as long as s. */
const char *symbols__name(const struct symbols *s, uint64_t address);

/*
 * The names of a kernel stack's n addresses, innermost first; "[unknown]" where none is known.
 * Return addresses count for the call before them: they may be the first of the next function.
 */
void symbols__stack(const struct symbols *s, const __u64 *ip, size_t n, const char **names);

/* Why symbols__load() failed with err, as a clause. */
void symbols__explain(int err, char *why, size_t len);

/* Where the function of this name is, to the next symbol; false: there is none. */
bool symbols__range(const struct symbols *s, const char *name, uint64_t *from, uint64_t *to);

/*
 * The addresses of n symbols, functions or data, in a file in the form of /proc/kallsyms; 0 if
 * there is none of the name. 0 or -errno.
 */
int symbols__find_in(const char *file, const char *const *names, uint64_t *addresses, size_t n);

#endif
