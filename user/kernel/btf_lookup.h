/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel has, by its type information (BTF): functions, tracepoints, members of
 * structures; and kprobes, without loading a program. Not whether a program may attach there.
 */
#ifndef KERNEL_BTF_LOOKUP_H
#define KERNEL_BTF_LOOKUP_H

#include "model/result.h"

struct btf;
struct btf_lookup;

/*
 * The running kernel's; NULL: see btf_lookup__kernel_error(). The first call takes some 30 ms; the
 * result lives as long as the process.
 */
const struct btf_lookup *btf_lookup__kernel(void);

/* Why the kernel's BTF could not be read: -errno of memory, open files. 0: read, or there is none.
 */
int btf_lookup__kernel_error(void);

/* Indexes any BTF, which the caller keeps until after btf_lookup__free(). Free takes NULL. */
struct btf_lookup *btf_lookup__of(const struct btf *btf);
void btf_lookup__free(struct btf_lookup *l);

/*
 * Whether there is a function of this name with this number of arguments (0: any): 0, -ENOENT, or
 * -EPROTOTYPE for another number. l NULL: 0, unknown.
 */
int btf_lookup__function(const struct btf_lookup *l, const char *name, unsigned int args);

/* The id of a function in this BTF, for programs that attach by it, or -ENOENT. l may be NULL. */
int btf_lookup__id(const struct btf_lookup *l, const char *name);

/* The number of arguments of a tracepoint. 0: there is none of this name, or it is unknown. */
unsigned int btf_lookup__tracepoint_args(const struct btf_lookup *l, const char *name);

/* Whether there is a per-CPU variable of this name. false with l NULL. */
bool btf_lookup__variable(const struct btf_lookup *l, const char *name);

/* Whether the hook of a section ("fexit/tcp_push", "?tp_btf/...") exists: 0 or -ENOENT. */
int btf_lookup__section(const struct btf_lookup *l, const char *section);

/* Whether the kernel's struct `name` has this member. Unknown without BTF or such a struct. */
struct flag btf_lookup__has_member(const char *name, const char *member);

/* Whether the kernel has a struct of this name. Unknown without BTF. */
struct flag btf_lookup__has_struct(const char *name);

/*
 * Whether the kernel has CONFIG_IRQ_TIME_ACCOUNTING: only then it has struct irqtime
 * (kernel/sched/sched.h), and a variable of that type.
 */
struct flag btf_lookup__irq_time(void);

/*
 * -ENOENT: no. The kernel has perf event sources, in this directory, but none for kprobes, which
 * every kernel with CONFIG_KPROBE_EVENTS has since Linux 4.17. 0: yes, or unknown.
 */
int kprobes__missing_in(const char *sources);

#endif
