/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of distinct stacks; see profile.h. */
#include "base/order.h"
#include "common/xalloc.h"
#include "profile.h"

#include <stdlib.h>
#include <string.h>

static struct profile_stack *find(struct profile *p, const struct profile_stack *like)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->stacks[i].whose == like->whose && !strcmp(p->stacks[i].frames, like->frames))
			return &p->stacks[i];
	return NULL;
}

void profile__add(struct profile *p, const struct profile_stack *stack)
{
	struct profile_stack *there = find(p, stack);

	if (there) {
		there->count += stack->count;
		return;
	}
	p->stacks = xgrow(p->stacks, p->nr, sizeof(*p->stacks));
	there = &p->stacks[p->nr++];
	*there = *stack;
	there->frames = xstrdup(stack->frames);
}

void profile__merge(struct profile *p, const struct profile *other)
{
	for (size_t i = 0; other && i < other->nr; i++)
		profile__add(p, &other->stacks[i]);
}

static int by_frames(const void *a, const void *b)
{
	const struct profile_stack *s = a, *t = b;
	int order = ORDER(s->whose, t->whose);

	return order ? order : strcmp(s->frames, t->frames);
}

void profile__sort(struct profile *p)
{
	if (p->nr)
		qsort(p->stacks, p->nr, sizeof(*p->stacks), by_frames);
}

void profile__clear(struct profile *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->stacks[i].frames);
	free(p->stacks);
	*p = (struct profile){0};
}
