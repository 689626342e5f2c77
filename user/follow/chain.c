/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows one byte from place to place; see chain.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"

#define TOUCHES_MAX  64
#define STEPS_MAX    96
#define PAIRS_MIN    2    /* of a copy loop whose store of the byte comes late */
#define PAIRS_SURE   8    /* enough to stop stepping */
#define SAME_CALL_IP 4096 /* bytes of code of one copy function */
#define SAME_CALL_NS 20000000ULL

static const struct {
	const char *name, *text;
} ends[CHAIN_ENDS_NR] = {
#define X(id, name, text) [CHAIN_##id] = {#name, text},
	CHAIN_ENDS(X)
#undef X
};

const char *chain_end__name(enum chain_end end)
{
	return ends[end].name;
}

const char *chain_end__text(enum chain_end end)
{
	return ends[end].text;
}

bool chain_end__is_unknown(enum chain_end end)
{
	return end >= CHAIN_LATE;
}

void chain__finish(struct chain *c, enum chain_end end)
{
	c->end = end;
	c->over = true;
}

int chain__place_at(const struct chain *c, uint64_t address)
{
	for (unsigned int i = 0; i < c->slots; i++)
		if (c->places[i].on && c->places[i].address == address)
			return (int)i;
	return -1;
}

static bool has_places(const struct chain *c)
{
	for (unsigned int i = 0; i < c->slots; i++)
		if (c->places[i].on)
			return true;
	return false;
}

/* The byte is not there any more. */
static void drop_place(struct chain *c, unsigned int i, enum chain_end last)
{
	c->places[i].on = false;
	c->io->unwatch(c->io->ctx, i);
	if (!has_places(c))
		chain__finish(c, last);
}

/* A free place, or the oldest. */
static unsigned int choose_place(const struct chain *c)
{
	unsigned int oldest = 0;

	for (unsigned int i = 0; i < c->slots; i++) {
		if (!c->places[i].on)
			return i;
		if (c->places[i].born_ns < c->places[oldest].born_ns)
			oldest = i;
	}
	return oldest;
}

static void set_place(struct chain *c, unsigned int i, uint64_t address, uint8_t byte, uint32_t tid,
		      const struct user_regs_struct *regs)
{
	c->places[i] = (struct chain_place){.on = true,
					    .address = address,
					    .byte = byte,
					    .born_ns = c->io->now(c->io->ctx),
					    .ip = regs->rip,
					    .sp = regs->rsp,
					    .tid = tid};
}

static void add_place(struct chain *c, uint64_t address, uint8_t byte, uint32_t tid,
		      const struct user_regs_struct *regs)
{
	unsigned int i = choose_place(c);

	set_place(c, i, address, byte, tid, regs);
	if (!c->io->watch(c->io->ctx, i, address))
		chain__finish(c, CHAIN_REFUSED);
}

void chain__begin(struct chain *c, const struct nio_follow_event *e)
{
	/* No copy function filled the first place. */
	const struct user_regs_struct none = {0};
	uint8_t byte;

	c->begun = true;
	c->tgid = e->tgid;
	if (c->io->read(c->io->ctx, e->address, &byte, 1))
		add_place(c, e->address, byte, 0, &none);
	else
		chain__finish(c, CHAIN_GONE);
}

void chain__cover(struct chain *c, const struct nio_follow_event *e)
{
	for (unsigned int i = 0; i < c->slots && !c->over; i++) {
		if (!(e->places >> i & 1) || !c->places[i].on || c->places[i].born_ns >= e->ns)
			continue;
		if (e->fills)
			drop_place(c, i, CHAIN_READ_OVER);
		else
			chain__finish(c, e->tcp ? CHAIN_SENT : CHAIN_WRITTEN);
	}
}

