/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences of the final text that are made of claims. Pure. */
#ifndef NETIOTRACE_TEXT_COMPARISON_H
#define NETIOTRACE_TEXT_COMPARISON_H

#include <stdbool.h>
#include <stdio.h>

#include "model/comparison.h"
#include "model/congestion.h"

/*
 * The throughput of zero-copy against that of one-copy in one sentence, with a blank before it.
 * Nothing for DIFFERENCE_UNKNOWN.
 */
void text_comparison__write(FILE *f, const struct rank_test *t);

/*
 * What is to be said of the senders' congestion control before anybody is called faster: whether it
 * paces, which limits them before copying does, and that another one was chosen. Nothing of a
 * control that is the system's and does not pace.
 */
void text_congestion__write(FILE *f, const struct congestion *c);

#endif
