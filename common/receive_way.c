/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the ways to receive. Pure. */
#include "receive_way.h"

static const struct {
	const char *name;
	unsigned int features; /* enum receive_feature */
	const char *words;
} ways[] = {
#define X(id, name, ...) [RECEIVE_##id] = {#name, __VA_ARGS__},
	RECEIVE_WAYS(X)
#undef X
};

const char *receive__name(unsigned int way)
{
	return way < RECEIVE_NR ? ways[way].name : "?";
}

const char *receive__words(unsigned int way)
{
	return way < RECEIVE_NR ? ways[way].words : "?";
}

bool receive__has(unsigned int way, unsigned int features)
{
	return way < RECEIVE_NR && ways[way].features & features;
}
