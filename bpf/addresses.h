/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Addresses of kernel symbols: the data shared by addresses.bpf.c and user space. */
#ifndef BPF_ADDRESSES_H
#define BPF_ADDRESSES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define NIO_ADDRESSES    8
#define NIO_ADDRESS_NAME 32 /* with the terminating NUL */

struct nio_address {
	char name[NIO_ADDRESS_NAME]; /* the symbol; "" ends the list */
	__u64 at;                    /* its address; 0: no such symbol, or hidden */
};

#endif
