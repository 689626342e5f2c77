/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Demands of options on this machine, apart from their syntax: CPUs and the memory of messages.
 * Checked before anything starts; an impossible demand is reported and gives EXIT_USAGE.
 */
#ifndef RUN_PREFLIGHT_H
#define RUN_PREFLIGHT_H

#include "run_order.h"
#include "common/mode.h"
#include "options.h"

/* Exit codes. __check_cpus(): the CPUs alone. A sweep checks every cell: it does not begin if one
 * is impossible. */
int preflight__check(const struct options *o);
int preflight__check_cells(const struct options *o, const struct sweep_grid *g);

int preflight__check_cpus(const struct workload *t);

#endif
