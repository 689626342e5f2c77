/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks as functions and lines. Unwinding and names come from ELF files and memory of the followed
 * program: a process without privileges reads them (libdw).
 */
#ifndef FOLLOW_FRAMES_H
#define FOLLOW_FRAMES_H

#include "chain.h"

#define FRAMES_MAX 16
#define FRAME_NAME 96

struct frame {
	char function[FRAME_NAME]; /* "": unknown; also below */
	char file[FRAME_NAME];     /* last part of the path */
	uint32_t line;
	char object[FRAME_NAME]; /* the ELF file: last part of its path */
	char build_id[48];
	uint64_t offset; /* address in the ELF file; without an object: in memory */
};

struct frames {
	uint32_t nr;
	struct frame frame[FRAMES_MAX]; /* innermost first */
};

struct frame_namer;

/* Starts the process. 0 or -errno. */
int frame_namer__open(struct frame_namer **n);
void frame_namer__close(struct frame_namer *n); /* takes NULL */

/* Names the frames of a stack. Reads the mappings of its process now. false: no names. */
bool frame_namer__name(struct frame_namer *n, const struct stack_copy *stack, struct frames *to);

/* What the memory at an address is now: "heap", "stack", "libx.so", "mapped memory"; "": unknown.
 */
void frame_namer__region(pid_t pid, uint64_t address, char *to, size_t len);

#endif
