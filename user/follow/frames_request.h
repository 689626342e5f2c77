/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of frame_namer.c, which has privileges, to frame_server.c, which has none. */
#ifndef FOLLOW_FRAMES_REQUEST_H
#define FOLLOW_FRAMES_REQUEST_H

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

#endif
