/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few rtnetlink requests a path needs: make a veth pair, set an address, bring a link up, read
 * a link. A socket belongs to the network namespace it was opened in, wherever the task goes later.
 * Knows nothing of paths.
 */
#ifndef NETIOTRACE_RTNL_H
#define NETIOTRACE_RTNL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct mnl_socket;

struct rtnl {
	struct mnl_socket *requests;
	struct mnl_socket *events; /* link notifications */
	uint32_t seq;
};

struct rtnl_link {
	unsigned int index;
	unsigned int mtu;
	char name[16];  /* IFNAMSIZ */
	char qdisc[32]; /* IFLA_QDISC; empty: not known */
	bool up;        /* IFF_UP */
	bool running;   /* has carrier: packets pass */
};

/* Opens both sockets in the namespace of the caller. rtnl__close() takes a zeroed or closed one. */
int rtnl__open(struct rtnl *rtnl);
void rtnl__close(struct rtnl *rtnl);

/* name: an interface; -ENODEV when there is none. */
int rtnl__link_get(struct rtnl *rtnl, const char *name, struct rtnl_link *link);
int rtnl__link_get_index(struct rtnl *rtnl, unsigned int index, struct rtnl_link *link);
int rtnl__link_up(struct rtnl *rtnl, unsigned int index);

/*
 * Waits for carrier, at most timeout_ms: -ETIMEDOUT. link holds what was seen last.
 */
int rtnl__link_wait_running(struct rtnl *rtnl, const char *name, int timeout_ms,
			    struct rtnl_link *link);

/*
 * A veth pair: name here, peer in the namespace of descriptor peer_netns. mtu 0: the default.
 * -EOPNOTSUPP: the kernel has no veth.
 */
int rtnl__veth_add(struct rtnl *rtnl, const char *name, const char *peer, int peer_netns,
		   unsigned int mtu);

/*
 * Adds an address in text, of either family; an IPv6 one is usable at once (no duplicate address
 * detection). -EINVAL for text that is no address.
 */
int rtnl__addr_add(struct rtnl *rtnl, unsigned int index, const char *address,
		   unsigned int prefix_len);

struct rtnl_route {
	unsigned int device; /* index of the interface it leaves by */
	unsigned int mtu;    /* of the route itself, or learned for it; 0: the device's */
};

/*
 * The route this machine takes to an address, as the kernel resolves it now (RTM_GETROUTE). -errno
 * of the kernel where there is none: -ENETUNREACH, -EHOSTUNREACH.
 */
int rtnl__route_get(struct rtnl *rtnl, const struct sockaddr_storage *to, struct rtnl_route *route);

#endif
