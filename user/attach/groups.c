/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections by port and by cgroup; see groups.h. Pure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"

static uint16_t port_of(const struct sock_state *s)
{
	if (!(s->flags & SOCK_STATE_PLACED))
		return 0;
	return (s->flags & SOCK_STATE_CALLER) ? s->remote_port : s->local_port;
}

uint64_t group__id(enum group_kind kind, const struct sock_state *s)
{
	return kind == GROUP_PORT ? port_of(s) : s->cgroup;
}

void groups__clear(struct groups *g)
{
	for (size_t i = 0; i < g->nr; i++)
		free(g->list[i].name);
	free(g->list);
	memset(g, 0, sizeof(*g));
}

const struct group *groups__find(const struct groups *g, uint64_t id)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->list[i].id == id)
			return &g->list[i];
	return NULL;
}

static int grow(struct groups *g)
{
	size_t room = g->room ? g->room * 2 : 16;
	struct group *larger = realloc(g->list, room * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	g->list = larger;
	g->room = room;
	return 0;
}

/* The group of this id, entered if it is new; NULL: there is no room. */
static struct group *group_of(struct groups *g, uint64_t id)
{
	const struct group *found = groups__find(g, id);

	if (found)
		return &g->list[found - g->list];
	if (g->nr == GROUPS_MAX)
		return NULL;
	if (g->nr == g->room && grow(g)) {
		g->err = -ENOMEM;
		return NULL;
	}
	g->list[g->nr] = (struct group){.id = id};
	return &g->list[g->nr++];
}

void groups__close(struct groups *g, uint64_t id, const struct sock_state *s)
{
	struct group *group = group_of(g, id);

	if (group)
		books__add_socket(&group->closed, s);
	else
		g->closed_left_out++;
}

void groups__begin(struct groups *g)
{
	g->open_left_out = 0;
	for (size_t i = 0; i < g->nr; i++)
		g->list[i].books = g->list[i].closed;
}

void groups__add_open(struct groups *g, uint64_t id, const struct sock_state *s)
{
	struct group *group = group_of(g, id);

	if (group)
		books__add_socket(&group->books, s);
	else
		g->open_left_out++;
}

size_t groups__left_out(const struct groups *g)
{
	return g->closed_left_out + g->open_left_out;
}
