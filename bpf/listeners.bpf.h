/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where watched tasks listen: a connection that the kernel accepts there may be theirs, before any
 * task has it. A neighbour may listen on the same port, at another address or in another network
 * namespace.
 */
#ifndef BPF_LISTENERS_BPF_H
#define BPF_LISTENERS_BPF_H

#include "socket_file.bpf.h"
#include "task_filter.bpf.h"

/* A listener, or where a connection was accepted: that socket has the family of its listener. */
struct nio_listener {
	__u32 netns;
	__u16 port, family;
	__u8 address[16]; /* a listener at each address: 0 */
};

/* Also listeners that have ended. */
NIO_MAP(nio_listeners, HASH, NIO_LISTENERS_MAX, 0, struct nio_listener, __u8);

__u8 nio_listens[NIO_KNOWN_NR]; /* by port. 1: some watched task listens */
bool nio_listens_anywhere;      /* a watched task listens where no entry tells */

/* Sockets without a port that began to listen: listen() chooses the port after its event. */
#define NIO_UNBOUND 8
__u64 nio_unbound[NIO_UNBOUND];
bool nio_any_unbound;

static __always_inline __u32 netns_of(const struct sock *sk)
{
	const struct net *net = kernel_read(struct sock, sk, __sk_common.skc_net.net);

	return kernel_read(struct net, net, ns.inum);
}

static __always_inline __u16 own_port_of(const struct sock *sk)
{
	return kernel_read(struct sock, sk, __sk_common.skc_num);
}

static __always_inline struct nio_listener place_of(const struct sock *sk)
{
	struct nio_listener l = {.netns = netns_of(sk),
				 .port = local_port_of(sk),
				 .family = kernel_read(struct sock, sk, __sk_common.skc_family)};

	if (l.family == AF_INET)
		*(__u32 *)l.address = kernel_read(struct sock, sk, __sk_common.skc_rcv_saddr);
	else
		BPF_CORE_READ_INTO(&l.address, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
	return l;
}

/* A watched task listens on sk, whose port is known. */
static __always_inline void note_bound(const struct sock *sk)
{
	struct nio_listener l = place_of(sk);
	__u64 port = l.port;
	__u8 one = 1;

	if (bpf_map_update_elem(&nio_listeners, &l, &one, BPF_ANY))
		nio_listens_anywhere = true;
	asm volatile("%0 &= 0xffff" : "+r"(port));
	nio_listens[port] = 1;
}

/* A watched task begins to listen on sk. */
static __always_inline void note_listener(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	if (own_port_of(sk)) {
		note_bound(sk);
		return;
	}
	nio_any_unbound = true;
	for (int i = 0; i < NIO_UNBOUND; i++)
		if (!nio_unbound[i] || nio_unbound[i] == key) {
			nio_unbound[i] = key;
			return;
		}
	nio_listens_anywhere = true;
}

/* Notes the listeners that have a port by now. One that has ended keeps none. */
static __always_inline void note_unbound(void)
{
	for (int i = 0; i < NIO_UNBOUND; i++) {
		const struct sock *sk = (const struct sock *)nio_unbound[i];

		if (!sk || kernel_read(struct sock_common, sk, skc_state) != TCP_LISTEN ||
		    !own_port_of(sk))
			continue;
		note_bound(sk);
		nio_unbound[i] = 0;
	}
}

/* Can a connection accepted here belong to a watched task? */
static __always_inline bool listener_wanted(const struct sock *sk)
{
	struct nio_listener l;

	if (!nio_by_task || nio_listens_anywhere)
		return true;
	if (nio_any_unbound)
		note_unbound();
	if (!is_marked(nio_listens, local_port_of(sk)))
		return false;
	l = place_of(sk);
	if (bpf_map_lookup_elem(&nio_listeners, &l))
		return true;
	__builtin_memset(l.address, 0, sizeof(l.address));
	return bpf_map_lookup_elem(&nio_listeners, &l);
}

#endif
