/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One sample: a received or sent byte is chosen, its chain is followed, the threads go on. A
 * process of its own does it. When it ends, the kernel detaches all threads; the death of
 * netiotrace does not interrupt it in the middle of a step.
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
	bool complete; /* false: the process died */
};

struct byte_sampler {
	struct watchpoints *watch;
	struct worker *decoder;
	struct sample *shared;
	uint32_t number;
	enum nio_follow_direction direction; /* of the present sample */
	uint64_t begun_bytes, begun_ns;      /* for the rate */
	double rates[NIO_FOLLOW_DIRECTIONS]; /* bytes per ns */
};

/* 0 or -errno. */
int byte_sampler__open(struct byte_sampler *s, struct watchpoints *watch, struct worker *decoder);
void byte_sampler__close(struct byte_sampler *s);

/*
 * Forks the process of the next sample; its PID or -errno. wait_ns: how long it waits for bytes of
 * the direction. The result is in shared when it has ended.
 */
pid_t byte_sampler__begin(struct byte_sampler *s, enum nio_follow_direction direction,
			  uint64_t wait_ns);

/* After the process was waited for. */
void byte_sampler__end(struct byte_sampler *s);

#endif
