/* SPDX-License-Identifier: GPL-2.0-only */
/* What attach says of a kernel that cannot be watched as asked. */
#ifndef NETIOTRACE_REFUSAL_H
#define NETIOTRACE_REFUSAL_H

#include "kernel/watcher.h"

/* Of watcher__open(), which returned err and filled *no: says it, and what to do. An exit code. */
int refusal__say(enum backend asked, int err, const struct watcher_refusal *no);

#endif
