/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of a run: plain loopback, two anonymous network namespaces joined by a veth pair, or the
 * route to another machine.
 * Nothing is named, mounted or pinned: the namespaces live in file descriptors of this process (and
 * in the load generator processes that entered them), so they vanish however those end.
 */
#ifndef NETIOTRACE_NETPATH_H
#define NETIOTRACE_NETPATH_H

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
 * Makes the path. mtu 0: the device's default. *out is owned by the caller; netpath__close() takes
 * NULL. Returns 0 or -errno: -EPERM without CAP_NET_ADMIN/CAP_SYS_ADMIN, -EOPNOTSUPP when the
 * kernel has no veth (or IPv6, if asked for). The message is printed by the caller; what failed is
 * in *step ("create network namespace", "create veth pair", ...), a static string.
 */
int netpath__open(struct netpath **out, enum netpath_kind kind, unsigned int mtu, bool ipv6,
		  const char **step);
/*
 * The path to a receiver on another machine: nothing is made, its route's device and MTU are looked
 * up. to: resolved, its host a number; ss: the same. Errors as above; -ENETUNREACH, -EHOSTUNREACH:
 * there is no route.
 */
int netpath__open_remote(struct netpath **out, const struct address *to,
			 const struct sockaddr_storage *ss, const char **step);
void netpath__close(struct netpath *path);

enum netpath_kind netpath__kind(const struct netpath *path);

/* Network namespace of a side (enum nio_side), or -1: the one we are in. Owned by the path. */
int netpath__netns(const struct netpath *path, int side);

/* Address the receiver listens on, as text without port ("127.0.0.1", "::1", ...), the path's. */
const char *netpath__address(const struct netpath *path);

/* Port the receiver listens on; 0: its own choice, to be asked of it. */
unsigned int netpath__port(const struct netpath *path);

/* Device the sender's route leaves by ("lo", "veth0"), and its MTU. */
const char *netpath__device(const struct netpath *path);
unsigned int netpath__mtu(const struct netpath *path);

/* Device that a side (enum nio_side) sends and receives on; NULL: it is on another machine. */
const char *netpath__side_device(const struct netpath *path, int side);

#endif
