/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where does a byte that was loaded from memory go? The byte is followed through the registers, one
 * instruction at a time, until a store. Pure.
 */
#ifndef FOLLOW_TAINT_H
#define FOLLOW_TAINT_H

#include "insn.h"

#define TAINT_SPILLS 8
#define TAINT_PLACES 4 /* addresses that have the byte */

struct taint_register {
	bool holds;        /* the byte, or a value computed from it */
	bool derived;      /* computed from it */
	unsigned int byte; /* position of the byte */
	uint64_t from;     /* address the register was loaded from; 0: other content */
	uint64_t made_of;  /* address of the one load that its content was computed from; 0: none */
	bool mixed;        /* its content was computed from several loads */
};

struct taint {
	uint64_t places[TAINT_PLACES]; /* addresses of the byte; 0: none */
	struct taint_register registers[ZYDIS_REGISTER_MAX_VALUE + 1];
	/* Copies in the stack frame: a register was saved there. Address 0: free. */
	struct {
		uint64_t address;
		bool derived;
	} spills[TAINT_SPILLS];
	/* Pairs of a load and a store of one register: a copy loop moves all bytes by a distance.
	 */
	unsigned int pairs; /* in a row with the same distance */
	uint64_t distance;
	bool loads; /* the last instruction reads a place */

	/* What the last instruction stored, and how far from where it was loaded. */
	enum taint_origin {
		TAINT_NO_STORE,
		TAINT_FROM_MOVE,      /* a loaded value */
		TAINT_FROM_MEMORY,    /* a value computed from one load */
		TAINT_FROM_REGISTERS, /* no load since the walk began */
		TAINT_FROM_MANY,      /* computed from several loads */
	} store;
	uint64_t store_distance;
};

enum taint_step {
	TAINT_ON,    /* execute the instruction and go on */
	TAINT_STORE, /* the instruction will store the byte */
	TAINT_GONE,  /* no register has the byte any more */
	TAINT_HELD,  /* a register has the byte at a system call */
	TAINT_LOST,  /* the instruction stores the byte at an address that is not known */
};

/* Memory around the byte, which is in the middle. */
#define TAINT_AROUND 15

/*
 * After an executed load of the byte at watch; regs are those after the load. false: the load has
 * overwritten the register of its address, and which part of the result is the byte is unclear.
 */
bool taint__begin(struct taint *t, uint64_t watch, const struct insn *load,
		  const struct user_regs_struct *regs, const uint8_t around[TAINT_AROUND]);

/*
 * Before an instruction is executed; regs are those before it. TAINT_STORE: *to is the address that
 * the byte will have; *derived: the stored value was computed from it.
 */
enum taint_step taint__step(struct taint *t, const struct insn *i,
			    const struct user_regs_struct *regs, uint64_t *to, bool *derived);

/* Code around the instruction pointer, and the registers. */
struct code_at {
	struct user_regs_struct regs;
	uint8_t bytes[INSN_MAX + INSN_MAX]; /* the middle is at the instruction pointer */
	uint8_t before, after;              /* bytes that could be read on either side */
};

/*
 * Which instruction touched a watched byte? The processor stops the thread after the access. The
 * instruction before the stop is found by decoding backwards: its operand covers the byte.
 */
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
