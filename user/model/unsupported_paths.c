/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes outside all stages; see unsupported_paths.h. Pure. */
#include "unsupported_paths.h"

static const struct {
	const char *key;
	const char *text;
} kinds[NIO_UNCOVERED_NR] = {
#define X(id, key, text) [NIO_UNCOVERED_##id] = {key, text},
	NIO_UNCOVERED(X)
#undef X
};

const char *unsupported_paths__key(enum nio_uncovered_kind kind)
{
	return kinds[kind].key;
}

const char *unsupported_paths__text(enum nio_uncovered_kind kind)
{
	return kinds[kind].text;
}

void unsupported_paths__book(struct run_result *r, const struct snapshot *base,
			     const struct snapshot *now)
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

void unsupported_paths__add(struct run_result *dst, const struct run_result *src)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			dst->uncovered[side][kind].bytes += src->uncovered[side][kind].bytes;
			dst->uncovered[side][kind].events += src->uncovered[side][kind].events;
		}
	}
}

bool unsupported_paths__any(const struct run_result *r)
{
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (r->uncovered[side][kind].events)
				return true;
	return false;
}
