/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which instruction touched a watched byte? The processor stops the thread after the access. The
 * instruction before the stop is found by decoding backwards: its operand covers the byte. Pure.
 */
#ifndef FOLLOW_TOUCH_H
#define FOLLOW_TOUCH_H

#include "insn.h"

/* Code around the instruction pointer, and the registers. */
struct code_at {
	struct user_regs_struct regs;
	uint8_t bytes[INSN_MAX + INSN_MAX]; /* the middle is at the instruction pointer */
	uint8_t before, after;              /* bytes that could be read on either side */
};

struct touch {
	bool found, reads, writes;
	bool exchanges;   /* it also loads what was there */
	bool string_move; /* movs; then: */
	bool string_fill; /* stos */
	uint64_t operand; /* otherwise: the memory that it touched, and its bytes */
	unsigned int size;
	uint64_t source;      /* what it read, if the watched byte was its destination */
	uint64_t destination; /* where the watched byte goes */
	char name[32];
};

/* *insn: the instruction, if touch.found. */
struct touch touch__find(const struct code_at *c, uint64_t watch, struct insn *insn);

#endif
