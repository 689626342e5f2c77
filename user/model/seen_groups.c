/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of watched calls by group; see seen_groups.h. Pure. */
#include <string.h>

#include "common/xalloc.h"
#include "seen_groups.h"

void seen_bytes__add(struct seen_bytes *s, const double sent[SAMPLED_PARTS],
		     const double moved[SAMPLED_PARTS], bool whole, double weight)
{
	sampled_sums__add(&s->calls, sent, SEEN_CALLS, whole, weight);
	sampled_sums__add(&s->ways, moved, SEEN_WAYS, whole, weight);
	sampled_sums__add(&s->reads, moved, SEEN_READS, whole, weight);
}

static struct seen_group *find(const struct seen_groups *g, enum seen_kind kind, uint64_t id,
			       uint64_t started)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->list[i].kind == kind && g->list[i].id == id && g->list[i].started == started)
			return &g->list[i];
	return NULL;
}

/* NULL: there is none. */
static struct seen_group *place(struct seen_groups *g, uint64_t now_ns)
{
	struct seen_group *oldest = g->list;

	if (g->nr < SEEN_GROUPS_MAX) {
		g->list = xgrow(g->list, g->nr, sizeof(*g->list));
		return &g->list[g->nr++];
	}
	for (size_t i = 1; i < g->nr; i++)
		if (g->list[i].last_ns < oldest->last_ns)
			oldest = &g->list[i];
	return oldest->last_ns == now_ns ? NULL : oldest;
}

static void add_to(struct seen_groups *g, enum seen_kind kind, uint64_t id, uint64_t started,
		   const double *sent, const double *moved, uint64_t now_ns)
{
	struct seen_group *group = find(g, kind, id, started);

	if (!group) {
		group = place(g, now_ns);
		if (!group)
			return;
		*group = (struct seen_group){.kind = kind, .id = id, .started = started};
	}
	group->last_ns = now_ns;
	for (int i = 0; i < SAMPLED_PARTS; i++) {
		group->sent[i] += sent[i];
		group->moved[i] += moved[i];
	}
}

void seen_groups__add(struct seen_groups *g, const struct nio_group *of, const double *sent,
		      const double *moved, uint64_t now_ns)
{
	add_to(g, SEEN_PORT, of->port, 0, sent, moved, now_ns);
	add_to(g, SEEN_CGROUP, of->cgroup, 0, sent, moved, now_ns);
	add_to(g, SEEN_PROCESS, of->tgid, of->started, sent, moved, now_ns);
	add_to(g, SEEN_PROCESS_PORT, seen_groups__process_port(of->tgid, of->port), of->started,
	       sent, moved, now_ns);
}

void seen_groups__end(struct seen_groups *g, bool whole, double weight, uint64_t now_ns)
{
	for (size_t i = 0; i < g->nr; i++) {
		struct seen_group *group = &g->list[i];

		if (group->last_ns != now_ns)
			continue;
		seen_bytes__add(&group->seen, group->sent, group->moved, whole, weight);
		memset(group->sent, 0, sizeof(group->sent));
		memset(group->moved, 0, sizeof(group->moved));
	}
}

const struct seen_bytes *seen_groups__find(const struct seen_groups *g, enum seen_kind kind,
					   uint64_t id, uint64_t started)
{
	const struct seen_group *group = find(g, kind, id, started);

	return group ? &group->seen : NULL;
}
