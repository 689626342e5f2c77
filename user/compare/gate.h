/* SPDX-License-Identifier: GPL-2.0-only */
/* The gate of --fail-on-regression. */
#ifndef NETIOTRACE_GATE_H
#define NETIOTRACE_GATE_H

#include "compare_options.h"

/*
 * Did anything get worse? An exit code, with the sentence said: EXIT_ASSERTION for a regression,
 * EXIT_RUN_FAILED where it cannot be told of every cell there was before.
 */
int gate__judge(const struct changes *c, const struct compare_options *o);

#endif
