/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What of a socket's route and options makes the kernel copy without an event: NIO_PATH_*. */
#ifndef BPF_SOCK_PATH_BPF_H
#define BPF_SOCK_PATH_BPF_H

#include "socket_file.bpf.h"
#include "sock_state.h"

/* Deferred copies are counted where packets arrive: no program sees the copy itself. */
const volatile bool nio_by_arrival = false;

struct rtnl_link_ops;
struct xfrm_state;

struct net_device___path {
	netdev_features_t features;
	const struct rtnl_link_ops *rtnl_link_ops;
	struct list_head ptype_all;
} __attribute__((preserve_access_index));

struct dst_entry___path {
	struct net_device___path *dev;
	struct xfrm_state *xfrm;
} __attribute__((preserve_access_index));

struct sock___path {
	struct dst_entry___path *sk_dst_cache;
	__u32 sk_tsflags; /* 16 bits before Linux 6.2 */
} __attribute__((preserve_access_index));

/* include/linux/netdev_features.h */
#define NETIF_F_IP_CSUM   (1ULL << 1)
#define NETIF_F_HW_CSUM   (1ULL << 3)
#define NETIF_F_IPV6_CSUM (1ULL << 4)

/* SOF_TIMESTAMPING_*. Stamps at the device's queue, in its driver, in hardware, at the ACK and at
 * the completion. */
#define TX_STAMPS     (1U << 0 | 1U << 1 | 1U << 8 | 1U << 9 | 1U << 18)
#define REPORT_STAMPS (1U << 4 | 1U << 6) /* reported, if a control message asks for them */
#define OPT_TSONLY    (1U << 11)
#define STAMPS_MAX    5

/* How many timestamps of a packet may return the packet with its payload. */
static __always_inline __u8 stamps_of(const struct sock *sk)
{
	const struct sock___path *p = (const void *)sk;
	__u32 flags = 0;

	bpf_probe_read_kernel(
		&flags, bpf_core_field_size(p->sk_tsflags) < sizeof(flags) ? 2 : sizeof(flags),
		(const char *)sk + bpf_core_field_offset(struct sock___path, sk_tsflags));
	if ((flags & OPT_TSONLY) || !(flags & (TX_STAMPS | REPORT_STAMPS)))
		return 0;
	if (!(flags & TX_STAMPS))
		return STAMPS_MAX;
	return (flags & 1) + (flags >> 1 & 1) + (flags >> 8 & 1) + (flags >> 9 & 1) +
	       (flags >> 18 & 1);
}

static __always_inline __u8 device_path(const struct net_device___path *dev, bool ipv6)
{
	const void *taps =
		(const char *)dev + bpf_core_field_offset(struct net_device___path, ptype_all);
	netdev_features_t features = BPF_CORE_READ(dev, features);
	__u8 path = 0;

	/* A socket of IPv6 may send IPv4. */
	if (!(features & (NETIF_F_HW_CSUM | NETIF_F_IP_CSUM)) ||
	    (ipv6 && !(features & (NETIF_F_HW_CSUM | NETIF_F_IPV6_CSUM))))
		path |= NIO_PATH_NO_CHECKSUM;
	if (!(features & NETIF_F_SG))
		path |= NIO_PATH_NO_GATHER;
	if (BPF_CORE_READ(dev, rtnl_link_ops))
		path |= NIO_PATH_ONWARD;
	if ((const void *)BPF_CORE_READ(dev, ptype_all.next) != taps)
		path |= NIO_PATH_TAP;
	return path;
}

/* Adds what is true now: a route or an option may change while the socket is watched. */
static __always_inline void note_path(struct sock_state *s, const struct sock *sk)
{
	const struct dst_entry___path *dst = kernel_read(struct sock___path, sk, sk_dst_cache);
	const struct net_device___path *dev = dst ? BPF_CORE_READ(dst, dev) : NULL;
	__u8 path = s->path, stamps = stamps_of(sk);

	if (dev)
		path |= device_path(dev, s->family != AF_INET);
	if (dst && bpf_core_field_exists(dst->xfrm) && BPF_CORE_READ(dst, xfrm))
		path |= NIO_PATH_IPSEC;
	if (nio_by_arrival)
		path |= NIO_PATH_ARRIVALS;
	s->path = path;
	if (stamps > s->stamps)
		s->stamps = stamps;
}

#endif
