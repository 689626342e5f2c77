/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of kernel code and data for the programs. */
#ifndef KERNEL_KERNEL_ADDRESSES_H
#define KERNEL_KERNEL_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

/* 0: the kernel lacks or hides the symbol. Programs treat 0 as unknown. */
struct kernel_addresses {
	/* A socket with operations other than tcp_sendmsg() and tcp_recvmsg() is not TCP's. */
	uint64_t tcp_sendmsg, tcp_recvmsg;
	/*
	 * The function that ends MSG_ZEROCOPY sends: msg_zerocopy_complete() since 6.10,
	 * msg_zerocopy_callback(), before 5.12 sock_zerocopy_callback(). Pages with another
	 * callback are not the sender's.
	 */
	uint64_t zerocopy_end;
	uint64_t report_end; /* io_tx_ubuf_callback_ext(), until 6.9: io_uring's requests that
				report */
	/* Where x86 kept the preemption count, 6.2 to 6.14. */
	uint64_t pcpu_hot, per_cpu_offset;
};

/*
 * Asks the kernel, once in the life of the process; before 5.16 reads /proc/kallsyms. If neither
 * works, all are 0, and the next call tries again.
 */
void kernel_addresses__find(struct kernel_addresses *a);

/*
 * The addresses of the n names, by a BPF program (bpf/addresses.bpf.c); 0 for hidden or missing
 * ones. -E2BIG: too many names, -ENAMETOOLONG: one is too long; else the error from loading the
 * program, -EINVAL before 5.16.
 */
int kernel_addresses__ask(const char *const *wanted, uint64_t *at, size_t n);

#endif
