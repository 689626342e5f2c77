/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs are told of where the kernel keeps its code and data. */
#ifndef KERNEL_KERNEL_ADDRESSES_H
#define KERNEL_KERNEL_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

/* 0: this kernel has none of that name, or hides it. Programs take 0 for "cannot tell". */
struct kernel_addresses {
	/* tcp_sendmsg() and tcp_recvmsg(): a socket whose operations are others is not served by
	 * TCP. */
	uint64_t tcp_sendmsg, tcp_recvmsg;
	/* What ends MSG_ZEROCOPY sends: msg_zerocopy_complete() since 6.10,
	 * msg_zerocopy_callback(), before 5.12 sock_zerocopy_callback(). Other pages with a
	 * callback are not the sender's. */
	uint64_t zerocopy_end;
	uint64_t pcpu_hot, per_cpu_offset; /* where x86 kept the preemption count, 6.2 to 6.14 */
};

/* Asks the kernel; before 5.16 it reads /proc/kallsyms. Where neither can be, all are 0. */
void kernel_addresses__find(struct kernel_addresses *a);

/*
 * The addresses of the n names wanted, by a BPF program (bpf/addresses.bpf.c); 0 of what is hidden
 * or is not there. -E2BIG, -ENAMETOOLONG: there is no room for so many, or for one of them; else
 * what the kernel refused the program with, -EINVAL before 5.16.
 */
int kernel_addresses__ask(const char *const *wanted, uint64_t *at, size_t n);

#endif
