/* SPDX-License-Identifier: GPL-2.0-only */
/* What netiotrace follow found about the bytes that a program sent, or received. */
#ifndef MODEL_FOLLOWED_H
#define MODEL_FOLLOWED_H

#include "base/num.h"
#include "common/mode.h"

struct followed {
	struct real per_byte; /* copies in user space; unknown: why[] has the reason */
	double low, high;     /* 95 % interval */
	uint64_t bytes;       /* followed, without the unknown ones */
	uint64_t unknown;
	char function[64]; /* that copies most often; empty: none, or without a name */
	char why[192];     /* why per_byte is unknown */
};

/* A mode of the load generator, whose sender was followed in a round of its own. */
struct followed_mode {
	enum mode mode;
	struct real own; /* the sender's own count of the same copies, per byte sent */
	struct followed sent;
};

#endif
