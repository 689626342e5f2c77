/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the network path of a run: loopback, a veth pair between two anonymous network namespaces,
 * or the route to another machine.
 */
#ifndef HOST_NETPATH_H
#define HOST_NETPATH_H

#include <stdbool.h>

#include "common/address.h"
#include "bpf/netiotrace.h"

enum netpath_kind {
	NETPATH_LOOPBACK,
	NETPATH_VETH,
	NETPATH_REMOTE, /* only by netpath__open_remote() */
};

const char *netpath__name(enum netpath_kind kind);         /* "loopback", "veth", "remote" */
int netpath__parse(const char *s, enum netpath_kind *out); /* -EINVAL */

struct netpath {
	enum netpath_kind kind;
	bool ipv6;
	int netns[NIO_SIDE_NR];         /* network namespace of a side; -1: the current one */
	char address[ADDRESS_HOST_MAX]; /* on which the receiver listens */
	unsigned int port;              /* of the receiver; 0: the receiver chooses */
	char device[16];                /* of the sender ("lo", "veth0"); IFNAMSIZ */
	unsigned int mtu;               /* of the device, or of the route to the receiver */
	const char *step;               /* of the opening */
};

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

/* The last 32 bits of the address, in network order; 0: unknown. path may be NULL. */
uint32_t netpath__last_word(const struct netpath *path);

/* Device on which a side sends and receives; NULL: on another machine. */
const char *netpath__side_device(const struct netpath *path, enum nio_side side);

#endif
