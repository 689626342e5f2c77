/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What watched sockets did that no stage of the ledger covers (NIO_UNCOVERED in bpf/netiotrace.h):
 * named and counted, never booked as something else. Pure.
 */
#ifndef NETIOTRACE_UNCOVERED_H
#define NETIOTRACE_UNCOVERED_H

#include <stdbool.h>

#include "result.h"
#include "snapshot.h"

const char *uncovered__key(enum nio_uncovered_kind kind);  /* of JSON: "mptcp" */
const char *uncovered__text(enum nio_uncovered_kind kind); /* "through MPTCP, whose ..." */

/* What came between two snapshots, into r. */
void uncovered__book(struct run_result *r, const struct snapshot *base, const struct snapshot *now);
void uncovered__add(struct run_result *dst, const struct run_result *src);
bool uncovered__any(const struct run_result *r);

#endif
