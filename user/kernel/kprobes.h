/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the running kernel have kprobes? Found without loading a program. */
#ifndef KERNEL_KPROBES_H
#define KERNEL_KPROBES_H

/*
 * -ENOENT: no. The kernel has perf event sources but none for kprobes, which every kernel with
 * CONFIG_KPROBE_EVENTS has since Linux 4.17. 0: yes, or unknown.
 */
int kprobes__missing(void);

/* The same for another directory of event sources; for tests. */
int kprobes__missing_in(const char *sources);

#endif
