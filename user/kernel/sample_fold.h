/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns samples of the BPF program into stacks of names, by class. */
#ifndef KERNEL_SAMPLE_FOLD_H
#define KERNEL_SAMPLE_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/netiotrace.h"
#include "bpf/samples.h"
#include "model/stack_rules.h"

struct mappings;
struct symbols;

/* Inputs and destination of folding; borrowed. */
struct sample_fold {
	const struct symbols *symbols;
	const struct mappings *maps[NIO_SIDE_NR]; /* NULL: unavailable */
	bool gathers;                             /* the sender's mode gathers */
	struct cpu_result *out;
};

#define SAMPLE_FOLD_LEN 8192

/*
 * The frames of a sample, outermost first, separated by ';', and its class. maps: of its process,
 * NULL: unknown, for a sample in user mode. gathers: see stack_rules__user().
 */
struct stack_class sample_fold__one(char text[SAMPLE_FOLD_LEN], const struct nio_sample *sample,
				    const struct symbols *symbols, const struct mappings *maps,
				    bool gathers);

/* A record of the ring buffer as a sample; NULL: malformed or incomplete. */
const struct nio_sample *sample_fold__decode(const void *data, size_t size);

/* Counts and keeps a sample. fold is a struct sample_fold. Returns 0. */
int sample_fold__add(const struct nio_sample *sample, void *fold);

#endif
