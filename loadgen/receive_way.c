/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of ways to receive. */
#include "receive_way.h"

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
	const struct receive_way *w = receive_way__get(way);

	return w->try ? w->try() : 0;
}
