/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows a byte through the registers; see taint.h. */
#include <stdio.h>
#include <string.h>

#include "taint.h"

/* A store of at most 8 bytes in this part of the stack saves a register. */
#define SPILL_BELOW 256
#define SPILL_ABOVE 8192
#define SPILL_SIZE  8
#define TABLE_ENTRY \
	4 /* bytes of the largest entry of a table of characters or words; pointers are larger */

static bool is_in_frame(uint64_t at, unsigned int size, uint64_t sp)
{
	return size <= SPILL_SIZE && at - (sp - SPILL_BELOW) < SPILL_BELOW + SPILL_ABOVE;
}

/* What an instruction reads. */
struct source {
	bool holds, derived;
	unsigned int byte;
	bool placed;            /* byte is known */
	uint64_t from, made_of; /* as of a register */
	bool mixed;
};

/* A value loaded from here, or computed from what was loaded from here, goes in. */
static void mix(struct source *s, uint64_t from)
{
	s->mixed |= from && s->made_of && s->made_of != from;
	if (from)
		s->made_of = from;
}

static void read_register(const struct taint *t, const ZydisDecodedOperand *o, struct source *s)
{
	const struct taint_register *r = &t->registers[insn__register(o->reg.value)];
	unsigned int first = insn__is_high_byte(o->reg.value); /* %ah is byte 1 of %rax */

	if (r->holds && (r->derived || r->byte >= first)) {
		s->holds = true;
		s->derived |= r->derived;
		s->byte = r->byte >= first ? r->byte - first : 0;
		s->placed = true;
	}
	if (r->from)
		s->from = r->from + first;
	mix(s, r->from ? r->from + first : r->made_of);
	s->mixed |= r->mixed;
}

/* A small value from a table at an index that the byte gives: the value is computed from it. */
static void read_index(const struct taint *t, const struct insn *i, const ZydisDecodedOperand *o,
		       struct source *s)
{
	/* Entries of jump tables are extended to 64 bits by movsxd, and are no data. */
	if (insn__writes(o) || o->size / 8 > TABLE_ENTRY ||
	    i->head.mnemonic == ZYDIS_MNEMONIC_MOVSXD ||
	    (!t->registers[insn__register(o->mem.base)].holds &&
	     !t->registers[insn__register(o->mem.index)].holds))
		return;
	s->holds = s->derived = true;
}

static void read_memory(struct taint *t, uint64_t at, unsigned int size, struct source *s)
{
	s->from = at;
	for (unsigned int i = 0; i < TAINT_PLACES; i++) {
		if (!t->places[i] || t->places[i] - at >= size)
			continue;
		t->loads = s->holds = s->placed = true;
		s->byte = (unsigned int)(t->places[i] - at);
	}
	for (unsigned int i = 0; i < TAINT_SPILLS; i++) {
		if (!t->spills[i].address || t->spills[i].address - at >= size)
			continue;
		s->holds = s->placed = true;
		s->derived |= t->spills[i].derived;
		s->byte = (unsigned int)(t->spills[i].address - at);
	}
}

