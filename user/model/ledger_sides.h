/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stages that happen on both sides' sockets: unexpected copies, and with replies the copies of
 * sending and receiving. Pure.
 */
#ifndef NETIOTRACE_LEDGER_SIDES_H
#define NETIOTRACE_LEDGER_SIDES_H

#include "result.h"
#include "snapshot.h"

/*
 * Adds to a stage, booked for the side that feeds it, what the programs booked to it on the other's
 * sockets between base and now. Nothing to one that is unavailable.
 */
void ledger_sides__add_other(struct run_result *r, enum nio_stage stage,
			     const struct snapshot *base, const struct snapshot *now);

#endif
