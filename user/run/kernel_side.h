/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of an engine: what the kernel offers, the plans made of it, the programs loaded
 * for them. Knows nothing of paths, processes or rounds.
 */
#ifndef NETIOTRACE_KERNEL_SIDE_H
#define NETIOTRACE_KERNEL_SIDE_H

#include "engine.h"

/*
 * Loads what e->o asks for, for messages of any of these sizes, into e->session; nothing for
 * backend none. Returns an exit code, the failure said.
 */
int kernel_side__open(struct engine *e, const uint64_t *sizes, size_t sizes_nr);

/* Makes e->plans of e->o and says in e->result what they are. */
void kernel_side__describe(struct engine *e);

#endif
