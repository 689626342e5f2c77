/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up samples; see follow_result.h. Pure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "follow_result.h"

#define RELAY_SHARE 0.9 /* of the received bytes are sent, of the sent bytes received: a relay */

/* One line of code: its instructions are one place. Without a line: one instruction. */
static bool same_frame(const struct frame *a, const struct frame *b)
{
	if (strcmp(a->object, b->object) != 0)
		return false;
	if (a->file[0] && b->file[0])
		return a->line == b->line && !strcmp(a->file, b->file) &&
		       !strcmp(a->function, b->function);
	return a->offset == b->offset;
}

static bool same_frames(const struct frames *a, const struct frames *b)
{
	if (a->nr != b->nr)
		return false;
	for (uint32_t i = 0; i < a->nr; i++)
		if (!same_frame(&a->frame[i], &b->frame[i]))
			return false;
	return true;
}

static struct follow_site *find_site(struct follow_copies *f, const struct chain_link *l,
				     const struct follow_place *p)
{
	struct follow_site *s;

	for (s = f->sites; s < f->sites + f->sites_nr; s++)
		if (s->kind == l->kind && !strcmp(s->insn, l->insn) && !strcmp(s->from, p->from) &&
		    !strcmp(s->to, p->to) && same_frames(&s->frames, &p->frames))
			return s;
	if (f->sites_nr == FOLLOW_SITES_MAX)
		return NULL;
	f->sites = xgrow(f->sites, f->sites_nr, sizeof(*f->sites));
	s = &f->sites[f->sites_nr++];
	*s = (struct follow_site){.kind = l->kind, .frames = p->frames};
	memcpy(s->insn, l->insn, sizeof(s->insn));
	memcpy(s->from, p->from, sizeof(s->from));
	memcpy(s->to, p->to, sizeof(s->to));
	return s;
}

static void add_copies(struct follow_copies *f, const struct chain *c, enum chain_end end,
		       const struct follow_place places[CHAIN_LINKS_MAX])
{
	f->ends[end]++;
	if (end == CHAIN_NONE || chain_end__is_unknown(end))
		return;
	(end == CHAIN_KEPT || c->at_least ? f->at_least : f->counts)[c->links_nr]++;
	f->looks += c->looks > 0;
	for (unsigned int i = 0; i < c->links_nr; i++) {
		struct follow_site *site = find_site(f, &c->links[i], &places[i]);

		f->copies++;
		f->transforms += c->links[i].kind == LINK_TRANSFORM;
		if (site)
			site->nr++;
		else
			f->sites_left_out++;
	}
}

void follow_result__add(struct follow_result *r, const struct sample *s,
			const struct follow_place places[CHAIN_LINKS_MAX])
{
	const struct chain *c = &s->chain;

	r->stops += s->stops;
	r->steps += c->steps;
	r->stopped_ns += s->stopped_ns;
	r->polled_ns += s->cpu_ns;
	if (s->longest_ns > r->longest_ns)
		r->longest_ns = s->longest_ns;
	add_copies(&r->of[c->backward ? NIO_FOLLOW_SENT : NIO_FOLLOW_RECEIVED], c,
		   s->complete ? c->end : CHAIN_ENDED, places);
}

static int by_number(const void *a, const void *b)
{
	const struct follow_site *x = a, *y = b;

	return ORDER(y->nr, x->nr) ? ORDER(y->nr, x->nr) : strcmp(x->insn, y->insn);
}

void follow_result__sort(struct follow_result *r)
{
	for (int d = 0; d < NIO_FOLLOW_DIRECTIONS; d++)
		if (r->of[d].sites_nr)
			qsort(r->of[d].sites, r->of[d].sites_nr, sizeof(*r->of[d].sites),
			      by_number);
}

void follow_result__clear(struct follow_result *r)
{
	for (int d = 0; d < NIO_FOLLOW_DIRECTIONS; d++) {
		free(r->of[d].sites);
		r->of[d].sites = NULL;
		r->of[d].sites_nr = 0;
	}
}

unsigned int follow_copies__followed(const struct follow_copies *c)
{
	unsigned int n = 0;

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		n += c->counts[i] + c->at_least[i];
	return n;
}

unsigned int follow_copies__at_least(const struct follow_copies *c)
{
	unsigned int n = 0;

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		n += c->at_least[i];
	return n;
}

unsigned int follow_copies__unknown(const struct follow_copies *c)
{
	unsigned int n = 0;

	for (int e = 0; e < CHAIN_ENDS_NR; e++)
		if (chain_end__is_unknown((enum chain_end)e))
			n += c->ends[e];
	return n;
}

/* Why the copies of a direction are unknown although nothing disagrees. */
static const char *why_few(const struct follow_copies *c)
{
	if (c->unseen)
		return c->unseen;
	if (follow_copies__followed(c))
		return "too few bytes were followed";
	if (follow_copies__unknown(c))
		return "no byte was followed to its end";
	return "payload moved, but no byte of it was chosen: follow for longer, or with a higher "
	       "--rate";
}

static struct follow_estimate estimate_of(const struct follow_copies *c)
{
	double n = follow_copies__followed(c), unknown = follow_copies__unknown(c);
	double sum = 0, squares = 0, largest = 0, later = 0, half;
	struct follow_estimate e = {0};

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
		double nr = c->counts[i] + c->at_least[i];

		sum += nr * i;
		squares += nr * i * i;
		if (nr > 0)
			largest = i;
	}
	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		later += c->at_least[i] * (largest - i);
	if (n < FOLLOW_NEEDED) {
		e.per_byte = real__unknown(why_few(c));
		return e;
	}
	half = 1.96 * sqrt((squares - sum * sum / n) / (n - 1) / n);
	if (squares * n - sum * sum < 0.5)
		half = 3 / n;
	e.per_byte = real__known(sum / n);
	e.low = sum / (n + unknown) - half;
	e.high = (sum + later + unknown * fmax(largest, 1)) / (n + unknown) + half;
	if (!unknown)
		e.high = (sum + later) / n + half;
	if (e.low < 0)
		e.low = 0;
	return e;
}

static bool is_most(unsigned int nr, const struct follow_copies *c)
{
	return nr >= RELAY_SHARE * follow_copies__followed(c);
}

bool follow_result__disagrees(const struct follow_result *r)
{
	const struct follow_copies *in = &r->of[NIO_FOLLOW_RECEIVED],
				   *out = &r->of[NIO_FOLLOW_SENT];
	struct follow_estimate a = estimate_of(in), b = estimate_of(out);

	return a.per_byte.known && b.per_byte.known && is_most(in->ends[CHAIN_SENT], in) &&
	       is_most(out->ends[CHAIN_FILLED], out) && (a.low > b.high || b.low > a.high);
}

struct follow_estimate follow_result__estimate(const struct follow_result *r,
					       enum nio_follow_direction d)
{
	struct follow_estimate e = estimate_of(&r->of[d]);

	if (follow_result__disagrees(r))
		e.per_byte = real__unknown(
			"the program sends what it receives, and received and sent bytes "
			"were not copied equally often: one of the two is wrong");
	return e;
}
