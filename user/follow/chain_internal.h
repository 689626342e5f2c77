/* SPDX-License-Identifier: GPL-2.0-only */
/* What both directions of a chain use; see chain.c. */
#ifndef FOLLOW_CHAIN_INTERNAL_H
#define FOLLOW_CHAIN_INTERNAL_H

#include "chain.h"

#define STEPS_MAX 96 /* instructions executed one by one after a touch */

/* Watches a place; it begins now. A watchpoint that is refused ends the chain. */
void chain__watch(struct chain *c, unsigned int i, struct chain_place place);

/*
 * Does the call that filled the place touch it or its source once more? Then the instruction is new
 * to it, and is noted.
 */
bool chain__joins_call(struct chain_place *p, uint32_t tid, const struct user_regs_struct *regs);

/* Asks the decoder about the instruction at (DECODER_STEP) or before (DECODER_TOUCH) the
 * instruction pointer. false: no answer. */
bool chain__ask(const struct chain *c, enum decoder_op op, uint64_t watch,
		const struct user_regs_struct *regs, struct decoder_answer *a);

/* Executes one instruction, that chain__ask() decoded. false: a signal came, or the stop is long;
 * the chain is over. */
bool chain__step(struct chain *c, uint32_t tid, struct user_regs_struct *regs);

/* Fills in a link and its stack. */
void chain__describe(const struct chain *c, struct chain_link *link, const char *insn, uint32_t tid,
		     const struct user_regs_struct *regs);

/* The same events as chain__touch() and chain__cover(), of a sent byte: chain_back.c. */
void chain_back__touch(struct chain *c, unsigned int i, const struct nio_follow_event *e,
		       const struct user_regs_struct *regs, const struct touch *t);
void chain_back__cover(struct chain *c, unsigned int i, const struct nio_follow_event *e);

#endif
