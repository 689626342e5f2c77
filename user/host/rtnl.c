/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns building and parsing rtnetlink messages with libmnl; see rtnl.h. */
#include "rtnl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>

/* Requests have a few hundred bytes; the kernel's answers are below 32 KiB. */
#define RTNL_BUF 32768

union rtnl_msg {
	struct nlmsghdr nlh;
	char buf[RTNL_BUF];
};

static int rtnl__socket(struct mnl_socket **out, unsigned int groups)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int err;

	if (!nl)
		return -errno;
	if (mnl_socket_bind(nl, groups, MNL_SOCKET_AUTOPID) < 0) {
		err = -errno;
		mnl_socket_close(nl);
		return err;
	}
	*out = nl;
	return 0;
}

int rtnl__open(struct rtnl *rtnl)
{
	int err;

	memset(rtnl, 0, sizeof(*rtnl));
	err = rtnl__socket(&rtnl->requests, 0);
	if (!err)
		err = rtnl__socket(&rtnl->events, RTMGRP_LINK);
	if (err)
		rtnl__close(rtnl);
	return err;
}

void rtnl__close(struct rtnl *rtnl)
{
	if (rtnl->requests)
		mnl_socket_close(rtnl->requests);
	if (rtnl->events)
		mnl_socket_close(rtnl->events);
	memset(rtnl, 0, sizeof(*rtnl));
}

/* Starts a message; returns its zeroed family header. */
static void *rtnl__begin(union rtnl_msg *msg, uint16_t type, uint16_t flags, size_t header)
{
	mnl_nlmsg_put_header(msg->buf);
	msg->nlh.nlmsg_type = type;
	msg->nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	return mnl_nlmsg_put_extra_header(&msg->nlh, header);
}

/* Sends msg and reads until its acknowledgement; passes each answer to cb. Overwrites msg. */
static int rtnl__talk(struct rtnl *rtnl, union rtnl_msg *msg, mnl_cb_t cb, void *data)
{
	unsigned int portid = mnl_socket_get_portid(rtnl->requests);
	uint32_t seq = ++rtnl->seq;
	ssize_t len;
	int ret;

	msg->nlh.nlmsg_seq = seq;
	if (mnl_socket_sendto(rtnl->requests, msg, msg->nlh.nlmsg_len) < 0)
		return -errno;
	do {
		len = mnl_socket_recvfrom(rtnl->requests, msg->buf, sizeof(msg->buf));
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return -errno;
		ret = mnl_cb_run(msg->buf, len, seq, portid, cb, data);
		if (ret == MNL_CB_ERROR)
			return -errno;
	} while (len < 0 || ret != MNL_CB_STOP);
	return 0;
}

static bool is_text(const struct nlattr *attr, int type)
{
	return mnl_attr_get_type(attr) == type && mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0;
}

static bool is_u32(const struct nlattr *attr, int type)
{
	return mnl_attr_get_type(attr) == type && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0;
}

static int rtnl__parse_link(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(nlh);
	struct rtnl_link *link = data;
	struct nlattr *attr;

	link->index = info->ifi_index;
	link->up = info->ifi_flags & IFF_UP;
	link->running = link->up && (info->ifi_flags & IFF_RUNNING);
	mnl_attr_for_each(attr, nlh, sizeof(*info))
	{
		if (is_text(attr, IFLA_IFNAME))
			snprintf(link->name, sizeof(link->name), "%s", mnl_attr_get_str(attr));
		else if (is_text(attr, IFLA_QDISC))
			snprintf(link->qdisc, sizeof(link->qdisc), "%s", mnl_attr_get_str(attr));
		else if (is_u32(attr, IFLA_MTU))
			link->mtu = mnl_attr_get_u32(attr);
	}
	return MNL_CB_OK;
}

/* Finds a link by name, or by index if name is NULL. */
static int rtnl__link_ask(struct rtnl *rtnl, const char *name, unsigned int index,
			  struct rtnl_link *link)
{
	struct ifinfomsg *info;
	union rtnl_msg msg;
	int err;

	memset(link, 0, sizeof(*link));
	info = rtnl__begin(&msg, RTM_GETLINK, 0, sizeof(*info));
	info->ifi_family = AF_UNSPEC;
	info->ifi_index = index;
	if (name)
		mnl_attr_put_strz(&msg.nlh, IFLA_IFNAME, name);
	err = rtnl__talk(rtnl, &msg, rtnl__parse_link, link);
	if (!err && !link->index)
		err = -ENODEV;
	return err;
}

int rtnl__link_get(struct rtnl *rtnl, const char *name, struct rtnl_link *link)
{
	return rtnl__link_ask(rtnl, name, 0, link);
}

int rtnl__link_get_index(struct rtnl *rtnl, unsigned int index, struct rtnl_link *link)
{
	return rtnl__link_ask(rtnl, NULL, index, link);
}

int rtnl__link_up(struct rtnl *rtnl, unsigned int index)
{
	struct ifinfomsg *info;
	union rtnl_msg msg;

	info = rtnl__begin(&msg, RTM_NEWLINK, 0, sizeof(*info));
	info->ifi_family = AF_UNSPEC;
	info->ifi_index = index;
	info->ifi_flags = IFF_UP;
	info->ifi_change = IFF_UP;
	return rtnl__talk(rtnl, &msg, NULL, NULL);
}

