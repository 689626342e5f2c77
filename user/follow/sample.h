/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One sample: a received or sent byte is chosen, its chain is followed, the threads go on. A
 * process of its own does it. When it ends, the kernel detaches all threads. It has its own
 * session and ends by itself: neither the death nor a stop of netiotrace leaves a thread stopped,
 * or in the middle of a step.
 */
#ifndef FOLLOW_SAMPLE_H
#define FOLLOW_SAMPLE_H

#include "chain.h"
#include "watchpoints.h"

/* In memory that both processes share. */
struct sample {
	struct chain chain;
	unsigned int stops;
	uint64_t stopped_ns, longest_ns;
	uint64_t cpu_ns; /* of the process */
	bool complete;   /* false: the process was ended */
	bool stays;      /* it waits until the step of a thread ends */
};

struct byte_sampler {
	struct watchpoints *watch;
	struct worker *decoder;
	struct sample *shared;
	pid_t pid;
	int over_fd; /* readable when the sample is over */
	uint32_t number;
	enum nio_follow_direction direction; /* of the present sample */
	uint64_t begun_bytes, begun_ns;      /* for the rate */
	double rates[NIO_FOLLOW_DIRECTIONS]; /* bytes per ns */
};

/* 0 or -errno. */
int byte_sampler__open(struct byte_sampler *s, struct watchpoints *watch, struct worker *decoder);
void byte_sampler__close(struct byte_sampler *s);

/*
 * Forks the process of the next sample. wait_ns: how long it waits for bytes of the direction. 0 or
 * -errno; then byte_sampler__end() is due when over_fd is readable.
 */
int byte_sampler__begin(struct byte_sampler *s, enum nio_follow_direction direction,
			uint64_t wait_ns);

/* Waits for the process, but for one that stays. The result is in shared. */
void byte_sampler__end(struct byte_sampler *s);

#endif
