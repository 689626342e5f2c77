/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways to receive. A new way needs a row here and a struct receive_way in loadgen/.
 */
#ifndef COMMON_RECEIVE_WAY_H
#define COMMON_RECEIVE_WAY_H

#include <stdbool.h>

enum receive_feature {
	RECEIVE_HIDES = 1, /* the bytes cannot be read: neither tags nor contents */
	RECEIVE_TRIED = 2, /* may be missing on a machine: its load generator tries it first */
};

/* The ways: id; name on the command line and in data (receive_way_<name> in loadgen/); features. */
/* clang-format off */
#define RECEIVE_WAYS(X)                                                              \
	X(RECV,   recv,   0)             /* recv(): rx_copy */

enum receive {
#define X(id, ...) RECEIVE_##id,
	RECEIVE_WAYS(X)
#undef X
	RECEIVE_NR,
};
/* clang-format on */

const char *receive__name(unsigned int way); /* "recv", ...; "?" outside the enum */
bool receive__has(unsigned int way, enum receive_feature feature);

#endif
