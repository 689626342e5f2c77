/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Where the kernel keeps its code and data: asked for by name (addresses.bpf.c). */
#ifndef NETIOTRACE_ADDRESSES_H
#define NETIOTRACE_ADDRESSES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define NIO_ADDRESSES    8
#define NIO_ADDRESS_NAME 32 /* with the end of the string */

struct nio_address {
	char name[NIO_ADDRESS_NAME]; /* asked for; "": it and those after it are not */
	__u64 at;                    /* 0: none of that name, or hidden */
};

#endif
