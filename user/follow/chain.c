/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows one byte from place to place; see chain.h. */
#include <stdio.h>

#include "chain_internal.h"

#define TOUCHES_MAX  64
#define PAIRS_MIN    2          /* of a copy loop whose store of the byte comes late */
#define PAIRS_SURE   8          /* enough to stop stepping */
#define STEPS_NS     5000000ULL /* of one stop; steps go on at once, on a CPU that is free */
#define STEPS_AFTER  8 /* after a store: registers that still have the byte may be stored again */
#define SAME_CALL_IP 4096 /* bytes of code of one copy function */

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
	if (c->places[i].expected) {
		chain__finish(c, CHAIN_MISPLACED);
		return;
	}
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

static void put_place(struct chain *c, unsigned int i, struct chain_place place)
{
	place.on = true;
	place.born_ns = c->io->now(c->io->ctx);
	place.touch = c->touches;
	c->at_least |= c->places[i].on && c->places[i].address != place.address;
	c->places[i] = place;
}

void chain__watch(struct chain *c, unsigned int i, struct chain_place place)
{
	put_place(c, i, place);
	if (!c->io->watch(c->io->ctx, i, place.address))
		chain__finish(c, CHAIN_REFUSED);
}

void chain__begin(struct chain *c, const struct nio_follow_event *e)
{
	struct chain_place first = {.address = e->address};

	c->begun = true;
	c->tgid = e->tgid;
	if (c->io->read(c->io->ctx, e->address, &first.byte, 1))
		chain__watch(c, 0, first);
	else
		chain__finish(c, CHAIN_GONE);
}

void chain__cover(struct chain *c, const struct nio_follow_event *e)
{
	if (e->kind == NIO_FOLLOW_CHILD)
		chain__finish(c, CHAIN_FORKED);
	for (unsigned int i = 0; i < c->slots && !c->over; i++) {
		if (!(e->places >> i & 1) || !c->places[i].on || c->places[i].born_ns >= e->ns)
			continue;
		if (e->kind == NIO_FOLLOW_MOVE)
			chain__finish(c, CHAIN_MOVED);
		else if (c->backward)
			chain_back__cover(c, i, e);
		else if (e->fills)
			drop_place(c, i, CHAIN_READ_OVER);
		else
			chain__finish(c, e->tcp ? CHAIN_SENT : CHAIN_WRITTEN);
	}
}

