/* SPDX-License-Identifier: GPL-2.0-only */
/* Remembers the result of a trial of this kernel: any peer's hello asks a receiver for one. */
#ifndef LOADGEN_TRIAL_H
#define LOADGEN_TRIAL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

/* The kernel may change: a module is loaded, a limit is raised. */
#define TRIAL_KEEP_NS NS_PER_SEC

/* Zeroed: never tried. */
struct trial {
	uint64_t until; /* ns */
	int err;        /* 0 or -errno */
};

/* Must it be tried now? Else t->err is its result. */
static inline bool trial__is_due(const struct trial *t)
{
	return clock__now() >= t->until;
}

/* Keeps a result for TRIAL_KEEP_NS, unless this process had no room for a trial. Returns err. */
static inline int trial__keep(struct trial *t, int err)
{
	if (err == -EINTR || err == -EMFILE || err == -ENFILE || err == -ENOMEM)
		return err;
	t->err = err;
	t->until = clock__now() + TRIAL_KEEP_NS;
	return err;
}

#endif
