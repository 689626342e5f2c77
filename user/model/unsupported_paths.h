/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What watched sockets did that no stage of the ledger covers (NIO_UNCOVERED in bpf/netiotrace.h):
 * named and counted, never booked as something else. Pure.
 */
#ifndef MODEL_UNSUPPORTED_PATHS_H
#define MODEL_UNSUPPORTED_PATHS_H

#include <stdbool.h>

#include "result.h"
#include "snapshot.h"

const char *unsupported_paths__key(enum nio_uncovered_kind kind);  /* of JSON: "mptcp" */
const char *unsupported_paths__text(enum nio_uncovered_kind kind); /* "through MPTCP, whose ..." */

/* Sets r to the difference of two snapshots. */
void unsupported_paths__book(struct run_result *r, const struct snapshot *base,
			     const struct snapshot *now);
void unsupported_paths__add(struct run_result *dst, const struct run_result *src);
bool unsupported_paths__any(const struct run_result *r);

#endif
