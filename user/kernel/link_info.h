/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of an attached program that libbpf's headers may be too old to name. */
#ifndef NETIOTRACE_LINK_INFO_H
#define NETIOTRACE_LINK_INFO_H

#include <stdint.h>

/*
 * How often the kernel passed over the k(ret)probe behind a BPF link: because it was hit while
 * another was being handled on the CPU, or there was no room to remember another return. Such runs
 * are not among the program's recursion_misses. -ENODATA: this kernel does not tell (before 6.7).
 */
int link_info__kprobe_missed(int link_fd, uint64_t *missed);

#endif
