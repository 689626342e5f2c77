/* SPDX-License-Identifier: GPL-2.0-only */
/* Has the running kernel kprobes? Known without loading a program to try. */
#ifndef KERNEL_KPROBES_H
#define KERNEL_KPROBES_H

/*
 * 0: it may, or nothing can be known. -ENOENT: it has perf events, but no source of them for
 * kprobes, which is there wherever programs can be attached to kprobes (CONFIG_KPROBE_EVENTS, since
 * Linux 4.17).
 */
int kprobes__missing(void);

/* The same where the sources' directory is this; for tests. */
int kprobes__missing_in(const char *sources);

#endif
