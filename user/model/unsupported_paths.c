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

bool unsupported_paths__any(const struct run_result *r)
{
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (r->uncovered[side][kind].events)
				return true;
	return false;
}
