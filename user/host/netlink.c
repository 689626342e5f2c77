/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the exchange of one netlink request with the kernel; see netlink.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <string.h>

#include "base/loop.h"
#include "common/xalloc.h"
#include "netlink.h"

struct talk {
	int (*handle)(const struct nlmsghdr *nlh, void *data);
	void *data;
	int err;
	bool done;
};

int netlink__open(struct nl_sock **out, int family)
{
	*out = nl_socket_alloc();
	if (!*out)
		xalloc_die();
	if (!nl_connect(*out, family))
		return 0;
	/* libnl returns error numbers of its own and leaves errno as it was. */
	netlink__close(*out);
	*out = NULL;
	return -errno;
}

void netlink__close(struct nl_sock *nl)
{
	nl_socket_free(nl);
}

struct nl_msg *netlink__request(int type, int flags, const void *header, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (!msg || nlmsg_append(msg, (void *)header, len, NLMSG_ALIGNTO))
		xalloc_die();
	return msg;
}

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	t->err = t->handle ? t->handle(nlmsg_hdr(msg), t->data) : 0;
	return t->err ? NL_STOP : NL_OK;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	(void)msg;
	t->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *nla, struct nlmsgerr *error, void *arg)
{
	struct talk *t = arg;

	(void)nla;
	t->err = error->error;
	return NL_STOP;
}

int netlink__talk(struct nl_sock *nl, struct nl_msg *msg,
		  int (*handle)(const struct nlmsghdr *nlh, void *data), void *data)
{
	struct talk t = {.handle = handle, .data = data};
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	if (!cb)
		xalloc_die();
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_answer, &t);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, &t);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, &t);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &t);
	if (nl_send_auto(nl, msg) < 0)
		t.err = -errno;
	while (!t.err && !t.done)
		if (nl_recvmsgs(nl, cb) < 0 && !t.err)
			t.err = errno ? -errno : -EPROTO;
	nl_cb_put(cb);
	nlmsg_free(msg);
	return t.err;
}

int rtnl__open(struct rtnl *rtnl)
{
	int err;

	memset(rtnl, 0, sizeof(*rtnl));
	err = netlink__open(&rtnl->requests, NETLINK_ROUTE);
	if (!err)
		err = netlink__open(&rtnl->events, NETLINK_ROUTE);
	if (!err && nl_socket_add_membership(rtnl->events, RTNLGRP_LINK))
		err = -errno;
	if (err)
		rtnl__close(rtnl);
	return err;
}

void rtnl__close(struct rtnl *rtnl)
{
	netlink__close(rtnl->requests);
	netlink__close(rtnl->events);
	memset(rtnl, 0, sizeof(*rtnl));
}

static int rtnl__parse_link(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *info = nlmsg_data(nlh);
	struct nlattr *attrs[IFLA_MAX + 1];
	struct rtnl_link *link = data;

	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*info), attrs, IFLA_MAX, NULL))
		return -EPROTO;
	link->index = info->ifi_index;
	link->up = info->ifi_flags & IFF_UP;
	link->running = link->up && (info->ifi_flags & IFF_RUNNING);
	if (attrs[IFLA_QDISC])
		nla_strlcpy(link->qdisc, attrs[IFLA_QDISC], sizeof(link->qdisc));
	if (attrs[IFLA_MTU])
		link->mtu = nla_get_u32(attrs[IFLA_MTU]);
	return 0;
}

int rtnl__link_get(struct rtnl *rtnl, const char *name, struct rtnl_link *link)
{
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = netlink__request(RTM_GETLINK, 0, &info, sizeof(info));
	int err;

	memset(link, 0, sizeof(*link));
	nla_put_string(msg, IFLA_IFNAME, name);
	err = netlink__talk(rtnl->requests, msg, rtnl__parse_link, link);
	return !err && !link->index ? -ENODEV : err;
}

