/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decode and taint as a service: code and registers of the followed program go to a process without
 * privileges, which answers what an instruction did and where the byte goes.
 */
#ifndef FOLLOW_DECODER_H
#define FOLLOW_DECODER_H

#include "taint.h"
#include "worker.h"

enum decoder_op {
	DECODER_TOUCH, /* which instruction touched the byte? A load begins a walk. */
	DECODER_STEP,  /* what does the instruction at the instruction pointer do with the byte? */
};

struct decoder_request {
	uint64_t number; /* the answer has the same */
	enum decoder_op op;
	uint64_t watch;                /* DECODER_TOUCH: address of the byte */
	uint64_t places[TAINT_PLACES]; /* DECODER_STEP: all addresses of the byte; 0: none */
	struct code_at code;
	uint8_t around[TAINT_AROUND]; /* DECODER_TOUCH: memory around the byte */
};

struct decoder_answer {
	uint64_t number;
	struct touch touch; /* DECODER_TOUCH */
	/* DECODER_STEP */
	bool decoded; /* and can be stepped */
	enum taint_step step;
	uint64_t destination; /* of TAINT_STORE */
	bool derived;
	bool loads;       /* it reads the byte from memory */
	bool system_call; /* it is one */
	/* Of the walk so far: load-store pairs in a row of one distance. */
	unsigned int pairs;
	uint64_t distance;
	enum taint_origin store; /* by this instruction */
	uint64_t store_distance;
};

/* Answers one request. t: the walk, kept between requests. Pure. */
void decoder__answer(struct taint *t, const struct decoder_request *request,
		     struct decoder_answer *answer);

/* 0 or -errno. */
int decoder__start(struct worker *w);

/* Numbers the request. false: no answer. */
bool decoder__ask(const struct worker *w, struct decoder_request *request,
		  struct decoder_answer *answer);

#endif
