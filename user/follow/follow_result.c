/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up samples; see follow_result.h. Pure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "follow_result.h"

#define RELAY_SHARE 0.9 /* of the received bytes are sent, of the sent bytes received: a relay */
#define WHOLE_SHARE 0.9 /* of the bytes, at least, is said without "most of" */
#define MOST_SHARE  0.5

#define OUTSIDE         0.05  /* of 95 % intervals, both sides */
#define INVERSION_STEP  0.3   /* of standard deviations */
#define INVERSION_TERMS 20000 /* then the error is below 0.0001 */

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

/*
 * P(the mean of values 0 to 16 is above t), if nr[i] is the gamma-distributed weight of value i.
 * The sum that inverts the characteristic function (Davies 1973).
 */
static double tail_above(const double nr[CHAIN_LINKS_MAX + 1], double t)
{
	double mean = 0, variance = 0, sum = 0, step, term;

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
		mean += nr[i] * (i - t);
		variance += nr[i] * (i - t) * (i - t);
	}
	step = INVERSION_STEP / sqrt(variance + mean * mean);
	for (double at = 0.5; at < INVERSION_TERMS; at++) {
		double angle = 0, size = 0;

		for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
			double x = at * step * (i - t);

			if (nr[i] > 0) {
				angle += nr[i] * atan(x);
				size += nr[i] / 2 * log1p(x * x);
			}
		}
		term = exp(-size) / at;
		sum += sin(angle) * term;
		if (term < 1e-7)
			break;
	}
	return 0.5 + sum / M_PI;
}

/* The lower or upper end of the interval of the mean; see struct follow_range. */
static double end_of(const double seen[CHAIN_LINKS_MAX + 1], bool upper)
{
	double nr[CHAIN_LINKS_MAX + 1], low = 0, high = CHAIN_LINKS_MAX;

	memcpy(nr, seen, sizeof(nr));
	nr[upper ? CHAIN_LINKS_MAX : 0]++;
	while (high - low > 1e-5) {
		double t = (low + high) / 2;

		if (tail_above(nr, t) > (upper ? OUTSIDE / 2 : 1 - OUTSIDE / 2))
			low = t;
		else
			high = t;
	}
	return upper ? high : low;
}

static struct follow_range mean_of(const struct follow_copies *c)
{
	double least[CHAIN_LINKS_MAX + 1], most[CHAIN_LINKS_MAX + 1];
	unsigned int unknown = follow_copies__unknown(c);

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
		least[i] = c->counts[i] + c->at_least[i];
		most[i] = c->counts[i];
	}
	least[0] += unknown;
	most[CHAIN_LINKS_MAX] += unknown + follow_copies__at_least(c);
	return (struct follow_range){end_of(least, false), end_of(most, true)};
}

/* The share of the bytes that have from `from` to `to` copies. */
static struct follow_range share_of(const struct follow_copies *c, int from, int to)
{
	double least[CHAIN_LINKS_MAX + 1] = {0}, most[CHAIN_LINKS_MAX + 1] = {0};
	double all = follow_copies__followed(c) + follow_copies__unknown(c), yes = 0, no = 0;

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
		bool in = from <= i && i <= to;

		yes += in * c->counts[i] + (in && to == CHAIN_LINKS_MAX) * c->at_least[i];
		no += !in * c->counts[i] + (i > to) * c->at_least[i];
	}
	least[0] = all - yes;
	least[CHAIN_LINKS_MAX] = yes;
	most[0] = no;
	most[CHAIN_LINKS_MAX] = all - no;
	return (struct follow_range){end_of(least, false) / CHAIN_LINKS_MAX,
				     end_of(most, true) / CHAIN_LINKS_MAX};
}

/* What can be said of the copied bytes; nothing is said that the interval does not hold. */
static void find_answer(struct follow_estimate *e, const struct follow_copies *c)
{
	unsigned int most = 1;

	for (unsigned int i = 2; i <= CHAIN_LINKS_MAX; i++)
		if (c->counts[i] > c->counts[most])
			most = i;
	e->copied = share_of(c, 1, CHAIN_LINKS_MAX);
	e->said = share_of(c, (int)most, (int)most);
	e->times = most;
	if (e->said.low < MOST_SHARE) {
		e->said = e->copied;
		e->times = 0;
	}
	if (e->said.low >= WHOLE_SHARE)
		e->answer = FOLLOW_COPIES;
	else if (e->said.low >= MOST_SHARE)
		e->answer = FOLLOW_COPIES_MOST;
	else if (e->said.low > 0)
		e->answer = FOLLOW_COPIES_SOME;
	else if (e->said.high <= 1 - WHOLE_SHARE)
		e->answer = FOLLOW_DOES_NOT_COPY;
}

static struct follow_estimate estimate_of(const struct follow_copies *c)
{
	struct follow_estimate e = {.per_byte = real__unknown(why_few(c))};
	double n = follow_copies__followed(c), sum = 0;

	if (n < FOLLOW_NEEDED)
		return e;
	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		sum += (double)i * (c->counts[i] + c->at_least[i]);
	e.per_byte = real__known(sum / n);
	e.mean = mean_of(c);
	find_answer(&e, c);
	return e;
}

static bool exclude_each_other(struct follow_range a, struct follow_range b)
{
	return a.low > b.high || b.low > a.high;
}

static bool is_most(unsigned int nr, const struct follow_copies *c)
{
	return nr >= RELAY_SHARE * follow_copies__followed(c);
}

bool follow_result__disagrees(const struct follow_result *r)
{
	const struct follow_copies *in = &r->of[NIO_FOLLOW_RECEIVED],
				   *out = &r->of[NIO_FOLLOW_SENT];

	if (follow_copies__followed(in) < FOLLOW_NEEDED ||
	    follow_copies__followed(out) < FOLLOW_NEEDED || !is_most(in->ends[CHAIN_SENT], in) ||
	    !is_most(out->ends[CHAIN_FILLED], out))
		return false;
	for (int i = 1; i <= CHAIN_LINKS_MAX; i++)
		if (exclude_each_other(share_of(in, i, CHAIN_LINKS_MAX),
				       share_of(out, i, CHAIN_LINKS_MAX)))
			return true;
	return exclude_each_other(mean_of(in), mean_of(out));
}

struct follow_estimate follow_result__estimate(const struct follow_result *r,
					       enum nio_follow_direction d)
{
	struct follow_estimate e = estimate_of(&r->of[d]);

	if (follow_result__disagrees(r))
		e = (struct follow_estimate){
			.per_byte = real__unknown(
				"the program sends what it receives, and received and sent bytes "
				"were not copied equally often: one of the two is wrong")};
	return e;
}
