/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the namespaces, devices and addresses of a run's path; see netpath.h. */
#include "netpath.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#include "bpf/netiotrace.h"
#include "common/word.h"
#include "common/xalloc.h"
#include "netns.h"
#include "rtnl.h"

/* linkwatch_schedule_work() may delay a link event by 1 s; a new pair needs milliseconds. */
#define CARRIER_TIMEOUT_MS 3000
#define IPV6_MIN_MTU       1280

struct netpath {
	enum netpath_kind kind;
	bool ipv6;
	int netns[NIO_SIDE_NR];
	struct address remote; /* NETPATH_REMOTE: of the receiver */
	char device[16];       /* of the sender; IFNAMSIZ */
	unsigned int mtu;
};

/* One end of the veth path. */
struct endpoint {
	const char *device;
	const char *ipv4; /* in 198.18.0.0/15, for network benchmarks (RFC 2544) */
	const char *ipv6;
};

static const struct endpoint endpoints[NIO_SIDE_NR] = {
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

static int loopback__open(struct netpath *path, const char **step)
{
	struct rtnl_link link;
	struct rtnl rtnl;
	int err;

	*step = "open a netlink socket";
	err = rtnl__open(&rtnl);
	if (err)
		return err;
	*step = "read device lo";
	err = rtnl__link_get(&rtnl, "lo", &link);
	rtnl__close(&rtnl);
	if (err)
		return err;
	*step = "use device lo (bring it up: ip link set lo up)";
	if (!link.up)
		return -ENETDOWN;
	strcpy(path->device, "lo");
	path->mtu = link.mtu;
	*step = "use IPv6 on device lo";
	return path->ipv6 ? loopback__check_ipv6() : 0;
}

static int veth__open_rtnl(void *rtnl)
{
	return rtnl__open(rtnl);
}

static int veth__create_netns(struct netpath *path, struct rtnl *rtnl, const char **step)
{
	int side, fd;

	*step = "create a network namespace";
	for (side = 0; side < NIO_SIDE_NR; side++) {
		fd = netns__create(veth__open_rtnl, &rtnl[side]);
		if (fd < 0)
			return fd;
		path->netns[side] = fd;
	}
	return 0;
}

/* Kernels return EACCES or EAFNOSUPPORT if IPv6 is off for the device. */
static int veth__add_ipv6(struct rtnl *rtnl, unsigned int index, const char *address)
{
	int err = rtnl__addr_add(rtnl, index, address, 64);

	return err == -EACCES || err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
}

static int veth__link_up(struct rtnl *rtnl, const char *name, const char **step)
{
	struct rtnl_link link;
	int err;

	*step = "bring up a device of the veth path";
	err = rtnl__link_get(rtnl, name, &link);
	return err ? err : rtnl__link_up(rtnl, link.index);
}

static int veth__configure(const struct netpath *path, struct rtnl *rtnl,
			   const struct endpoint *end, const char **step)
{
	struct rtnl_link link;
	int err;

	*step = "find the veth device";
	err = rtnl__link_get(rtnl, end->device, &link);
	if (err)
		return err;
	*step = "set the IPv4 address of the veth device";
	err = rtnl__addr_add(rtnl, link.index, end->ipv4, 30);
	if (err)
		return err;
	if (path->ipv6) {
		*step = "set the IPv6 address of the veth device";
		err = veth__add_ipv6(rtnl, link.index, end->ipv6);
		if (err)
			return err;
	}
	err = veth__link_up(rtnl, "lo", step);
	return err ? err : veth__link_up(rtnl, end->device, step);
}

static int veth__wait(struct netpath *path, struct rtnl *rtnl, const char **step)
{
	struct rtnl_link link;
	int side, err;

	*step = "wait for the veth pair to come up";
	for (side = NIO_SIDE_NR - 1; side >= 0; side--) {
		err = rtnl__link_wait_running(&rtnl[side], endpoints[side].device,
					      CARRIER_TIMEOUT_MS, &link);
		if (err)
			return err;
	}
	/* link is the sender's, which comes last. */
	strcpy(path->device, endpoints[NIO_SIDE_SENDER].device);
	path->mtu = link.mtu;
	return 0;
}

static int veth__connect(struct netpath *path, struct rtnl *rtnl, unsigned int mtu,
			 const char **step)
{
	const struct endpoint *a = &endpoints[NIO_SIDE_SENDER];
	const struct endpoint *b = &endpoints[NIO_SIDE_RECEIVER];
	int side, err;

	*step = mtu ? "create a veth pair of this MTU" : "create a veth pair";
	err = rtnl__veth_add(&rtnl[NIO_SIDE_SENDER], a->device, b->device,
			     path->netns[NIO_SIDE_RECEIVER], mtu);
	for (side = 0; !err && side < NIO_SIDE_NR; side++)
		err = veth__configure(path, &rtnl[side], &endpoints[side], step);
	return err ? err : veth__wait(path, rtnl, step);
}

static int veth__open(struct netpath *path, unsigned int mtu, const char **step)
{
	struct rtnl rtnl[NIO_SIDE_NR] = {0};
	int side, err;

	*step = "carry IPv6 over an MTU below 1280";
	if (path->ipv6 && mtu && mtu < IPV6_MIN_MTU)
		return -EINVAL;
	err = veth__create_netns(path, rtnl, step);
	if (!err)
		err = veth__connect(path, rtnl, mtu, step);
	/* An open socket would keep its namespace alive. */
	for (side = 0; side < NIO_SIDE_NR; side++)
		rtnl__close(&rtnl[side]);
	return err;
}

static int remote__find_device(struct netpath *path, const struct sockaddr_storage *to,
			       struct rtnl *rtnl, const char **step)
{
	struct rtnl_route route;
	struct rtnl_link link;
	int err;

	*step = "find a route to the receiver";
	err = rtnl__route_get(rtnl, to, &route);
	if (err)
		return err;
	*step = "read the route's device";
	err = rtnl__link_get_index(rtnl, route.device, &link);
	if (err)
		return err;
	memcpy(path->device, link.name, sizeof(path->device));
	path->mtu = route.mtu ? route.mtu : link.mtu;
	return 0;
}

int netpath__open_remote(struct netpath **out, const struct address *to,
			 const struct sockaddr_storage *ss, const char **step)
{
	struct netpath *path;
	struct rtnl rtnl;
	int err;

	path = xmalloc(sizeof(*path));
	*path = (struct netpath){
		.kind = NETPATH_REMOTE,
		.ipv6 = ss->ss_family == AF_INET6,
		.netns = {-1, -1},
		.remote = *to,
	};
	*step = "open a netlink socket";
	err = rtnl__open(&rtnl);
	if (!err) {
		err = remote__find_device(path, ss, &rtnl, step);
		rtnl__close(&rtnl);
	}
	if (err) {
		netpath__close(path);
		return err;
	}
	*out = path;
	return 0;
}

int netpath__open(struct netpath **out, enum netpath_kind kind, unsigned int mtu, bool ipv6,
		  const char **step)
{
	struct netpath *path;
	int err;

	path = xmalloc(sizeof(*path));
	*path = (struct netpath){.kind = kind, .ipv6 = ipv6, .netns = {-1, -1}};
	if (kind == NETPATH_VETH)
		err = veth__open(path, mtu, step);
	else
		err = loopback__open(path, step);
	if (err) {
		netpath__close(path);
		return err;
	}
	*out = path;
	return 0;
}

void netpath__close(struct netpath *path)
{
	int side;

	if (!path)
		return;
	for (side = 0; side < NIO_SIDE_NR; side++)
		if (path->netns[side] >= 0)
			close(path->netns[side]);
	free(path);
}

enum netpath_kind netpath__kind(const struct netpath *path)
{
	return path->kind;
}

int netpath__netns(const struct netpath *path, int side)
{
	return side >= 0 && side < NIO_SIDE_NR ? path->netns[side] : -1;
}

const char *netpath__address(const struct netpath *path)
{
	if (path->kind == NETPATH_REMOTE)
		return path->remote.host;
	if (path->kind == NETPATH_LOOPBACK)
		return path->ipv6 ? "::1" : "127.0.0.1";
	return path->ipv6 ? endpoints[NIO_SIDE_RECEIVER].ipv6 : endpoints[NIO_SIDE_RECEIVER].ipv4;
}

unsigned int netpath__port(const struct netpath *path)
{
	return path->remote.port;
}

const char *netpath__device(const struct netpath *path)
{
	return path->device;
}

unsigned int netpath__mtu(const struct netpath *path)
{
	return path->mtu;
}

const char *netpath__side_device(const struct netpath *path, int side)
{
	if (path->kind == NETPATH_VETH)
		return endpoints[side].device;
	return side == NIO_SIDE_SENDER || path->kind == NETPATH_LOOPBACK ? path->device : NULL;
}
