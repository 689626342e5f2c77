/* SPDX-License-Identifier: GPL-2.0-only */
/* The message for a kernel that cannot be watched as requested. */
#ifndef NETIOTRACE_REFUSAL_H
#define NETIOTRACE_REFUSAL_H

#include "kernel/watcher.h"

/* Reports err and *no of watcher__open(), with the remedy. An exit code. */
int refusal__say(enum backend asked, int err, const struct watcher_refusal *no);

#endif
