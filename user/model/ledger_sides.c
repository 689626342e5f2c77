/* SPDX-License-Identifier: GPL-2.0-only */
/* A stage on the sockets of both sides; see ledger_sides.h. Pure. */
#include "ledger.h"
#include "ledger_sides.h"

void ledger_sides__add_other(struct run_result *r, enum nio_stage stage,
			     const struct snapshot *base, const struct snapshot *now)
{
	enum nio_side other =
		stage__side(stage) == NIO_SIDE_SENDER ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	const struct nio_cell *from = &base->cells[other][stage];
	const struct nio_cell *to = &now->cells[other][stage];
	struct stage_result *out = &r->stages[stage];

	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	out->bytes += to->bytes - from->bytes;
	out->events += to->events - from->events;
	if (!out->sizes) /* no event is attached: bytes are known otherwise */
		return;
	for (uint32_t i = 0; i < NIO_HIST_BUCKETS; i++)
		if (to->hist[i] != from->hist[i])
			hist__add_bucket(out->sizes, i, to->hist[i] - from->hist[i]);
	if (out->sizes->count)
		out->sizes->sum = out->bytes;
}
