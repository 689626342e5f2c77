/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes from the sockets' sequence numbers, compared with the events (docs/DESIGN.md). Pure. */
#ifndef MODEL_LEDGER_BYTES_H
#define MODEL_LEDGER_BYTES_H

#include "probes/plan.h"
#include "result.h"
#include "snapshot.h"

/*
 * After the stages were booked from events: replaces bytes that the sockets know exactly, and fills
 * sequence, unclassified, health.coverage and open_bytes. Without the sockets' numbers, bytes come
 * from the events. since: see snapshot__since().
 */
void ledger_bytes__book(struct run_result *r, const struct plan *plan,
			const struct snapshot *since);

/*
 * After that, for a run with replies whose events are in the stages: the same for their bytes. The
 * receivers queue them, the senders read them, and both can only copy.
 */
void ledger_bytes__replies(struct run_result *r, const struct snapshot *since);

/* The sum of the available stages of an account. */
uint64_t ledger_bytes__seen(const struct run_result *r, enum stage_account account);

/*
 * Bytes that may have been copied or not, since events were missed. An unclassified byte was either
 * copied by the send call, or pinned and perhaps copied later: the open bytes of deferred_copy
 * already include it.
 */
/*
 * What the sender's device makes the kernel copy without an event: bytes of sendfile and splice
 * without TX checksums, any byte without scatter-gather. Nothing where the plan sees other copies.
 */
void ledger_bytes__bound_device(struct run_result *r, const struct environment *env);

uint64_t ledger_bytes__open(const struct run_result *r);

/* Are bytes sent or received unknown: events were sampled, and there are no sequence numbers? */
bool ledger_bytes__unknown(const struct run_result *r);

#endif
