/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns samples of the BPF program into stacks of names, by class, and addresses of a process into
 * files. */
#ifndef KERNEL_SAMPLE_FOLD_H
#define KERNEL_SAMPLE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/netiotrace.h"
#include "bpf/samples.h"
#include "model/stack_rules.h"

struct process_maps;
struct symbols;

/* Inputs and destination of folding; borrowed. */
struct sample_fold {
	const struct symbols *symbols;
	const struct process_maps *maps[NIO_SIDE_NR]; /* NULL: unavailable */
	bool gathers;                                 /* the sender's mode gathers */
	struct cpu_result *out;
};

#define SAMPLE_FOLD_LEN 8192

/*
 * The frames of a sample, outermost first, separated by ';', and its class. maps: of its process,
 * NULL: unknown, for a sample in user mode. gathers: see stack_rules__user().
 */
struct stack_class sample_fold__one(char text[SAMPLE_FOLD_LEN], const struct nio_sample *sample,
				    const struct symbols *symbols, const struct process_maps *maps,
				    bool gathers);

/* A record of the ring buffer as a sample; NULL: malformed or incomplete. */
const struct nio_sample *sample_fold__decode(const void *data, size_t size);

/* Counts and keeps a sample. fold is a struct sample_fold. Returns 0. */
int sample_fold__add(const struct nio_sample *sample, void *fold);

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
