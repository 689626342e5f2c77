/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of distinct stacks; see profile.h. */
#include "base/order.h"
#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

static struct profile_stack *find(struct profile *p, const struct profile_stack *like)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->stacks[i].whose == like->whose && !strcmp(p->stacks[i].frames, like->frames))
			return &p->stacks[i];
	return NULL;
}

static int make_room(struct profile *p)
{
	size_t room = p->room ? 2 * p->room : ROOM_FIRST;
	struct profile_stack *stacks;

	if (p->nr < p->room)
		return 0;
	stacks = realloc(p->stacks, room * sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	p->stacks = stacks;
	p->room = room;
	return 0;
}

int profile__add(struct profile *p, const struct profile_stack *stack)
{
	struct profile_stack *there = find(p, stack);

	if (there) {
		there->count += stack->count;
		return 0;
	}
	if (make_room(p))
		return -ENOMEM;
	there = &p->stacks[p->nr];
	*there = *stack;
	there->frames = strdup(stack->frames);
	if (!there->frames)
		return -ENOMEM;
	p->nr++;
	return 0;
}

int profile__merge(struct profile *p, const struct profile *other)
{
	int err = 0;

	for (size_t i = 0; other && i < other->nr && !err; i++)
		err = profile__add(p, &other->stacks[i]);
	return err;
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
