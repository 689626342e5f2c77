/* SPDX-License-Identifier: GPL-2.0-only */
/* The message for a kernel that cannot be watched as requested. */
#ifndef KERNEL_REFUSAL_H
#define KERNEL_REFUSAL_H

#include "attach_probes.h"

/*
 * Why err (-errno) says nothing about the kernel: a resource limit, memory or files that others
 * have, or no /sys. A clause, static until the next call; NULL: none of these.
 */
const char *refusal__of_moment(int err);

/*
 * Reports err and *no of attach_probes__open() for a command ("attach"), with the remedy. An exit
 * code.
 */
int refusal__log(const char *command, enum backend asked, int err, const struct attach_refusal *no);

#endif
