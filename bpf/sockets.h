/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The contract of the socket pass: what the program nio_sockets (bpf/sockets.bpf.h) writes of each
 * watched socket it meets, and user space reads from the iterator's descriptor. The kernel's own
 * counters as they stand; what they say of the application's bytes is user/model/sequence.h's.
 */
#ifndef NETIOTRACE_SOCKETS_H
#define NETIOTRACE_SOCKETS_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

struct nio_socket {
	__u64 cookie;
	/* tcp_sock: 64-bit counters, and the sequence numbers that say what of them is under way */
	__u64 bytes_acked;
	__u64 bytes_received;
	__u64 bytes_retrans;
	__u32 write_seq;
	__u32 snd_una;
	__u32 rcv_nxt;
	__u32 copied_seq;
	/* sock */
	__u32 zckey;         /* sk_zckey: ids of zero-copy sends given out so far */
	__u8 state;          /* TCP_ESTABLISHED, ... */
	__u8 scatter_gather; /* sk_route_caps has NETIF_F_SG: a zero-copy send pins */
	__u8 pad[2];
	__u32 omem; /* sk_omem_alloc, bytes: each zero-copy send is charged until it is read of */
	__u32 pad2;
};

_Static_assert(sizeof(struct nio_socket) == 64, "nio_socket layout");

#endif