static int64_t rtnl__now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Discards the notification: a request then reads the state. */
static int rtnl__wait_event(struct rtnl *rtnl, int64_t timeout_ms)
{
	struct pollfd pfd = {.fd = mnl_socket_get_fd(rtnl->events), .events = POLLIN};
	char buf[RTNL_BUF];
	int n;

	if (timeout_ms <= 0)
		return -ETIMEDOUT;
	n = poll(&pfd, 1, timeout_ms);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (!n)
		return -ETIMEDOUT;
	/* ENOBUFS: notifications were lost, so the state must be read again. */
	if (mnl_socket_recvfrom(rtnl->events, buf, sizeof(buf)) < 0 && errno != ENOBUFS)
		return -errno;
	return 0;
}

int rtnl__link_wait_running(struct rtnl *rtnl, const char *name, int timeout_ms,
			    struct rtnl_link *link)
{
	int64_t deadline = rtnl__now_ms() + timeout_ms;
	int err;

	for (;;) {
		err = rtnl__link_get(rtnl, name, link);
		if (err || link->running)
			return err;
		err = rtnl__wait_event(rtnl, deadline - rtnl__now_ms());
		if (err)
			return err;
	}
}

int rtnl__veth_add(struct rtnl *rtnl, const char *name, const char *peer, int peer_netns,
		   unsigned int mtu)
{
	struct nlattr *info, *data, *other;
	union rtnl_msg msg;

	rtnl__begin(&msg, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(&msg.nlh, IFLA_IFNAME, name);
	if (mtu)
		mnl_attr_put_u32(&msg.nlh, IFLA_MTU, mtu);
	info = mnl_attr_nest_start(&msg.nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(&msg.nlh, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(&msg.nlh, IFLA_INFO_DATA);
	other = mnl_attr_nest_start(&msg.nlh, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(&msg.nlh, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(&msg.nlh, IFLA_IFNAME, peer);
	if (mtu)
		mnl_attr_put_u32(&msg.nlh, IFLA_MTU, mtu);
	mnl_attr_put_u32(&msg.nlh, IFLA_NET_NS_FD, peer_netns);
	mnl_attr_nest_end(&msg.nlh, other);
	mnl_attr_nest_end(&msg.nlh, data);
	mnl_attr_nest_end(&msg.nlh, info);
	return rtnl__talk(rtnl, &msg, NULL, NULL);
}

int rtnl__addr_add(struct rtnl *rtnl, unsigned int index, const char *address,
		   unsigned int prefix_len)
{
	int family = strchr(address, ':') ? AF_INET6 : AF_INET;
	size_t len = family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	unsigned char addr[sizeof(struct in6_addr)];
	struct ifaddrmsg *ifa;
	union rtnl_msg msg;

	if (inet_pton(family, address, addr) != 1)
		return -EINVAL;
	ifa = rtnl__begin(&msg, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof(*ifa));
	ifa->ifa_family = family;
	ifa->ifa_prefixlen = prefix_len;
	ifa->ifa_index = index;
	ifa->ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0;
	mnl_attr_put(&msg.nlh, IFA_LOCAL, len, addr);
	mnl_attr_put(&msg.nlh, IFA_ADDRESS, len, addr);
	return rtnl__talk(rtnl, &msg, NULL, NULL);
}

static void rtnl__parse_metrics(const struct nlattr *metrics, struct rtnl_route *route)
{
	struct nlattr *attr;

	mnl_attr_for_each_nested(attr, metrics)
	{
		if (is_u32(attr, RTAX_MTU))
			route->mtu = mnl_attr_get_u32(attr);
	}
}

static int rtnl__parse_route(const struct nlmsghdr *nlh, void *data)
{
	struct rtnl_route *route = data;
	struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct rtmsg))
	{
		if (is_u32(attr, RTA_OIF))
			route->device = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == RTA_METRICS &&
			 mnl_attr_validate(attr, MNL_TYPE_NESTED) >= 0)
			rtnl__parse_metrics(attr, route);
	}
	return MNL_CB_OK;
}

int rtnl__route_get(struct rtnl *rtnl, const struct sockaddr_storage *to, struct rtnl_route *route)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)to;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)to;
	bool ipv6 = to->ss_family == AF_INET6;
	struct rtmsg *rtm;
	union rtnl_msg msg;
	int err;

	memset(route, 0, sizeof(*route));
	rtm = rtnl__begin(&msg, RTM_GETROUTE, 0, sizeof(*rtm));
	rtm->rtm_family = to->ss_family;
	rtm->rtm_dst_len = ipv6 ? 128 : 32;
	if (ipv6)
		mnl_attr_put(&msg.nlh, RTA_DST, sizeof(v6->sin6_addr), &v6->sin6_addr);
	else
		mnl_attr_put(&msg.nlh, RTA_DST, sizeof(v4->sin_addr), &v4->sin_addr);
	/* A link-local address is valid on one device only. */
	if (ipv6 && v6->sin6_scope_id)
		mnl_attr_put_u32(&msg.nlh, RTA_OIF, v6->sin6_scope_id);
	err = rtnl__talk(rtnl, &msg, rtnl__parse_route, route);
	if (!err && !route->device)
		err = -ENETUNREACH;
	return err;
}
