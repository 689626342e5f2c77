/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process without privileges that unwinds stacks and finds lines (libdw), and the requests that
 * it takes from frame_namer.c, which has privileges.
 */
#ifndef FOLLOW_FRAME_SERVER_H
#define FOLLOW_FRAME_SERVER_H

#include "frames.h"

enum frames_op {
	FRAMES_CLEAR,  /* forget the modules of a process */
	FRAMES_MODULE, /* an ELF file of the process; its descriptor comes with it */
	FRAMES_STACK,
};

struct frames_request {
	uint64_t number;
	enum frames_op op;
	uint32_t tgid;
	union {
		struct {
			uint64_t start;
			char path[256];
		} module;
		struct stack_copy stack;
	};
};

struct frames_answer {
	uint64_t number;
	struct frames frames;
};

/* Makes frames of an answer fit to read and print: hostile input may have taken the server over. */
void frames__bound(struct frames *f);

/* Answers the requests; see worker.h. */
void frame_server__run(int fd);

#endif
