/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of a sent byte, backwards: the address that was sent is watched for writes, then the
 * source of each write, too. When the same address is sent again, the writes seen are walked back
 * in time. This needs memory that is used again.
 */
#include <string.h>

#include "chain_internal.h"

#define SENDS_MAX    16 /* of the memory of the byte, until its source must be known */
#define USES_STORED  3  /* data sent so often without being written anew is stored data */
#define COMPARED     64 /* most bytes that are compared at source and destination */
#define COMPARED_LOW 8

static struct chain_fill *newest_fill(const struct chain *c, uint64_t at, uint64_t before_ns)
{
	struct chain_fill *newest = NULL;

	for (unsigned int i = 0; i < c->fills->nr && i < CHAIN_FILLS; i++) {
		struct chain_fill *f = &c->fills->fill[i];

		if (f->link.to == at && f->ns < before_ns && (!newest || f->ns > newest->ns))
			newest = f;
	}
	return newest;
}

/* The oldest one is forgotten. */
static struct chain_fill *add_fill(struct chain *c, enum fill_kind kind, uint64_t at, uint64_t ns)
{
	struct chain_fill *f = &c->fills->fill[c->fills->nr++ % CHAIN_FILLS];

	f->kind = kind;
	f->ns = ns;
	f->link.to = at;
	f->link.from = 0;
	f->link.kind = LINK_COPY;
	return f;
}

/* The same bytes, which are not all alike: those could be anywhere. */
static bool is_same(const struct chain *c, uint64_t a, uint64_t b, unsigned int len)
{
	uint8_t x[COMPARED], y[COMPARED];

	return a != b && c->io->read(c->io->ctx, a, x, len) && c->io->read(c->io->ctx, b, y, len) &&
	       !memcmp(x, y, len) && memcmp(x, x + 1, len - 1) != 0;
}

/* Does the memory at a source agree with what was stored, or with what is copied on either side? */
static bool is_source(const struct chain *c, uint64_t from, const struct chain_link *l,
		      const struct touch *t)
{
	uint64_t back = l->to - from;

	if (t->size >= COMPARED_LOW)
		return is_same(c, t->operand - back, t->operand,
			       t->size < COMPARED ? t->size : COMPARED);
	return is_same(c, from - (COMPARED_LOW - 1), l->to - (COMPARED_LOW - 1), COMPARED_LOW) ||
	       is_same(c, from, l->to, COMPARED_LOW);
}

static bool same_byte(const struct chain *c, uint64_t a, uint64_t b)
{
	uint8_t x, y;

	return c->io->read(c->io->ctx, a, &x, 1) && c->io->read(c->io->ctx, b, &y, 1) && x == y;
}

/* The same instruction stored again: where was its value from? false: not known yet. */
static bool set_origin(const struct chain *c, struct chain_fill *f, const struct decoder_answer *a,
		       unsigned int round)
{
	f->link.from = f->link.to - a->store_distance;
	switch (a->store) {
	case TAINT_FROM_MOVE:
		f->kind = same_byte(c, f->link.from, f->link.to) ? FILL_COPY : FILL_UNKNOWN;
		return true;
	case TAINT_FROM_MEMORY:
		f->kind = FILL_COPY;
		f->link.kind = LINK_TRANSFORM;
		return true;
	case TAINT_FROM_REGISTERS:
		/* A loop may load one round before it stores. */
		f->kind = FILL_COMPUTED;
		return round > 1;
	default:
		return false;
	}
}

/* Executes the program: the next loads and stores of the loop show the source of this one. */
static void step_to_origin(struct chain *c, struct chain_fill *f, uint32_t tid,
			   const struct user_regs_struct *regs, const struct touch *t)
{
	struct user_regs_struct now = *regs;
	struct decoder_answer a;
	unsigned int round = 0;

	for (unsigned int n = 0; n < STEPS_MAX; n++) {
		if (!chain__ask(c, DECODER_STEP, 0, &now, &a) || !a.decoded || a.system_call)
			break;
		f->link.from = f->link.to - a.distance;
		if (a.store == TAINT_FROM_MOVE && is_source(c, f->link.from, &f->link, t)) {
			f->kind = FILL_COPY;
			return;
		}
		if (!chain__step(c, tid, &now))
			return;
		if (now.rip == regs->rip && a.store != TAINT_NO_STORE &&
		    set_origin(c, f, &a, ++round))
			return;
	}
	f->kind = FILL_UNKNOWN;
}