/* palignr: the bytes of two registers beside each other, moved down by a constant. */
static bool is_align(const struct insn *i)
{
	return i->head.mnemonic == ZYDIS_MNEMONIC_PALIGNR &&
	       i->operands[2].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static void align(const struct insn *i, const struct taint *t, struct source *s)
{
	unsigned int size = i->operands[0].size / 8, by = (unsigned int)i->operands[2].imm.value.u;
	const struct taint_register *upper =
		&t->registers[insn__register(i->operands[0].reg.value)];
	unsigned int byte = s->byte;

	if (i->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
		s->from = t->registers[insn__register(i->operands[1].reg.value)].from;
	if (s->from)
		s->from += by;
	if (!s->holds)
		return;
	if (upper->holds && i->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    !t->registers[insn__register(i->operands[1].reg.value)].holds)
		byte = upper->byte + size;
	s->holds = byte >= by && byte - by < size;
	s->byte = byte - by;
}

static struct source read_operands(struct taint *t, const struct insn *i,
				   const struct user_regs_struct *regs)
{
	uint64_t next = regs->rip + i->head.length, at;
	struct source s = {0};
	unsigned int size;

	t->loads = false;
	t->store = TAINT_NO_STORE;
	for (int k = 0; k < i->head.operand_count; k++) {
		const ZydisDecodedOperand *o = &i->operands[k];

		if (!insn__reads(o))
			continue;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			read_register(t, o, &s);
		else if (insn__memory(i, o, next, regs, &at, &size)) {
			read_memory(t, at, size, &s);
			/* A constant is no source; what lies in the stack frame may be one. */
			if (o->mem.base != ZYDIS_REGISTER_RIP)
				mix(&s, at);
			s.mixed |= is_in_frame(at, size, regs->rsp);
			read_index(t, i, o, &s);
		}
	}
	if (is_align(i))
		align(i, t, &s);
	/* Its bytes are in the reverse order. */
	if (insn__reverses(i) && s.placed && s.byte < i->operands[0].size / 8U)
		s.byte = i->operands[0].size / 8 - 1 - s.byte;
	return s;
}

static bool is_no_data(ZydisRegister r)
{
	ZydisRegisterClass c = ZydisRegisterGetClass(r);

	return c == ZYDIS_REGCLASS_FLAGS || c == ZYDIS_REGCLASS_IP ||
	       insn__register(r) == ZYDIS_REGISTER_RSP;
}

static void write_register(struct taint *t, const struct insn *i, const ZydisDecodedOperand *o,
			   const struct source *s)
{
	struct taint_register *r = &t->registers[insn__register(o->reg.value)], old = *r;
	bool move = insn__is_move(i), looks = insn__is_comparison(i);
	bool holds = s->holds && !looks &&
		     ZydisRegisterGetClass(o->reg.value) != ZYDIS_REGCLASS_MASK &&
		     i->head.meta.category != ZYDIS_CATEGORY_PUSH;

	/* movs changes its pointers, which are not the data. */
	if (is_no_data(o->reg.value) || insn__is_string_move(i))
		return;
	/* A narrow move leaves the byte behind. */
	if (holds && move && s->placed && s->byte >= o->size / 8U)
		holds = false;
	*r = (struct taint_register){.holds = holds,
				     .derived = holds && (s->derived || !move),
				     .byte = s->byte,
				     .from = move ? s->from : 0,
				     .made_of = s->made_of,
				     .mixed = s->mixed};
	if (!holds && old.holds && insn__keeps(i, o, old.derived ? 8 : old.byte))
		*r = old;
	else if (!holds && old.holds && insn__reads(o) && !looks && !is_align(i))
		*r = (struct taint_register){.holds = true, .derived = true, .byte = old.byte};
}

static void note_pair(struct taint *t, uint64_t distance)
{
	t->pairs = t->pairs && t->distance == distance ? t->pairs + 1 : 1;
	t->distance = distance;
}

static void note_store(struct taint *t, const struct insn *i, const struct source *s, uint64_t at)
{
	bool move = insn__is_move(i) && s->from && !s->mixed;

	t->store = move         ? TAINT_FROM_MOVE
		   : s->mixed   ? TAINT_FROM_MANY
		   : s->made_of ? TAINT_FROM_MEMORY
				: TAINT_FROM_REGISTERS;
	t->store_distance = at - (move ? s->from : s->made_of);
}

/* Is it a saved register? Then the byte is followed there, too. */
static bool spill(struct taint *t, uint64_t to, unsigned int size, bool derived, uint64_t sp)
{
	if (!is_in_frame(to, size, sp))
		return false;
	for (unsigned int i = 0; i < TAINT_SPILLS; i++) {
		if (t->spills[i].address && t->spills[i].address != to)
			continue;
		t->spills[i].address = to;
		t->spills[i].derived = derived;
		return true;
	}
	return false; /* it is followed like a copy */
}

static void overwrite_spills(struct taint *t, uint64_t at, unsigned int size)
{
	for (unsigned int i = 0; i < TAINT_SPILLS; i++)
		if (t->spills[i].address - at < size)
			t->spills[i].address = 0;
}

/* true: the byte is stored outside the stack frame. */
static bool write_memory(struct taint *t, const struct insn *i, const struct source *s, uint64_t at,
			 unsigned int size, uint64_t sp, uint64_t *to, bool *derived)
{
	unsigned int byte = s->byte;

	note_store(t, i, s, at);
	if (insn__is_move(i) && s->from)
		note_pair(t, at - s->from);
	overwrite_spills(t, at, size);
	*derived = s->derived || !insn__is_move(i);
	if (!s->holds || insn__is_comparison(i) || !size || (byte >= size && !*derived))
		return false;
	*to = at + (byte < size ? byte : size - 1);
	return !spill(t, *to, size, *derived, sp);
}

static bool is_alive(const struct taint *t)
{
	for (unsigned int r = 1; r <= ZYDIS_REGISTER_MAX_VALUE; r++)
		if (t->registers[r].holds)
			return true;
	for (unsigned int i = 0; i < TAINT_SPILLS; i++)
		if (t->spills[i].address)
			return true;
	return false;
}

/*
 * Which byte of the loaded value is the one? The address is lost ("mov (%rsi),%rsi"), so that the
 * value is compared with memory. false: nowhere, or in several ways.
 */
static bool find_in_value(struct source *s, const struct insn *load, unsigned int size,
			  const struct user_regs_struct *regs, uint64_t watch,
			  const uint8_t around[TAINT_AROUND])
{
	const unsigned int middle = TAINT_AROUND / 2;
	uint64_t value = insn__value(load->operands[0].reg.value, regs);
	unsigned int places = 0;

	if (size > middle + 1 || load->operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	for (unsigned int byte = 0; byte < size; byte++) {
		if (memcmp(&value, around + middle - byte, size) != 0)
			continue;
		s->byte = byte;
		s->from = watch - byte;
		places++;
	}
	s->placed = places == 1;
	return s->placed;
}

bool taint__begin(struct taint *t, uint64_t watch, const struct insn *load,
		  const struct user_regs_struct *regs, const uint8_t around[TAINT_AROUND])
{
	struct source s = {.holds = true};
	unsigned int size = 0;

	memset(t, 0, sizeof(*t));
	t->places[0] = watch;
	for (int k = 0; k < load->head.operand_count && !s.placed; k++) {
		const ZydisDecodedOperand *o = &load->operands[k];
		uint64_t at;

		if (!insn__reads(o) || !insn__memory_after(load, o, regs, &at, &size))
			continue;
		s.from = at;
		s.placed = watch - at < size;
		s.byte = s.placed ? (unsigned int)(watch - at) : 0;
	}
	if (!s.placed && !find_in_value(&s, load, size, regs, watch, around))
		return false;
	for (int k = 0; k < load->head.operand_count; k++)
		if (load->operands[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    insn__writes(&load->operands[k]))
			write_register(t, load, &load->operands[k], &s);
	return true;
}

/* true: the byte is stored at *to. */
static bool write_operand(struct taint *t, const struct insn *i, const ZydisDecodedOperand *o,
			  const struct source *s, const struct user_regs_struct *regs, uint64_t *to,
			  bool *derived)
{
	unsigned int size;
	uint64_t at;

	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
		write_register(t, i, o, s);
	else if (!insn__is_call(i) &&
		 insn__memory(i, o, regs->rip + i->head.length, regs, &at, &size))
		return write_memory(t, i, s, at, size, regs->rsp, to, derived);
	return false;
}

/* A scatter, whose addresses are in a vector. */
static bool stores_elsewhere(const struct insn *i)
{
	for (int k = 0; k < i->head.operand_count; k++)
		if (i->operands[k].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    insn__writes(&i->operands[k]) &&
		    i->operands[k].mem.type == ZYDIS_MEMOP_TYPE_VSIB)
			return true;
	return false;
}

enum taint_step taint__step(struct taint *t, const struct insn *i,
			    const struct user_regs_struct *regs, uint64_t *to, bool *derived)
{
	struct source s = read_operands(t, i, regs);
	bool stored = false;

	if (i->head.mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		return is_alive(t) ? TAINT_HELD : TAINT_GONE;
	if (s.holds && stores_elsewhere(i))
		return TAINT_LOST;
	if (insn__is_string_move(i))
		note_pair(t, regs->rdi - regs->rsi);
	for (int k = 0; k < i->head.operand_count; k++)
		if (insn__writes(&i->operands[k]))
			stored |= write_operand(t, i, &i->operands[k], &s, regs, to, derived);
	if (stored)
		return TAINT_STORE;
	return is_alive(t) ? TAINT_ON : TAINT_GONE;
}

#define STRING_INSN_MAX 4 /* bytes of the longest string instruction */
/* Bytes that an iteration can be past the watched byte: 64 on AMD, 128 on Intel with FSRM (seen).
 */
#define STRING_REACH 128

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
