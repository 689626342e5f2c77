/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What options ask of this machine, apart from whether they are well-formed: the CPUs they name and
 * the memory of the messages. Looked at before anything starts; a demand that cannot be met is said
 * in a sentence, and comes to EXIT_USAGE.
 */
#ifndef RUN_PREFLIGHT_H
#define RUN_PREFLIGHT_H

#include "run_order.h"
#include "common/mode.h"
#include "options.h"

/* Exit codes. Of a sweep every cell is looked at: one that cannot be finished is not begun. */
int preflight__check(const struct options *o);
int preflight__check_cells(const struct options *o, const struct sweep_grid *g);

/* The same, part by part; of messages alone: 0, or -EINVAL with the sentence in why. */
int preflight__check_cpus(const struct workload *t);
int preflight__check_messages(enum mode mode, uint64_t size, unsigned int connections,
			      uint64_t memory, char *why, size_t len);

#endif
