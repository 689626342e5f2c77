/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the question whether this process has the capabilities that a run needs. */
#ifndef NETIOTRACE_PRIVILEGES_H
#define NETIOTRACE_PRIVILEGES_H

#include <stdbool.h>

/* May this process load tracing BPF programs? CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN. */
bool privileges__may_trace(void);

/* Is this process in a user namespace other than the first? Root there may not load BPF. */
bool privileges__in_user_namespace(void);

/* Half a sentence: why root of a user namespace may not trace. */
extern const char privileges__namespace_text[];

/* May this process create network namespaces and devices? CAP_SYS_ADMIN and CAP_NET_ADMIN. */
bool privileges__may_make_path(void);

/* Is a capability of <linux/capability.h> effective? */
bool privileges__have(unsigned int capability);

#endif
