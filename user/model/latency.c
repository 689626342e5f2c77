/* SPDX-License-Identifier: GPL-2.0-only */
/* The latencies of a run; see latency.h. Pure. */
#include <stddef.h>

#include "latency.h"

static const struct latency_row {
	const char *key;
	enum nio_side side;
	const char *heading, *none, *help;
} latencies[] = {
#define X(id, key, side, ...) {key, NIO_SIDE_##side, __VA_ARGS__},
	LATENCIES(X)
#undef X
};

const char *latency__key(enum latency_kind k)
{
	return (size_t)k < LATENCY_NR ? latencies[k].key : "?";
}

enum nio_side latency__side(enum latency_kind k)
{
	return latencies[k].side;
}

const char *latency__heading(enum latency_kind k)
{
	return latencies[k].heading;
}

const char *latency__none(enum latency_kind k)
{
	return latencies[k].none;
}

const char *latency__help(enum latency_kind k)
{
	return latencies[k].help;
}
