/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiver's half of a round as a document (common/half.h): the environment and the run of a
 * result document (docs/reference/run.md) as the receiver's machine measured them.
 */
#ifndef WRITE_HALF_DOCUMENT_H
#define WRITE_HALF_DOCUMENT_H

#include "common/half.h"
#include "model/result.h"

#define HALF_WHY 256

/* At most HALF_MAX bytes: stacks are left out if they do not fit. The caller frees the text. */
char *half_document__write(const struct environment *env, const struct run_result *run);

/*
 * Reads what another machine says, which is not trusted: each number has bounds, each text a
 * length. Fills the receiver's side of *run (after run_result__init()) and *env. 0, or -EPROTO with
 * a clause in why.
 */
int half_document__read(const char *text, struct run_result *run, struct environment *env,
			char why[HALF_WHY]);

#endif
