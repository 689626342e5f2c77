/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up samples; see follow_result.h. Pure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "common/xalloc.h"
#include "follow_result.h"

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

static struct follow_site *find_site(struct follow_result *r, const struct chain_link *l,
				     const struct follow_place *p)
{
	struct follow_site *s;

	for (s = r->sites; s < r->sites + r->sites_nr; s++)
		if (s->kind == l->kind && !strcmp(s->insn, l->insn) && !strcmp(s->from, p->from) &&
		    !strcmp(s->to, p->to) && same_frames(&s->frames, &p->frames))
			return s;
	if (r->sites_nr == FOLLOW_SITES_MAX)
		return NULL;
	r->sites = xgrow(r->sites, r->sites_nr, sizeof(*r->sites));
	s = &r->sites[r->sites_nr++];
	*s = (struct follow_site){.kind = l->kind, .frames = p->frames};
	memcpy(s->insn, l->insn, sizeof(s->insn));
	memcpy(s->from, p->from, sizeof(s->from));
	memcpy(s->to, p->to, sizeof(s->to));
	return s;
}

void follow_result__add(struct follow_result *r, const struct sample *s,
			const struct follow_place places[CHAIN_LINKS_MAX])
{
	const struct chain *c = &s->chain;
	enum chain_end end = s->complete ? c->end : CHAIN_GONE;

	r->ends[end]++;
	r->stops += s->stops;
	r->steps += c->steps;
	r->stopped_ns += s->stopped_ns;
	if (s->longest_ns > r->longest_ns)
		r->longest_ns = s->longest_ns;
	if (end == CHAIN_NONE || chain_end__is_unknown(end))
		return;
	(end == CHAIN_KEPT || c->at_least ? r->at_least : r->counts)[c->links_nr]++;
	r->looks += c->looks > 0;
	for (unsigned int i = 0; i < c->links_nr; i++) {
		struct follow_site *site = find_site(r, &c->links[i], &places[i]);

		r->copies++;
		r->transforms += c->links[i].kind == LINK_TRANSFORM;
		if (site)
			site->nr++;
		else
			r->sites_left_out++;
	}
}

static int by_number(const void *a, const void *b)
{
	const struct follow_site *x = a, *y = b;

	return ORDER(y->nr, x->nr) ? ORDER(y->nr, x->nr) : strcmp(x->insn, y->insn);
}

void follow_result__sort(struct follow_result *r)
{
	if (r->sites_nr)
		qsort(r->sites, r->sites_nr, sizeof(*r->sites), by_number);
}

void follow_result__clear(struct follow_result *r)
{
	free(r->sites);
	r->sites = NULL;
	r->sites_nr = 0;
}

unsigned int follow_result__followed(const struct follow_result *r)
{
	unsigned int n = 0;

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		n += r->counts[i] + r->at_least[i];
	return n;
}

unsigned int follow_result__at_least(const struct follow_result *r)
{
	unsigned int n = 0;

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		n += r->at_least[i];
	return n;
}

unsigned int follow_result__unknown(const struct follow_result *r)
{
	unsigned int n = 0;

	for (int e = 0; e < CHAIN_ENDS_NR; e++)
		if (chain_end__is_unknown((enum chain_end)e))
			n += r->ends[e];
	return n;
}

struct follow_estimate follow_result__estimate(const struct follow_result *r)
{
	double n = follow_result__followed(r), unknown = follow_result__unknown(r);
	double sum = 0, squares = 0, largest = 0, later = 0, half;
	struct follow_estimate e = {0};

	for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
		double nr = r->counts[i] + r->at_least[i];

		sum += nr * i;
		squares += nr * i * i;
		if (nr > 0)
			largest = i;
	}
	for (int i = 0; i <= CHAIN_LINKS_MAX; i++)
		later += r->at_least[i] * (largest - i);
	if (n < FOLLOW_NEEDED) {
		e.per_byte = real__unknown("too few bytes were followed");
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
