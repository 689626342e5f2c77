/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel has, by its BTF: functions with their number of arguments, tracepoints.
 * Says nothing of whether a program may be attached there.
 */
#ifndef NETIOTRACE_PRESENCE_H
#define NETIOTRACE_PRESENCE_H

#include <stdbool.h>

#include "model/plan.h"

struct btf;

/* The BTF of the running kernel; NULL: it has none. Owned by the caller: presence__free(). */
struct btf *presence__read(void);
void presence__free(struct btf *btf); /* takes NULL */

/*
 * Is there a function with this name and number of arguments (0: any)? 0, -ENOENT, or -EPROTOTYPE
 * when it takes others. All of these with btf NULL: 0, since nothing is known.
 */
int presence__function(const struct btf *btf, const char *name, unsigned int args);

/* Is there a per-CPU variable of this name? false with btf NULL. */
bool presence__variable(const struct btf *btf, const char *name);

/* Can a program with this section name ("fexit/tcp_push", "?tp_btf/...") have its place? 0,
 * -ENOENT. */
int presence__section(const struct btf *btf, const char *section);

/* What the outcome of trying an alternative (0 or -errno) says of the kernel. */
struct offer presence__offer(int err);

#endif
