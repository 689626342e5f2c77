/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What watched sockets did that no stage of the ledger covers (NIO_UNCOVERED in bpf/netiotrace.h):
 * named and counted, never booked as something else. Pure.
 */
#ifndef MODEL_UNSUPPORTED_PATHS_H
#define MODEL_UNSUPPORTED_PATHS_H

#include <stdbool.h>

#include "result.h"

const char *unsupported_paths__key(enum nio_uncovered_kind kind);  /* of JSON: "mptcp" */
const char *unsupported_paths__text(enum nio_uncovered_kind kind); /* "through MPTCP, whose ..." */

bool unsupported_paths__any(const struct run_result *r);

#endif
