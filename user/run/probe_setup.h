/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of an engine: what the kernel offers, the plans made of it, the programs loaded
 * for them. Knows nothing of paths, processes or rounds.
 */
#ifndef RUN_PROBE_SETUP_H
#define RUN_PROBE_SETUP_H

#include "runner.h"

/*
 * Loads what e->o asks for, for messages of any of these sizes, into e->session; nothing for
 * backend none. Returns an exit code, the failure said.
 */
int probe_setup__open(struct runner *e, const uint64_t *sizes, size_t sizes_nr);

/* Makes e->plans of e->o and says in e->result what they are. */
void probe_setup__describe(struct runner *e);

#endif
