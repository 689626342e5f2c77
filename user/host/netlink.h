/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the exchange of one netlink request with the kernel, with exact error numbers. */
#ifndef HOST_NETLINK_H
#define HOST_NETLINK_H

#include <stddef.h>

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

/* The attribute of a message behind its family header, with its size. NULL: absent or cut off. */
const void *netlink__attr(const struct nlmsghdr *nlh, size_t header_len, int type, size_t *len);

#endif
