/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks as functions and lines. Unwinding and names come from ELF files and memory of the followed
 * program: a process without privileges reads them (libdw). Another process opens the files, which
 * may be on a server that does not answer: neither can keep the caller waiting.
 */
#ifndef FOLLOW_FRAMES_H
#define FOLLOW_FRAMES_H

#include "chain.h"

#define FRAMES_MAX    16
#define FRAME_NAME    96
#define FOLLOW_REGION 64

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

/* Where a link of a chain copies: its stack, and the kinds of memory (mappings__region()). */
struct follow_place {
	struct frames frames;
	char from[FOLLOW_REGION], to[FOLLOW_REGION];
};

struct frame_namer;

/* Starts the processes. 0 or -errno. */
int frame_namer__open(struct frame_namer **n);

/* Takes NULL. While an answer is awaited, the processes are killed and not waited for. */
void frame_namer__close(struct frame_namer *n);

/*
 * Asks for the places of a chain, by the mappings of its process now. The answer, or the end of the
 * process, makes frame_namer__fd() readable. false: no answer will come.
 */
bool frame_namer__ask(struct frame_namer *n, const struct chain *c);
int frame_namer__fd(const struct frame_namer *n); /* of NULL: -1 */

/* A place for each link, valid until the next question. Waits. NULL: the process has ended. */
const struct follow_place *frame_namer__answer(struct frame_namer *n);

#endif