bool chain__joins_call(struct chain_place *p, uint32_t tid, const struct user_regs_struct *regs)
{
	if (!p->ips_nr || p->tid != tid || p->sp != regs->rsp || p->ips_nr == CALL_IPS_MAX ||
	    regs->rip - (p->ips[0] - SAME_CALL_IP) >= 2ULL * SAME_CALL_IP)
		return false;
	for (unsigned int i = 0; i < p->ips_nr; i++)
		if (p->ips[i] == regs->rip)
			return false;
	p->ips[p->ips_nr++] = regs->rip;
	return true;
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

bool chain__ask(const struct chain *c, enum decoder_op op, uint64_t watch,
		const struct user_regs_struct *regs, struct decoder_answer *a)
{
	struct decoder_request request = {.op = op, .watch = watch};

	read_code(c, &request.code, regs);
	for (unsigned int i = 0; i < c->slots && !c->backward; i++)
		request.places[i] = c->places[i].on ? c->places[i].address : 0;
	if (op == DECODER_TOUCH)
		c->io->read(c->io->ctx, watch - TAINT_AROUND / 2, request.around, TAINT_AROUND);
	return c->io->decode(c->io->ctx, &request, a);
}

bool chain__step(struct chain *c, uint32_t tid, struct user_regs_struct *regs)
{
	enum chain_end end;

	if (c->io->now(c->io->ctx) - c->touched_ns > STEPS_NS) {
		chain__finish(c, CHAIN_SLOW);
		return false;
	}
	c->steps++;
	end = c->io->step(c->io->ctx, tid, regs);
	if (end != CHAIN_NONE)
		chain__finish(c, end);
	return end == CHAIN_NONE;
}

void chain__describe(const struct chain *c, struct chain_link *link, const char *insn, uint32_t tid,
		     const struct user_regs_struct *regs)
{
	copy_stack(c, &link->stack, tid, regs);
	snprintf(link->insn, sizeof(link->insn), "%s", insn);
}

static struct chain_link *add_link(struct chain *c)
{
	if (c->links_nr == CHAIN_LINKS_MAX) {
		chain__finish(c, CHAIN_MANY);
		return NULL;
	}
	return &c->links[c->links_nr++];
}

/* A read of the byte, while its thread is stopped. */
struct use {
	const struct nio_follow_event *event;
	const struct touch *touch;
	struct chain_place from;
	struct user_regs_struct regs, now; /* at the touch; after the steps since */
};

/* Is it a copy that is counted already? *known: the place; -1: none has this address. */
static bool is_counted(struct chain *c, const struct use *u, uint64_t to, int *known)
{
	struct chain_place *p;

	*known = chain__place_at(c, to);
	if (*known < 0)
		return false;
	p = &c->places[*known];
	if (p->touch == c->touches)
		return chain__joins_call(p, u->event->tid, &u->now);
	return p->touch > u->from.touch && chain__joins_call(p, u->event->tid, &u->regs);
}

static void note_link(struct chain *c, const struct use *u, uint64_t to, enum link_kind kind)
{
	struct chain_link *link = add_link(c);

	if (!link)
		return;
	chain__describe(c, link, u->touch->name, u->event->tid, &u->regs);
	link->from = u->from.address;
	link->to = to;
	link->kind = kind;
}

static void add_copy(struct chain *c, const struct use *u, struct chain_place to, bool derived)
{
	int known;
	bool counted = is_counted(c, u, to.address, &known);

	if (!counted)
		note_link(c, u, to.address, derived ? LINK_TRANSFORM : LINK_COPY);
	if (counted || c->over)
		return;
	to.tid = u->event->tid;
	to.sp = u->now.rsp;
	to.ips[to.ips_nr++] = u->regs.rip;
	if (u->now.rip != u->regs.rip && !to.expected)
		to.ips[to.ips_nr++] = u->now.rip;
	if (known >= 0)
		put_place(c, (unsigned int)known, to);
	else
		chain__watch(c, choose_place(c), to);
}

/* The next instruction stores the byte. It is executed now, so that it touches no watchpoint. */
static void handle_store(struct chain *c, struct use *u, uint64_t address, bool derived)
{
	struct chain_place to = {.address = address};
	int i = chain__place_at(c, u->from.address);

	if (!chain__step(c, u->event->tid, &u->now))
		return;
	if (!c->io->read(c->io->ctx, address, &to.byte, 1))
		chain__finish(c, CHAIN_GONE);
	else if (address != u->from.address)
		add_copy(c, u, to, derived || to.byte != u->from.byte);
	else if (i >= 0)
		c->places[i].byte = to.byte; /* changed in place: no copy */
}

/* memcpy() loads the first and last bytes early and stores them after its loop. */
static void handle_late_store(struct chain *c, const struct use *u, const struct decoder_answer *a)
{
	struct chain_place to = {
		.address = u->from.address + a->distance, .byte = u->from.byte, .expected = true};

	if (a->distance)
		add_copy(c, u, to, false);
}

/*
 * Executes the program until no register has the byte: true. Stores are taken on the way. After a
 * store the walk ends soon, since registers keep the byte where nothing uses it any more, and
 * before the next load of the byte, which is a touch.
 */
static bool walk(struct chain *c, struct use *u)
{
	struct decoder_answer a = {0};
	unsigned int end = STEPS_MAX;

	for (unsigned int n = 0; n < end && !c->over; n++) {
		if (!chain__ask(c, DECODER_STEP, u->from.address, &u->now, &a) || !a.decoded ||
		    a.step == TAINT_LOST) {
			chain__finish(c, CHAIN_UNDECODED);
		} else if (a.loads && end != STEPS_MAX) {
			break;
		} else if (a.step == TAINT_STORE) {
			end = n + STEPS_AFTER;
			handle_store(c, u, a.destination, a.derived);
		} else if (a.step == TAINT_GONE || a.step == TAINT_HELD) {
			break;
		} else if (a.pairs >= PAIRS_SURE && end == STEPS_MAX) {
			break;
		} else {
			chain__step(c, u->event->tid, &u->now);
		}
	}
	if (c->over || end != STEPS_MAX)
		return false;
	if (a.step == TAINT_GONE)
		return true;
	if (a.pairs >= PAIRS_MIN)
		handle_late_store(c, u, &a);
	else
		chain__finish(c, CHAIN_HELD);
	return false;
}

/* rep movs has stored the byte at the end of its iteration. */
static void handle_string_move(struct chain *c, const struct use *u)
{
	struct chain_place to = {.address = u->touch->destination};

	if (!c->io->read(c->io->ctx, to.address, &to.byte, 1))
		chain__finish(c, CHAIN_GONE);
	else if (to.byte != u->from.byte)
		chain__finish(c, CHAIN_MISPLACED);
	else if (to.address != u->from.address)
		add_copy(c, u, to, false);
}

/* The byte was read: does the program store it elsewhere? */
static void handle_read(struct chain *c, unsigned int i, const struct nio_follow_event *e,
			const struct user_regs_struct *regs, const struct touch *t)
{
	struct use u = {.event = e, .touch = t, .from = c->places[i], .regs = *regs, .now = *regs};
	uint8_t byte;

	if (!c->io->read(c->io->ctx, u.from.address, &byte, 1))
		chain__finish(c, CHAIN_GONE);
	else if (byte != u.from.byte)
		drop_place(c, i, CHAIN_READ_OVER);
	else if (t->string_move)
		handle_string_move(c, &u);
	else
		c->looks += walk(c, &u);
}

static void handle_write(struct chain *c, unsigned int i, const struct nio_follow_event *e,
			 const struct user_regs_struct *regs)
{
	struct chain_place *p = &c->places[i];
	uint8_t byte;

	if (!c->io->read(c->io->ctx, p->address, &byte, 1))
		chain__finish(c, CHAIN_GONE);
	else if (byte == p->byte && chain__joins_call(p, e->tid, regs))
		p->expected = false;
	else
		drop_place(c, i, CHAIN_WRITTEN_OVER);
}

void chain__touch(struct chain *c, const struct nio_follow_event *e,
		  const struct user_regs_struct *regs)
{
	int i = chain__place_at(c, e->address), source;
	struct decoder_answer a;

	if (i < 0)
		return;
	c->touched_ns = c->io->now(c->io->ctx);
	if (++c->touches > TOUCHES_MAX) {
		chain__finish(c, CHAIN_MANY);
		return;
	}
	if (!chain__ask(c, DECODER_TOUCH, e->address, regs, &a) || !a.touch.found) {
		chain__finish(c, CHAIN_UNDECODED);
		return;
	}
	if (c->backward) {
		chain_back__touch(c, (unsigned int)i, e, regs, &a.touch);
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
		handle_write(c, (unsigned int)i, e, regs);
	else if (a.touch.exchanges)
		chain__finish(c, CHAIN_UNDECODED);
	else if (a.touch.writes && !a.touch.string_move)
		/* Changed in place: no copy. */
		c->io->read(c->io->ctx, e->address, &c->places[i].byte, 1);
	else
		handle_read(c, (unsigned int)i, e, regs, &a.touch);
}
