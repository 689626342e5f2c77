/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of the code at an address of a process. */
#ifndef KERNEL_PROCESS_MAPS_H
#define KERNEL_PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_maps;

/* Reads the executable mappings of a process now. NULL: unavailable. */
struct process_maps *process_maps__read(pid_t pid);
struct process_maps *process_maps__read_from(const char *file); /* as of /proc/PID/maps */
void process_maps__free(struct process_maps *m);                /* takes NULL */

/* "libc.so.6", "[vdso]"; NULL: no mapping is known there, or m is NULL. Lives as long as m. */
const char *process_maps__object(const struct process_maps *m, uint64_t address);

/* Is the C library a file of its own? False in a static program, and if m is NULL. */
bool process_maps__has_libc(const struct process_maps *m);

#endif
