/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the namespaces, devices and addresses of a run's path; see netpath.h. */
#include "netpath.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/word.h"
#include "common/xalloc.h"
#include "netns.h"
#include "netlink.h"

/* linkwatch_schedule_work() may delay a link event by 1 s; a new pair needs milliseconds. */
#define CARRIER_TIMEOUT_MS 3000
#define IPV6_MIN_MTU       1280

/* The ends of the veth path. */
static const struct endpoint {
	const char *device;
	const char *ipv4; /* in 198.18.0.0/15, for network benchmarks (RFC 2544) */
	const char *ipv6;
} endpoints[NIO_SIDE_NR] = {
	[NIO_SIDE_SENDER] = {"veth0", "198.18.0.1", "fd00:6e:696f::1"},
	[NIO_SIDE_RECEIVER] = {"veth1", "198.18.0.2", "fd00:6e:696f::2"},
};

const char *netpath__name(enum netpath_kind kind)
{
	static const char *const names[] = {
		[NETPATH_LOOPBACK] = "loopback",
		[NETPATH_VETH] = "veth",
		[NETPATH_REMOTE] = "remote",
	};

	return names[kind];
}

int netpath__parse(const char *s, enum netpath_kind *out)
{
	for (int kind = NETPATH_LOOPBACK; kind <= NETPATH_VETH; kind++) {
		if (!same_word(s, netpath__name((enum netpath_kind)kind)))
			continue;
		*out = (enum netpath_kind)kind;
		return 0;
	}
	return -EINVAL;
}

/* Checks that ::1 works: IPv6 may be missing, or disabled by sysctl. */
static int loopback__check_ipv6(void)
{
	struct sockaddr_in6 addr = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return errno == EAFNOSUPPORT ? -EOPNOTSUPP : -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err = errno == EADDRNOTAVAIL ? -EOPNOTSUPP : -errno;
	close(fd);
	return err;
}

static int loopback__open(struct netpath *path, struct rtnl *rtnl)
{
	struct rtnl_link link;
	int err;

	strcpy(path->address, path->ipv6 ? "::1" : "127.0.0.1");
	strcpy(path->device, "lo");
	path->step = "read device lo";
	err = rtnl__link_get(rtnl, "lo", &link);
	if (err)
		return err;
	path->step = "use device lo (bring it up: ip link set lo up)";
	if (!link.up)
		return -ENETDOWN;
	path->mtu = link.mtu;
	path->step = "use IPv6 on device lo";
	return path->ipv6 ? loopback__check_ipv6() : 0;
}

static int open_rtnl(void *rtnl)
{
	return rtnl__open(rtnl);
}

/* Kernels return EACCES or EAFNOSUPPORT if IPv6 is off for the device. */
static int veth__add_ipv6(struct rtnl *rtnl, unsigned int index, const char *address)
{
	int err = rtnl__addr_add(rtnl, index, address, 64);

	return err == -EACCES || err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
}

static int veth__configure(struct netpath *path, struct rtnl *rtnl, const struct endpoint *end)
{
	struct rtnl_link link;
	int err;

	path->step = "find the veth device";
	err = rtnl__link_get(rtnl, end->device, &link);
	if (err)
		return err;
	path->step = "set the IPv4 address of the veth device";
	err = rtnl__addr_add(rtnl, link.index, end->ipv4, 30);
	if (err)
		return err;
	path->step = "set the IPv6 address of the veth device";
	err = path->ipv6 ? veth__add_ipv6(rtnl, link.index, end->ipv6) : 0;
	if (err)
		return err;
	path->step = "bring up a device of the veth path";
	err = rtnl__link_up(rtnl, "lo");
	return err ? err : rtnl__link_up(rtnl, end->device);
}

static int veth__connect(struct netpath *path, struct rtnl *rtnl)
{
	const struct endpoint *a = &endpoints[NIO_SIDE_SENDER];
	const struct endpoint *b = &endpoints[NIO_SIDE_RECEIVER];
	struct rtnl_link link;
	int err;

	path->step = path->mtu ? "create a veth pair of this MTU" : "create a veth pair";
	err = rtnl__veth_add(&rtnl[NIO_SIDE_SENDER], a->device, b->device,
			     path->netns[NIO_SIDE_RECEIVER], path->mtu);
	for (int side = 0; !err && side < NIO_SIDE_NR; side++)
		err = veth__configure(path, &rtnl[side], &endpoints[side]);
	if (err)
		return err;
	path->step = "wait for the veth pair to come up";
	/* The sender's device comes last. */
	for (int side = NIO_SIDE_NR - 1; !err && side >= 0; side--)
		err = rtnl__link_wait_running(&rtnl[side], endpoints[side].device,
					      CARRIER_TIMEOUT_MS, &link);
	path->mtu = link.mtu;
	return err;
}

