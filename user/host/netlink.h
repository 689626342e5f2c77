/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the exchange of one netlink request with the kernel, with exact error numbers, and the
 * requests of a path (rtnetlink). A socket stays in the namespace in which it was opened.
 */
#ifndef HOST_NETLINK_H
#define HOST_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct nl_msg;
struct nl_sock;
struct nlmsghdr;

/* Opens a socket of a netlink family (NETLINK_ROUTE...). 0 or -errno. */
int netlink__open(struct nl_sock **out, int family);
void netlink__close(struct nl_sock *nl); /* or NULL */

/* A request with its family header. netlink__talk() frees the message. */
struct nl_msg *netlink__request(int type, int flags, const void *header, size_t len);

/*
 * Sends msg, frees it, and reads until the acknowledgement or the end of a dump. Calls handle
 * (NULL: none) for each answer until it returns -errno. 0 or -errno.
 */
int netlink__talk(struct nl_sock *nl, struct nl_msg *msg,
		  int (*handle)(const struct nlmsghdr *nlh, void *data), void *data);

struct rtnl {
	struct nl_sock *requests;
	struct nl_sock *events; /* link notifications */
};

struct rtnl_link {
	unsigned int index;
	unsigned int mtu;
	char qdisc[32]; /* IFLA_QDISC; empty: unknown */
	bool up;        /* IFF_UP */
	bool running;   /* has carrier */
};

/* Opens both sockets in the caller's namespace. 0 or -errno. rtnl__close() also takes {0}. */
int rtnl__open(struct rtnl *rtnl);
void rtnl__close(struct rtnl *rtnl);

/* 0 or -errno; -ENODEV: no such interface. */
int rtnl__link_get(struct rtnl *rtnl, const char *name, struct rtnl_link *link);
int rtnl__link_up(struct rtnl *rtnl, const char *name);

/* Waits for carrier. 0 or -errno; -ETIMEDOUT after timeout_ms. link: the last state read. */
int rtnl__link_wait_running(struct rtnl *rtnl, const char *name, int timeout_ms,
			    struct rtnl_link *link);

/* Creates a veth pair, peer in peer_netns. mtu 0: default. 0 or -errno; -EOPNOTSUPP: no veth. */
int rtnl__veth_add(struct rtnl *rtnl, const char *name, const char *peer, int peer_netns,
		   unsigned int mtu);

/* Adds an address, IPv6 without duplicate address detection. 0 or -errno; -EINVAL: no address. */
int rtnl__addr_add(struct rtnl *rtnl, unsigned int index, const char *address,
		   unsigned int prefix_len);

struct rtnl_route {
	unsigned int device; /* index of the outgoing interface */
	unsigned int mtu;    /* configured or learned; 0: the device's */
};

/* The kernel's route to an address. 0 or -errno; -ENETUNREACH, -EHOSTUNREACH: no route. */
int rtnl__route_get(struct rtnl *rtnl, const struct sockaddr_storage *to, struct rtnl_route *route);

#endif
