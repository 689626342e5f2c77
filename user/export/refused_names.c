/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the names of groups without a slot; see refused_names.h. */
#include "refused_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

struct refused_name {
	char *name;
	struct refused_use use;
};

static bool in_use(const struct refused_use *use)
{
	return use->now || use->before;
}

void refused_names__clear(struct refused_names *r)
{
	for (size_t i = 0; i < r->nr; i++)
		free(r->list[i].name);
	free(r->list);
	*r = (struct refused_names){0};
}

/* The index of the name, or the one where it belongs. */
static size_t slot_of(const struct refused_names *r, const char *name)
{
	size_t begin = 0, end = r->nr;

	while (begin < end) {
		size_t middle = (begin + end) / 2;

		if (strcmp(r->list[middle].name, name) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static struct refused_name *find(const struct refused_names *r, const char *name)
{
	size_t i = slot_of(r, name);

	return i < r->nr && !strcmp(r->list[i].name, name) ? &r->list[i] : NULL;
}

bool refused_names__must_stay(const struct refused_names *r, const char *name)
{
	const struct refused_name *found = find(r, name);

	/* The sockets that are not remembered may be of any name. */
	return in_use(&r->rest) || (found && in_use(&found->use));
}

static void drop(struct refused_names *r, size_t i)
{
	free(r->list[i].name);
	r->nr--;
	memmove(&r->list[i], &r->list[i + 1], (r->nr - i) * sizeof(*r->list));
}

void refused_names__forget(struct refused_names *r, const char *name)
{
	const struct refused_name *found = find(r, name);

	if (found)
		drop(r, (size_t)(found - r->list));
}

static bool make_room(struct refused_names *r)
{
	if (r->nr < REFUSED_NAMES_MAX)
		return true;
	for (size_t i = 0; i < r->nr; i++)
		if (!in_use(&r->list[i].use)) {
			drop(r, i);
			return true;
		}
	return false;
}

static struct refused_name *insert(struct refused_names *r, const char *name)
{
	size_t i;

	if (!make_room(r))
		return NULL;
	i = slot_of(r, name);
	r->list = xgrow(r->list, r->nr, sizeof(*r->list));
	memmove(&r->list[i + 1], &r->list[i], (r->nr - i) * sizeof(*r->list));
	r->list[i] = (struct refused_name){.name = xstrdup(name)};
	r->nr++;
	r->total++;
	return &r->list[i];
}

void refused_names__note(struct refused_names *r, const char *name, bool open)
{
	struct refused_name *found = find(r, name);
	struct refused_use *use;

	if (!found)
		found = insert(r, name);
	use = found ? &found->use : &r->rest;
	use->now = use->now || open;
}

void refused_names__begin(struct refused_names *r)
{
	for (size_t i = 0; i < r->nr; i++)
		r->list[i].use.now = false;
	r->rest.now = false;
}

void refused_names__end(struct refused_names *r)
{
	for (size_t i = 0; i < r->nr; i++)
		r->list[i].use.before = r->list[i].use.now;
	r->rest.before = r->rest.now;
}
