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
struct presence;

/*
 * What the running kernel has; NULL: it has no BTF, or presence__kernel_error(). Found at the first
 * call, which takes some 20 ms, and kept for the life of the process.
 */
const struct presence *presence__kernel(void);

/*
 * Why it could not be told what the kernel has: -errno of memory, open files. 0: it was told, or
 * the kernel has no BTF, so that nothing can be.
 */
int presence__kernel_error(void);

/*
 * The same of any BTF, which stays the caller's and must outlive it; NULL of NULL, too. For tests.
 * presence__free() takes NULL.
 */
struct presence *presence__of(const struct btf *btf);
void presence__free(struct presence *p);

/*
 * Is there a function with this name and number of arguments (0: any)? 0, -ENOENT, or -EPROTOTYPE
 * when it takes others. All of these with p NULL: 0, since nothing is known.
 */
int presence__function(const struct presence *p, const char *name, unsigned int args);

/* Is there a per-CPU variable of this name? false with p NULL. */
bool presence__variable(const struct presence *p, const char *name);

/* Can a program with this section name ("fexit/tcp_push", "?tp_btf/...") have its place? 0,
 * -ENOENT. */
int presence__section(const struct presence *p, const char *section);

/* What the outcome of trying an alternative (0 or -errno) says of the kernel. */
struct offer presence__offer(int err);

#endif
