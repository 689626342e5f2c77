/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of ways to receive. */
#include "receive_way.h"
#include "trial.h"

const struct receive_way *receive_way__get(enum receive way)
{
	static const struct receive_way *const ways[] = {
#define X(id, name, ...) [RECEIVE_##id] = &receive_way_##name,
		RECEIVE_WAYS(X)
#undef X
	};

	return ways[way];
}

int receive_way__try(enum receive way)
{
	static struct trial trials[RECEIVE_NR];
	const struct receive_way *w = receive_way__get(way);
	struct trial *t = &trials[way];

	if (!w->try)
		return 0;
	return trial__is_due(t) ? trial__keep(t, w->try()) : t->err;
}
