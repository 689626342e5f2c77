/* SPDX-License-Identifier: GPL-2.0-only */
/* All functions of the running kernel, its modules and BPF programs by address. */
#ifndef NETIOTRACE_SYMBOLS_H
#define NETIOTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/*
 * Reads the functions of a file in the form of /proc/kallsyms: some
 * 100 000 lines. 0 or -errno; -EPERM when the kernel hides the addresses (kptr_restrict).
 */
int symbols__load_from(struct symbols **out, const char *file);
int symbols__load(struct symbols **out); /* /proc/kallsyms */
void symbols__free(struct symbols *s);   /* takes NULL */

/* The name of the function that has this address in it; NULL: none. Lives as long as s. */
const char *symbols__name(const struct symbols *s, uint64_t address);

/* Where the function of this name is, to the next symbol; false: there is none. */
bool symbols__range(const struct symbols *s, const char *name, uint64_t *from, uint64_t *to);

#endif