/* Does the thread still execute the call that filled the place? */
static bool is_same_call(const struct chain_place *p, uint32_t tid,
			 const struct user_regs_struct *regs)
{
	return p->tid == tid && p->sp == regs->rsp &&
	       regs->rip - (p->ip - SAME_CALL_IP) < 2ULL * SAME_CALL_IP;
}

/* As much of it as is mapped. */
static void copy_stack(const struct chain *c, struct stack_copy *s, uint32_t tid,
		       const struct user_regs_struct *regs)
{
	s->regs = *regs;
	s->tgid = c->tgid;
	s->tid = tid;
	s->base = regs->rsp & ~7ULL;
	for (s->len = STACK_BYTES; s->len >= 512; s->len /= 2)
		if (c->io->read(c->io->ctx, s->base, s->bytes, s->len))
			return;
	s->len = 0;
}

/* A page beside the instruction pointer may be unmapped: then fewer bytes are there. */
static void read_code(const struct chain *c, struct code_at *code,
		      const struct user_regs_struct *regs)
{
	const struct chain_io *io = c->io;

	code->regs = *regs;
	code->before = code->after = 0;
	if (io->read(io->ctx, regs->rip - INSN_MAX, code->bytes, sizeof(code->bytes))) {
		code->before = code->after = INSN_MAX;
		return;
	}
	if (io->read(io->ctx, regs->rip - INSN_MAX, code->bytes, INSN_MAX))
		code->before = INSN_MAX;
	while (code->after < INSN_MAX &&
	       io->read(io->ctx, regs->rip + code->after, code->bytes + INSN_MAX + code->after, 1))
		code->after++;
}

static bool ask(const struct chain *c, enum decoder_op op, uint64_t watch,
		const struct user_regs_struct *regs, struct decoder_answer *a)
{
	struct decoder_request request = {.op = op, .watch = watch};

	read_code(c, &request.code, regs);
	if (op == DECODER_TOUCH)
		c->io->read(c->io->ctx, watch - TAINT_AROUND / 2, request.around, TAINT_AROUND);
	return c->io->decode(c->io->ctx, &request, a);
}

static bool step(struct chain *c, uint32_t tid, struct user_regs_struct *regs)
{
	c->steps++;
	return c->io->step(c->io->ctx, tid, regs);
}

/* Where a touch led. */
struct outcome {
	bool copied;
	uint64_t to;
	bool derived;
	bool pending; /* the store is the next instruction */
};

/* Executes the program until it stores the byte, or no register has it. */
static struct outcome walk(struct chain *c, const struct chain_place *p, uint32_t tid,
			   struct user_regs_struct *regs)
{
	struct decoder_answer a = {0};

	for (unsigned int n = 0; n < STEPS_MAX; n++) {
		if (!ask(c, DECODER_STEP, p->address, regs, &a) || !a.decoded) {
			chain__finish(c, CHAIN_UNDECODED);
			return (struct outcome){0};
		}
		if (a.step == TAINT_STORE)
			return (struct outcome){true, a.destination, a.derived, true};
		if (a.step == TAINT_GONE)
			return (struct outcome){0};
		if (a.pairs >= PAIRS_SURE)
			break;
		if (!step(c, tid, regs))
			return (struct outcome){0};
	}
	/* memcpy() loads the first and last bytes early and stores them after its loop. */
	if (a.pairs >= PAIRS_MIN)
		return (struct outcome){true, p->address + a.distance, false, false};
	return (struct outcome){0};
}

/* The place that has this copy already, filled by an earlier copy; -1: there is none. */
static int find_known(const struct chain *c, const struct chain_place *from, uint64_t to,
		      uint32_t tid, const struct user_regs_struct *regs, bool *same_copy)
{
	int known = chain__place_at(c, to);

	*same_copy = known >= 0 && c->places[known].born_ns > from->born_ns &&
		     is_same_call(&c->places[known], tid, regs);
	return known;
}

static struct chain_link *add_link(struct chain *c)
{
	if (c->links_nr == CHAIN_LINKS_MAX) {
		chain__finish(c, CHAIN_MANY);
		return NULL;
	}
	return &c->links[c->links_nr++];
}

