/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of the code at an address of a process, and the offset in it. */
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

/* A place in a file: equal device and inode are one file. */
struct file_place {
	unsigned int major, minor;
	uint64_t inode;
	uint64_t offset; /* bytes */
};

/* Where in a file the code at an address is; false: no mapping of a file is known there. */
bool process_maps__place(const struct process_maps *m, uint64_t address, struct file_place *out);

/* "libc.so.6", "[vdso]"; NULL: no mapping is known there, or m is NULL. Lives as long as m. */
const char *process_maps__object(const struct process_maps *m, uint64_t address);

/* Does is() hold for the object of any mapping? false if m is NULL. */
bool process_maps__any(const struct process_maps *m, bool (*is)(const char *object));

#endif
