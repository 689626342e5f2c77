/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --assert expressions: `MODE.PATH OP NUMBER` (or PATH OP NUMBER: must hold in every mode that
 * ran), OP one of == != <= >= < >. PATH names a number of a run or of its summary as in the JSON
 * document: copied_fraction, copies_per_byte, unaccounted_tx, throughput_gbps,
 * ledger.tx_copy.bytes, app.latency_ns.send_call.p99, health.missed, ... Held against each run for
 * ledger numbers, against the median for throughput. Pure.
 */
#ifndef NETIOTRACE_ASSERTION_H
#define NETIOTRACE_ASSERTION_H

#include <stddef.h>

#include "model/result.h"

struct assertion;

/* Parses text. 0, or -EINVAL with a sentence naming what is wrong in message. */
int assertion__parse(struct assertion **out, const char *text, char *message, size_t len);
void assertion__free(struct assertion *a); /* takes NULL */

/*
 * 1 holds; 0 does not hold, with a sentence (the expression, the value found, where) in message.
 * A number that is unknown, or a mode that did not run, does not hold, and the sentence says so.
 */
int assertion__check(const struct assertion *a, const struct result *r, char *message, size_t len);

#endif
