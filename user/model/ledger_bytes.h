/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of the ledger from the sockets' own sequence numbers, and what the events are held
 * against: see docs/DESIGN.md, "Bytes". Pure.
 */
#ifndef NETIOTRACE_LEDGER_BYTES_H
#define NETIOTRACE_LEDGER_BYTES_H

#include "plan.h"
#include "result.h"
#include "snapshot.h"

/*
 * After the stages were booked from events: replaces what the passes of base and now know better,
 * and fills sequence, unclassified, health.coverage and what misses leave open. Without passes all
 * stays as the events have it.
 */
void ledger_bytes__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
			const struct snapshot *now);

/*
 * After that, of a run whose messages were answered, when the events of the replies are in the
 * stages: their bytes likewise. The receivers queue them, the senders take them, and both can only
 * copy them.
 */
void ledger_bytes__replies(struct run_result *r, const struct snapshot *base,
			   const struct snapshot *now);

/*
 * Bytes that misses leave open: each of them may have been copied, or not. A byte that is not
 * classified was copied by the send call, or pinned and perhaps copied later, but not both: what is
 * open of deferred_copy has it in already.
 */
uint64_t ledger_bytes__open(const struct run_result *r);

/* The stages of a balance that does not hold are lower bounds: says so in their reasons. */
void ledger_bytes__doubt(struct run_result *r);

/*
 * Is it not known how many bytes were sent or received, since events were looked at a part of the
 * time and there are no sequence numbers?
 */
bool ledger_bytes__untold(const struct run_result *r);

#endif
