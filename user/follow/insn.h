/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of x86-64, decoded by Zydis: what they read and write. Pure. */
#ifndef FOLLOW_INSN_H
#define FOLLOW_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>
#include <Zydis/Zydis.h>

#define INSN_MAX 15 /* bytes of the longest instruction */

struct insn {
	ZydisDecodedInstruction head;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* false: no instruction begins here, or more than len bytes belong to it. */
bool insn__decode(struct insn *i, const uint8_t *code, size_t len);

const char *insn__name(const struct insn *i); /* "rep movsb" */

/* The operand's bytes in memory; false: it has none. next: address of the next instruction. */
bool insn__memory(const struct insn *i, const ZydisDecodedOperand *o, uint64_t next,
		  const struct user_regs_struct *regs, uint64_t *address, unsigned int *size);

/* The same for an instruction that has been executed: a push has moved the stack pointer. */
bool insn__memory_after(const struct insn *i, const ZydisDecodedOperand *o,
			const struct user_regs_struct *regs, uint64_t *address, unsigned int *size);

static inline bool insn__reads(const ZydisDecodedOperand *o)
{
	return o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

static inline bool insn__writes(const ZydisDecodedOperand *o)
{
	return o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

/* Its value; 0: not a general-purpose register. */
uint64_t insn__value(ZydisRegister r, const struct user_regs_struct *regs);

/* The register that contains this one: rax for al; 0: none. Below ZYDIS_REGISTER_MAX_VALUE + 1. */
unsigned int insn__register(ZydisRegister r);

bool insn__is_high_byte(ZydisRegister r); /* %ah, %bh, %ch, %dh */

/* Does the register that operand o writes keep this byte of its old content? */
bool insn__keeps(const struct insn *i, const ZydisDecodedOperand *o, unsigned int byte);

/*
 * Can it be executed by PTRACE_SINGLESTEP unseen by the program? Not what saves or loads the trap
 * flag (pushf, popf, iret, int); nor a load of %ss, after which the next instruction is executed,
 * too, before the trap; nor anything while the program has the flag set itself, or 32-bit code. The
 * kernel takes a flag that popf or iret loads for the program's own (is_setting_trap_flag(),
 * arch/x86/kernel/step.c), and the program dies of it. A system call is true: nobody steps it.
 */
bool insn__is_steppable(const struct insn *i, const struct user_regs_struct *regs);

bool insn__is_call(const struct insn *i);
bool insn__is_string(const struct insn *i);      /* movs, stos, cmps, scas, lods */
bool insn__is_string_move(const struct insn *i); /* movs */
bool insn__is_string_fill(const struct insn *i); /* stos */
bool insn__is_move(const struct insn *i);        /* its result is its source, unchanged */
bool insn__is_exchange(const struct insn *i); /* loads and stores one place: xchg, xadd, cmpxchg */
bool insn__reverses(const struct insn *i);    /* the order of the bytes: movbe, bswap */
bool insn__is_comparison(const struct insn *i); /* its result says something about its source */

#endif
