/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel side of a runner: the kernel's hooks, the plans, and the loaded programs. Independent
 * of paths, processes and rounds.
 */
#ifndef RUN_PROBE_SETUP_H
#define RUN_PROBE_SETUP_H

#include "round.h"

/*
 * Loads the programs for runner->o, for messages of any of these sizes; nothing for backend none.
 * Returns an exit code; failures have been reported.
 */
int probe_setup__open(struct runner *runner, const uint64_t *sizes, size_t sizes_nr);

/* Makes runner->plans for runner->o and records them in runner->result. */
void probe_setup__describe(struct runner *runner);

/* The stages that receivers feed, for plan_request.takes; 0: they only copy. */
unsigned int probe_setup__takes(enum receive way);

#endif