/* path->mtu: the requested one, or 0. */
static int veth__open(struct netpath *path)
{
	struct rtnl rtnl[NIO_SIDE_NR] = {0};
	int err = 0;

	strcpy(path->address,
	       path->ipv6 ? endpoints[NIO_SIDE_RECEIVER].ipv6 : endpoints[NIO_SIDE_RECEIVER].ipv4);
	strcpy(path->device, endpoints[NIO_SIDE_SENDER].device);
	path->step = "carry IPv6 over an MTU below 1280";
	if (path->ipv6 && path->mtu && path->mtu < IPV6_MIN_MTU)
		return -EINVAL;
	path->step = "create a network namespace";
	for (int side = 0; side < NIO_SIDE_NR && !err; side++) {
		path->netns[side] = netns__create(open_rtnl, &rtnl[side]);
		if (path->netns[side] < 0)
			err = path->netns[side];
	}
	if (!err)
		err = veth__connect(path, rtnl);
	/* An open socket would keep its namespace alive. */
	for (int side = 0; side < NIO_SIDE_NR; side++)
		rtnl__close(&rtnl[side]);
	return err;
}

static int remote__open(struct netpath *path, struct rtnl *rtnl, const struct sockaddr_storage *to)
{
	struct rtnl_route route;
	struct rtnl_link link;
	int err;

	path->step = "find a route to the receiver";
	err = rtnl__route_get(rtnl, to, &route);
	if (err)
		return err;
	path->step = "read the route's device";
	if (!if_indextoname(route.device, path->device))
		return -errno;
	err = rtnl__link_get(rtnl, path->device, &link);
	path->mtu = route.mtu ? route.mtu : link.mtu;
	return err;
}

/* Opens a path of the own namespace; to: of the receiver on another machine, or NULL. */
static int open_here(struct netpath *path, const struct sockaddr_storage *to)
{
	struct rtnl rtnl;
	int err;

	path->step = "open a netlink socket";
	err = rtnl__open(&rtnl);
	if (err)
		return err;
	err = to ? remote__open(path, &rtnl, to) : loopback__open(path, &rtnl);
	rtnl__close(&rtnl);
	return err;
}

static struct netpath *new_path(enum netpath_kind kind, bool ipv6)
{
	struct netpath *path = xcalloc(1, sizeof(*path));

	path->kind = kind;
	path->ipv6 = ipv6;
	path->netns[NIO_SIDE_SENDER] = path->netns[NIO_SIDE_RECEIVER] = -1;
	return path;
}

/* Stores the path in *out, or closes it. Returns err. */
static int finish_open(struct netpath **out, struct netpath *path, int err, const char **step)
{
	*step = path->step;
	if (err)
		netpath__close(path);
	else
		*out = path;
	return err;
}

int netpath__open_remote(struct netpath **out, const struct address *to,
			 const struct sockaddr_storage *ss, const char **step)
{
	struct netpath *path = new_path(NETPATH_REMOTE, ss->ss_family == AF_INET6);

	strcpy(path->address, to->host);
	path->port = to->port;
	return finish_open(out, path, open_here(path, ss), step);
}

int netpath__open(struct netpath **out, enum netpath_kind kind, unsigned int mtu, bool ipv6,
		  const char **step)
{
	struct netpath *path = new_path(kind, ipv6);

	path->mtu = mtu;
	return finish_open(out, path,
			   kind == NETPATH_VETH ? veth__open(path) : open_here(path, NULL), step);
}

void netpath__close(struct netpath *path)
{
	if (!path)
		return;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (path->netns[side] >= 0)
			close(path->netns[side]);
	free(path);
}

const char *netpath__side_device(const struct netpath *path, enum nio_side side)
{
	if (path->kind == NETPATH_VETH)
		return endpoints[side].device;
	return side == NIO_SIDE_SENDER || path->kind == NETPATH_LOOPBACK ? path->device : NULL;
}

uint32_t netpath__last_word(const struct netpath *path)
{
	char address[ADDRESS_HOST_MAX];
	struct in6_addr v6 = {0};

	/* Without the device of a link-local address. */
	snprintf(address, sizeof(address), "%s", path ? path->address : "");
	address[strcspn(address, "%")] = '\0';
	if (inet_pton(AF_INET, address, &v6.s6_addr32[3]) != 1)
		inet_pton(AF_INET6, address, &v6);
	return v6.s6_addr32[3];
}
