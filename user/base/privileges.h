/* SPDX-License-Identifier: GPL-2.0-only */
/* May this process do what a run needs? Asked before anything starts. */
#ifndef NETIOTRACE_PRIVILEGES_H
#define NETIOTRACE_PRIVILEGES_H

#include <stdbool.h>

/* Load BPF programs that trace the kernel: CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN. */
bool privileges__may_trace(void);

/*
 * Are we in a user namespace of our own, where capabilities count for what belongs to it, and not
 * for loading programs into the kernel?
 */
bool privileges__in_user_namespace(void);

/* What to say when the kernel refused it there: half a sentence, before what to do. */
extern const char privileges__namespace_text[];

/* Make network namespaces and devices: CAP_SYS_ADMIN and CAP_NET_ADMIN. */
bool privileges__may_make_path(void);

/* Is capability CAP_... of <linux/capability.h> in force for this process? */
bool privileges__have(unsigned int capability);

#endif
