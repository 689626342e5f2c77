/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the network path of a run: loopback, a veth pair between two anonymous network namespaces,
 * or the route to another machine.
 */
#ifndef HOST_NETPATH_H
#define HOST_NETPATH_H

#include <stdbool.h>

#include "base/address.h"

enum netpath_kind {
	NETPATH_LOOPBACK,
	NETPATH_VETH,
	NETPATH_REMOTE, /* only by netpath__open_remote() */
};

const char *netpath__name(enum netpath_kind kind);         /* "loopback", "veth", "remote" */
int netpath__parse(const char *s, enum netpath_kind *out); /* -EINVAL */

struct netpath;

/*
 * Creates the path. mtu 0: the device's default. The caller owns *out; netpath__close() takes NULL.
 * 0 or -errno: -EPERM without CAP_NET_ADMIN or CAP_SYS_ADMIN, -EOPNOTSUPP if the kernel lacks veth
 * or the requested IPv6. *step names the failed step (static); the caller prints it.
 */
int netpath__open(struct netpath **out, enum netpath_kind kind, unsigned int mtu, bool ipv6,
		  const char **step);
/*
 * The path to a receiver on another machine, at `to` (resolved, numeric), the same as ss. Creates
 * nothing. Errors as above; -ENETUNREACH, -EHOSTUNREACH: no route.
 */
int netpath__open_remote(struct netpath **out, const struct address *to,
			 const struct sockaddr_storage *ss, const char **step);
void netpath__close(struct netpath *path);

enum netpath_kind netpath__kind(const struct netpath *path);

/* Network namespace of a side (enum nio_side), owned by the path; -1: the current one. */
int netpath__netns(const struct netpath *path, int side);

/* Address on which the receiver listens, without port; owned by the path. */
const char *netpath__address(const struct netpath *path);

/* Port on which the receiver listens; 0: the receiver chooses. */
unsigned int netpath__port(const struct netpath *path);

/* Device of the sender's route ("lo", "veth0"), and its MTU. */
const char *netpath__device(const struct netpath *path);
unsigned int netpath__mtu(const struct netpath *path);

/* Device on which a side (enum nio_side) sends and receives; NULL: on another machine. */
const char *netpath__side_device(const struct netpath *path, int side);

#endif