/* memcpy() keeps its arguments, or moves both on. */
static bool find_arguments(const struct chain *c, struct chain_fill *f,
			   const struct user_regs_struct *regs, const struct touch *t)
{
	const uint64_t to[] = {regs->rdi, regs->rax};

	for (unsigned int i = 0; i < 2; i++) {
		f->link.from = regs->rsi + (f->link.to - to[i]);
		if (is_source(c, f->link.from, &f->link, t))
			return true;
	}
	return false;
}

static void find_source(struct chain *c, struct chain_fill *f, const struct nio_follow_event *e,
			const struct user_regs_struct *regs, const struct touch *t)
{
	if (t->string_move)
		f->link.from = t->source;
	else if (t->string_fill)
		f->kind = FILL_COMPUTED;
	else if (t->exchanges)
		f->kind = FILL_UNKNOWN;
	else if (!find_arguments(c, f, regs, t))
		step_to_origin(c, f, e->tid, regs, t);
}

/* The sent address is always place 0. */
static void watch_source(struct chain *c, uint64_t address, unsigned int filled)
{
	unsigned int chosen = 0;

	if (chain__place_at(c, address) >= 0)
		return;
	for (unsigned int i = 1; i < c->slots; i++) {
		if (i == filled)
			continue;
		if (!chosen || !c->places[i].on ||
		    (c->places[chosen].on && c->places[i].born_ns < c->places[chosen].born_ns))
			chosen = i;
	}
	if (chosen)
		chain__watch(c, chosen, (struct chain_place){.address = address});
}

void chain_back__touch(struct chain *c, unsigned int i, const struct nio_follow_event *e,
		       const struct user_regs_struct *regs, const struct touch *t)
{
	struct chain_place *p = &c->places[i];
	struct chain_fill *f;
	uint8_t byte;

	/* Changed in place: no copy. */
	if (t->reads && !t->string_move && !t->exchanges)
		return;
	if (!c->io->read(c->io->ctx, p->address, &byte, 1)) {
		chain__finish(c, CHAIN_GONE);
		return;
	}
	if (byte == p->byte && chain__joins_call(p, e->tid, regs))
		return;
	p->byte = byte;
	p->tid = e->tid;
	p->sp = regs->rsp;
	p->ips[0] = regs->rip;
	p->ips_nr = 1;
	f = add_fill(c, FILL_COPY, p->address, e->ns);
	chain__describe(c, &f->link, t->name, e->tid, regs);
	find_source(c, f, e, regs, t);
	if (!c->over && f->kind == FILL_COPY)
		watch_source(c, f->link.from, i);
}

static void finish(struct chain *c, enum chain_end end, struct chain_fill *const *path,
		   unsigned int nr)
{
	for (c->links_nr = 0; c->links_nr < nr; c->links_nr++)
		c->links[c->links_nr] = path[c->links_nr]->link;
	chain__finish(c, end);
}

/* Nobody wrote this place since it is watched. Was it used often enough to be stored data? */
static bool is_stored(struct chain *c, uint64_t at, uint64_t used_ns)
{
	int i = chain__place_at(c, at);

	return i >= 0 && c->places[i].born_ns < used_ns && ++c->places[i].uses >= USES_STORED;
}

/* The byte is sent: back along the writes, each the last one before the byte was taken from there.
 */
static void resolve(struct chain *c, uint64_t sent_ns)
{
	struct chain_fill *path[CHAIN_LINKS_MAX], *f;
	uint64_t at = c->places[0].address, ns = sent_ns;
	unsigned int nr = 0;

	for (;;) {
		f = newest_fill(c, at, ns);
		if (!f || f->kind != FILL_COPY || nr == CHAIN_LINKS_MAX)
			break;
		path[nr++] = f;
		at = f->link.from;
		ns = f->ns;
	}
	if (f && f->kind == FILL_COPY)
		chain__finish(c, CHAIN_MANY);
	else if (f && f->kind == FILL_UNKNOWN)
		chain__finish(c, CHAIN_SOURCE);
	else if (f)
		finish(c, f->kind == FILL_CALL ? CHAIN_FILLED : CHAIN_COMPUTED, path, nr);
	else if (is_stored(c, at, ns)) {
		/* It was copied there once, before it was watched. */
		c->at_least = true;
		finish(c, CHAIN_STORED, path, nr);
	} else if (++c->fills->sends == SENDS_MAX) {
		chain__finish(c, CHAIN_SOURCE);
	}
}

void chain_back__cover(struct chain *c, unsigned int i, const struct nio_follow_event *e)
{
	if (e->fills)
		add_fill(c, FILL_CALL, c->places[i].address, e->ns);
	else if (!i && e->tcp)
		resolve(c, e->ns);
}
