/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel's type information (BTF) says of its own structures. */
#ifndef NETIOTRACE_KERNEL_BTF_H
#define NETIOTRACE_KERNEL_BTF_H

#include "model/result.h"

struct btf;

/*
 * All of it; NULL: see kernel_btf__error(). Read at the first call, which takes some 10 ms, and
 * kept for the life of the process: it says the same as long as the kernel runs.
 */
const struct btf *kernel_btf__get(void);

/* 0: it is there. -ENOENT: the kernel has none. Other -errno: it could not be read now. */
int kernel_btf__error(void);

/*
 * Has struct `name` a member of that name? Unknown when the kernel has no BTF, or no such struct in
 * it.
 */
struct flag kernel_btf__has_member(const char *name, const char *member);

#endif
