/* SPDX-License-Identifier: GPL-2.0-only */
/* Decoded instructions; see insn.h. */
#include <stdio.h>
#include <string.h>

#include "insn.h"

#define USER_CS 0x33 /* of 64-bit code */

bool insn__decode(struct insn *i, const uint8_t *code, size_t len)
{
	static ZydisDecoder decoder;
	static bool made;

	if (!made)
		made = ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
						     ZYDIS_STACK_WIDTH_64));
	return made &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &i->head, i->operands));
}

const char *insn__name(const struct insn *i)
{
	static char name[32];
	bool rep = i->head.attributes & ZYDIS_ATTRIB_HAS_REP;

	snprintf(name, sizeof(name), "%s%s", rep ? "rep " : "",
		 ZydisMnemonicGetString(i->head.mnemonic));
	return name;
}

unsigned int insn__register(ZydisRegister r)
{
	return r ? ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r) : 0;
}

uint64_t insn__value(ZydisRegister r, const struct user_regs_struct *regs)
{
	const unsigned long long values[] = {
		regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp, regs->rbp,
		regs->rsi, regs->rdi, regs->r8,  regs->r9,  regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
	};
	unsigned int full = insn__register(r);

	if (full < ZYDIS_REGISTER_RAX || full > ZYDIS_REGISTER_R15)
		return 0;
	return values[full - ZYDIS_REGISTER_RAX];
}

bool insn__memory(const struct insn *i, const ZydisDecodedOperand *o, uint64_t next,
		  const struct user_regs_struct *regs, uint64_t *address, unsigned int *size)
{
	uint64_t at;

	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM)
		return false;
	at = o->mem.disp.has_displacement ? (uint64_t)o->mem.disp.value : 0;
	if (o->mem.segment == ZYDIS_REGISTER_FS)
		at += regs->fs_base;
	if (o->mem.segment == ZYDIS_REGISTER_GS)
		at += regs->gs_base;
	at += o->mem.base == ZYDIS_REGISTER_RIP ? next : insn__value(o->mem.base, regs);
	at += insn__value(o->mem.index, regs) * o->mem.scale;
	*size = o->size / 8;
	if (i->head.meta.category == ZYDIS_CATEGORY_PUSH && insn__writes(o))
		at = regs->rsp - *size;
	*address = at;
	return true;
}

bool insn__memory_after(const struct insn *i, const ZydisDecodedOperand *o,
			const struct user_regs_struct *regs, uint64_t *address, unsigned int *size)
{
	ZydisInstructionCategory c = i->head.meta.category;

	if (!insn__memory(i, o, regs->rip, regs, address, size))
		return false;
	if (c == ZYDIS_CATEGORY_CALL || (c == ZYDIS_CATEGORY_PUSH && insn__writes(o)))
		*address = regs->rsp;
	if ((c == ZYDIS_CATEGORY_POP || c == ZYDIS_CATEGORY_RET) && insn__reads(o))
		*address = regs->rsp - *size;
	return true;
}

bool insn__is_high_byte(ZydisRegister r)
{
	return r == ZYDIS_REGISTER_AH || r == ZYDIS_REGISTER_BH || r == ZYDIS_REGISTER_CH ||
	       r == ZYDIS_REGISTER_DH;
}

/* These write a part of a vector register, wherever the decoder says that they write all of it. */
static bool writes_a_part(const struct insn *i)
{
	switch (i->head.mnemonic) {
	case ZYDIS_MNEMONIC_MOVLPS:
	case ZYDIS_MNEMONIC_MOVHPS:
	case ZYDIS_MNEMONIC_MOVLPD:
	case ZYDIS_MNEMONIC_MOVHPD:
	case ZYDIS_MNEMONIC_MOVLHPS:
	case ZYDIS_MNEMONIC_MOVHLPS:
	case ZYDIS_MNEMONIC_PINSRB:
	case ZYDIS_MNEMONIC_PINSRW:
	case ZYDIS_MNEMONIC_PINSRD:
	case ZYDIS_MNEMONIC_PINSRQ:
		return true;
	case ZYDIS_MNEMONIC_MOVSS:
	case ZYDIS_MNEMONIC_MOVSD:
		return i->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
	default:
		return false;
	}
}

bool insn__keeps(const struct insn *i, const ZydisDecodedOperand *o, unsigned int byte)
{
	switch (ZydisRegisterGetClass(o->reg.value)) {
	case ZYDIS_REGCLASS_GPR8:
		return byte != insn__is_high_byte(o->reg.value);
	case ZYDIS_REGCLASS_GPR16:
		return byte >= 2;
	case ZYDIS_REGCLASS_XMM:
		return writes_a_part(i) ||
		       (byte >= 16 && i->head.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY);
	default:
		return false;
	}
}

bool insn__is_exchange(const struct insn *i)
{
	switch (i->head.mnemonic) {
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_XADD:
	case ZYDIS_MNEMONIC_CMPXCHG:
	case ZYDIS_MNEMONIC_CMPXCHG8B:
	case ZYDIS_MNEMONIC_CMPXCHG16B:
		return true;
	default:
		return false;
	}
}

bool insn__reverses(const struct insn *i)
{
	return i->head.mnemonic == ZYDIS_MNEMONIC_MOVBE || i->head.mnemonic == ZYDIS_MNEMONIC_BSWAP;
}

bool insn__is_call(const struct insn *i)
{
	return i->head.meta.category == ZYDIS_CATEGORY_CALL;
}

bool insn__is_string(const struct insn *i)
{
	return i->head.meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* movsd is also an instruction of SSE. */
bool insn__is_string_move(const struct insn *i)
{
	switch (i->head.mnemonic) {
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVSQ:
		return insn__is_string(i);
	default:
		return false;
	}
}

bool insn__is_string_fill(const struct insn *i)
{
	switch (i->head.mnemonic) {
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
		return true;
	default:
		return false;
	}
}

bool insn__is_move(const struct insn *i)
{
	if (insn__is_string_move(i))
		return true;
	switch (i->head.meta.category) {
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
		return true;
	default:
		break;
	}
	switch (i->head.mnemonic) {
	case ZYDIS_MNEMONIC_PALIGNR:
	case ZYDIS_MNEMONIC_LDDQU:
	case ZYDIS_MNEMONIC_VLDDQU:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTDQA:
		return true;
	default:
		return false;
	}
}

bool insn__is_comparison(const struct insn *i)
{
	static const char *const words[] = {"cmp",   "test",   "movmsk", "movmask", "crc32",
					    "minub", "popcnt", "tzcnt",  "bsf",     "lzcnt"};
	const char *name = ZydisMnemonicGetString(i->head.mnemonic);

	if (insn__is_exchange(i))
		return false;
	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
		if (strstr(name, words[w]))
			return true;
	return !strncmp(name, "set", 3);
}

bool insn__is_steppable(const struct insn *i, const struct user_regs_struct *regs)
{
	const ZydisAccessedFlags *f = i->head.cpu_flags;
	uint32_t used = f->tested | f->modified | f->set_0 | f->set_1 | f->undefined;

	if (i->head.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		return true;
	switch (i->head.meta.category) {
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_UINTR:
		return false;
	default:
		break;
	}
	for (int k = 0; k < i->head.operand_count; k++)
		if (insn__writes(&i->operands[k]) &&
		    i->operands[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    i->operands[k].reg.value == ZYDIS_REGISTER_SS)
			return false;
	return !(used & ZYDIS_CPUFLAG_TF) && !(regs->eflags & ZYDIS_CPUFLAG_TF) &&
	       regs->cs == USER_CS;
}
