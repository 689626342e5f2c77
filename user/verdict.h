/* SPDX-License-Identifier: GPL-2.0-only */
/* Was zero-copy zero-copy, and if not, why: in words, from the evidence of the run. Pure. */
#ifndef NETIOTRACE_VERDICT_H
#define NETIOTRACE_VERDICT_H

#include "result.h"

/* Fills r->verdict from the ledger of r and the path it took. */
void verdict__give(struct run_result *r, const struct environment *env);

#endif