/* regs: as of the touch; now: as of the walk's end. */
static void take_copy(struct chain *c, unsigned int i, const struct nio_follow_event *e,
		      const struct user_regs_struct *regs, struct user_regs_struct *now,
		      const struct touch *t, const struct outcome *found)
{
	struct chain_place from = c->places[i];
	uint8_t byte = from.byte;
	bool same_copy;
	int known = find_known(c, &from, found->to, e->tid, regs, &same_copy);
	struct chain_link *link;

	if (same_copy || found->to == from.address)
		return;
	link = add_link(c);
	if (!link)
		return;
	copy_stack(c, &link->stack, e->tid, regs);
	snprintf(link->insn, sizeof(link->insn), "%s", t->name);
	link->from = from.address;
	link->to = found->to;
	link->kind = found->derived ? LINK_TRANSFORM : LINK_COPY;
	if (found->pending) {
		/* Now the store, so that it does not touch the watchpoint of its place. */
		step(c, e->tid, now);
		c->io->read(c->io->ctx, found->to, &byte, 1);
		if (byte != from.byte)
			link->kind = LINK_TRANSFORM;
	}
	if (known >= 0)
		set_place(c, (unsigned int)known, found->to, byte, e->tid, now);
	else
		add_place(c, found->to, byte, e->tid, now);
}

/* The byte was read: does the program store it elsewhere? */
static void take_read(struct chain *c, unsigned int i, const struct nio_follow_event *e,
		      const struct user_regs_struct *regs, const struct touch *t)
{
	struct user_regs_struct now = *regs;
	struct outcome found;
	uint8_t byte;

	if (!c->io->read(c->io->ctx, c->places[i].address, &byte, 1) || byte != c->places[i].byte) {
		drop_place(c, i, CHAIN_READ_OVER);
		return;
	}
	if (t->string_move)
		found = (struct outcome){.copied = true, .to = t->destination};
	else
		found = walk(c, &c->places[i], e->tid, &now);
	if (found.copied)
		take_copy(c, i, e, regs, &now, t, &found);
	else
		c->looks++;
}

static void take_write(struct chain *c, unsigned int i, const struct nio_follow_event *e,
		       const struct user_regs_struct *regs)
{
	const struct chain_place *p = &c->places[i];

	if (is_same_call(p, e->tid, regs) && c->io->now(c->io->ctx) - p->born_ns < SAME_CALL_NS)
		return;
	drop_place(c, i, CHAIN_WRITTEN_OVER);
}

void chain__touch(struct chain *c, const struct nio_follow_event *e,
		  const struct user_regs_struct *regs)
{
	int i = chain__place_at(c, e->address), source;
	struct decoder_answer a;

	if (i < 0)
		return;
	if (++c->touches > TOUCHES_MAX) {
		chain__finish(c, CHAIN_MANY);
		return;
	}
	if (!ask(c, DECODER_TOUCH, e->address, regs, &a) || !a.touch.found) {
		chain__finish(c, CHAIN_UNDECODED);
		return;
	}
	/* Source and destination are both watched: the read counts. */
	source = a.touch.string_move && a.touch.writes && !a.touch.reads
			 ? chain__place_at(c, a.touch.source)
			 : -1;
	if (source >= 0 && source != i) {
		a.touch.destination = e->address;
		a.touch.reads = true;
		i = source;
	}
	if (!a.touch.reads)
		take_write(c, (unsigned int)i, e, regs);
	else if (a.touch.writes && !a.touch.string_move)
		/* Changed in place: no copy. */
		c->io->read(c->io->ctx, e->address, &c->places[i].byte, 1);
	else
		take_read(c, (unsigned int)i, e, regs, &a.touch);
}

unsigned int chain__copies(const struct chain *c)
{
	return c->links_nr;
}
