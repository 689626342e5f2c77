/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the instruction that touched a byte; see touch.h. */
#include <stdio.h>

#include "touch.h"

#define STRING_INSN_MAX 4  /* bytes of the longest string instruction */
#define STRING_REACH    64 /* bytes that one iteration can be past the watched byte */

/* Decodes the instruction that ends at the instruction pointer and has n bytes. */
static bool decode_before(const struct code_at *c, unsigned int n, struct insn *i)
{
	return n <= c->before && insn__decode(i, c->bytes + INSN_MAX - n, n) && i->head.length == n;
}

static bool is_just_past(uint64_t pointer, uint64_t watch)
{
	return pointer - watch - 1 < STRING_REACH;
}

/* Its pointers show what it touched: it goes on at the instruction pointer, or has just ended. */
static bool is_string_touch(const struct code_at *c, unsigned int n, uint64_t watch, struct insn *i,
			    struct touch *t)
{
	if (n ? !decode_before(c, n, i) : !insn__decode(i, c->bytes + INSN_MAX, c->after))
		return false;
	if (!insn__is_string(i))
		return false;
	t->string_move = insn__is_string_move(i);
	t->string_fill = insn__is_string_fill(i);
	t->reads = is_just_past(c->regs.rsi, watch) && !insn__is_string_fill(i);
	t->writes = is_just_past(c->regs.rdi, watch) && (t->string_move || insn__is_string_fill(i));
	t->destination = c->regs.rdi + (watch - c->regs.rsi);
	t->source = c->regs.rsi + (watch - c->regs.rdi);
	return t->reads || t->writes;
}

static bool covers(const struct code_at *c, const struct insn *i, uint64_t watch, struct touch *t)
{
	t->reads = t->writes = false;
	for (int k = 0; k < i->head.operand_count; k++) {
		const ZydisDecodedOperand *o = &i->operands[k];
		unsigned int size;
		uint64_t at;

		if (!insn__memory_after(i, o, &c->regs, &at, &size) || watch - at >= size)
			continue;
		t->reads |= insn__reads(o);
		t->writes |= insn__writes(o);
		t->operand = at;
		t->size = size;
	}
	return t->reads || t->writes;
}

/* Did it overwrite a register of its own address ("mov (%rax),%rax")? Then that is unknown. */
static bool lost_its_address(const struct insn *i)
{
	for (int k = 0; k < i->head.operand_count; k++) {
		const ZydisDecodedOperand *m = &i->operands[k];

		if (m->type != ZYDIS_OPERAND_TYPE_MEMORY || !insn__reads(m) || !m->mem.base)
			continue;
		for (int r = 0; r < i->head.operand_count; r++) {
			const ZydisDecodedOperand *o = &i->operands[r];
			unsigned int written = insn__register(o->reg.value);

			if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && insn__writes(o) &&
			    (written == insn__register(m->mem.base) ||
			     (m->mem.index && written == insn__register(m->mem.index))))
				return true;
		}
	}
	return false;
}

static struct touch found(struct touch t, const struct insn *i)
{
	t.found = true;
	t.exchanges = insn__is_exchange(i);
	snprintf(t.name, sizeof(t.name), "%s", insn__name(i));
	return t;
}

struct touch touch__find(const struct code_at *c, uint64_t watch, struct insn *insn)
{
	struct touch t = {0}, best = {0};
	struct insn i;

	for (unsigned int n = 0; n <= STRING_INSN_MAX; n++)
		if (is_string_touch(c, n, watch, insn, &t))
			return found(t, insn);
	t = (struct touch){0};
	/* The longest that fits: without its prefixes an instruction is another one. */
	for (unsigned int n = 1; n <= INSN_MAX; n++)
		if (decode_before(c, n, &i) && covers(c, &i, watch, &t)) {
			best = found(t, &i);
			*insn = i;
		}
	if (best.found)
		return best;
	t = (struct touch){.reads = true};
	for (unsigned int n = INSN_MAX; n; n--)
		if (decode_before(c, n, insn) && lost_its_address(insn))
			return found(t, insn);
	return (struct touch){0};
}
