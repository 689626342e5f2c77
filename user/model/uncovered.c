/* SPDX-License-Identifier: GPL-2.0-only */
/* What no stage covers; see uncovered.h. Pure. */
#include "uncovered.h"

static const struct {
	const char *key;
	const char *text;
} kinds[NIO_UNCOVERED_NR] = {
#define X(id, key, text) [NIO_UNCOVERED_##id] = {key, text},
	NIO_UNCOVERED(X)
#undef X
};

const char *uncovered__key(enum nio_uncovered_kind kind)
{
	return kinds[kind].key;
}

const char *uncovered__text(enum nio_uncovered_kind kind)
{
	return kinds[kind].text;
}

void uncovered__book(struct run_result *r, const struct snapshot *base, const struct snapshot *now)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			const struct nio_uncovered *a = &base->uncovered[side][kind];
			const struct nio_uncovered *b = &now->uncovered[side][kind];

			r->uncovered[side][kind].bytes = b->bytes - a->bytes;
			r->uncovered[side][kind].events = b->events - a->events;
		}
	}
}

void uncovered__add(struct run_result *dst, const struct run_result *src)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			dst->uncovered[side][kind].bytes += src->uncovered[side][kind].bytes;
			dst->uncovered[side][kind].events += src->uncovered[side][kind].events;
		}
	}
}

bool uncovered__any(const struct run_result *r)
{
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (r->uncovered[side][kind].events)
				return true;
	return false;
}