int rtnl__link_up(struct rtnl *rtnl, const char *name)
{
	struct ifinfomsg info = {
		.ifi_family = AF_UNSPEC, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct nl_msg *msg = netlink__request(RTM_NEWLINK, 0, &info, sizeof(info));

	nla_put_string(msg, IFLA_IFNAME, name);
	return netlink__talk(rtnl->requests, msg, NULL, NULL);
}

static int64_t now_ms(void)
{
	return (int64_t)(loop__now_ns() / 1000000);
}

/* Discards the notification: a request then reads the state. */
static int rtnl__wait_event(struct rtnl *rtnl, int64_t timeout_ms)
{
	struct pollfd pfd = {.fd = nl_socket_get_fd(rtnl->events), .events = POLLIN};
	char buf[4096];
	int n;

	if (timeout_ms <= 0)
		return -ETIMEDOUT;
	n = poll(&pfd, 1, timeout_ms);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (!n)
		return -ETIMEDOUT;
	/* ENOBUFS: notifications were lost, so the state must be read again. */
	if (recv(pfd.fd, buf, sizeof(buf), 0) < 0 && errno != ENOBUFS)
		return -errno;
	return 0;
}

int rtnl__link_wait_running(struct rtnl *rtnl, const char *name, int timeout_ms,
			    struct rtnl_link *link)
{
	int64_t deadline = now_ms() + timeout_ms;
	int err;

	for (;;) {
		err = rtnl__link_get(rtnl, name, link);
		if (err || link->running)
			return err;
		err = rtnl__wait_event(rtnl, deadline - now_ms());
		if (err)
			return err;
	}
}

int rtnl__veth_add(struct rtnl *rtnl, const char *name, const char *peer, int peer_netns,
		   unsigned int mtu)
{
	struct ifinfomsg link = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg =
		netlink__request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &link, sizeof(link));
	struct nlattr *info, *data, *other;

	nla_put_string(msg, IFLA_IFNAME, name);
	if (mtu)
		nla_put_u32(msg, IFLA_MTU, mtu);
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "veth");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	other = nla_nest_start(msg, VETH_INFO_PEER);
	nlmsg_append(msg, &link, sizeof(link), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, peer);
	if (mtu)
		nla_put_u32(msg, IFLA_MTU, mtu);
	nla_put_u32(msg, IFLA_NET_NS_FD, peer_netns);
	nla_nest_end(msg, other);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return netlink__talk(rtnl->requests, msg, NULL, NULL);
}

int rtnl__addr_add(struct rtnl *rtnl, unsigned int index, const char *address,
		   unsigned int prefix_len)
{
	int family = strchr(address, ':') ? AF_INET6 : AF_INET;
	int len = family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	struct ifaddrmsg ifa = {.ifa_family = family,
				.ifa_prefixlen = prefix_len,
				.ifa_index = index,
				.ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0};
	unsigned char addr[sizeof(struct in6_addr)];
	struct nl_msg *msg;

	if (inet_pton(family, address, addr) != 1)
		return -EINVAL;
	msg = netlink__request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &ifa, sizeof(ifa));
	nla_put(msg, IFA_LOCAL, len, addr);
	nla_put(msg, IFA_ADDRESS, len, addr);
	return netlink__talk(rtnl->requests, msg, NULL, NULL);
}

static int rtnl__parse_route(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *attrs[RTA_MAX + 1], *metrics[RTAX_MAX + 1];
	struct rtnl_route *route = data;

	if (nlmsg_parse((struct nlmsghdr *)nlh, sizeof(struct rtmsg), attrs, RTA_MAX, NULL))
		return -EPROTO;
	if (attrs[RTA_OIF])
		route->device = nla_get_u32(attrs[RTA_OIF]);
	if (attrs[RTA_METRICS] && !nla_parse_nested(metrics, RTAX_MAX, attrs[RTA_METRICS], NULL) &&
	    metrics[RTAX_MTU])
		route->mtu = nla_get_u32(metrics[RTAX_MTU]);
	return 0;
}

int rtnl__route_get(struct rtnl *rtnl, const struct sockaddr_storage *to, struct rtnl_route *route)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)to;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)to;
	bool ipv6 = to->ss_family == AF_INET6;
	struct rtmsg rtm = {.rtm_family = to->ss_family, .rtm_dst_len = ipv6 ? 128 : 32};
	struct nl_msg *msg = netlink__request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	int err;

	memset(route, 0, sizeof(*route));
	if (ipv6)
		nla_put(msg, RTA_DST, sizeof(v6->sin6_addr), &v6->sin6_addr);
	else
		nla_put(msg, RTA_DST, sizeof(v4->sin_addr), &v4->sin_addr);
	/* A link-local address is valid on one device only. */
	if (ipv6 && v6->sin6_scope_id)
		nla_put_u32(msg, RTA_OIF, v6->sin6_scope_id);
	err = netlink__talk(rtnl->requests, msg, rtnl__parse_route, route);
	if (!err && !route->device)
		err = -ENETUNREACH;
	return err;
}
