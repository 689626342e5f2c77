/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of /proc/kallsyms. */
#ifndef NETIOTRACE_KALLSYMS_H
#define NETIOTRACE_KALLSYMS_H

#include <stdint.h>

/* One symbol; the name, without its module's, lives for the call. 0, or what ends the reading. */
typedef int (*kallsyms_take)(void *arg, uint64_t address, char type, const char *name);

/*
 * Gives take every symbol of a file in the form of /proc/kallsyms, in its order; passes over lines
 * that are none. 0, -errno, or what take returned. The kernel writes some 100 000 lines anew for
 * each reader, which takes some 40 ms: ask once for all that is wanted.
 */
int kallsyms__read(const char *file, kallsyms_take take, void *arg);

#endif
