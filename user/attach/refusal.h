/* SPDX-License-Identifier: GPL-2.0-only */
/* The message for a kernel that cannot be watched as requested. */
#ifndef ATTACH_REFUSAL_H
#define ATTACH_REFUSAL_H

#include "kernel/attach_probes.h"

/* Reports err and *no of attach_probes__open(), with the remedy. An exit code. */
int refusal__say(enum backend asked, int err, const struct attach_refusal *no);

#endif
