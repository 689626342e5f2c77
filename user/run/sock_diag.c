/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns sock_diag requests with libnl; see sock_diag.h. */
#include "sock_diag.h"

#include <errno.h>
#include <string.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include "host/netlink.h"

/* All states (include/net/tcp_states.h) but TIME_WAIT, LISTEN and NEW_SYN_RECV. */
#define TIME_WAIT    6
#define LISTENING    10
#define NEW_SYN_RECV 12
#define STATES       (0xfff & ~(1U << TIME_WAIT | 1U << LISTENING | 1U << NEW_SYN_RECV))

struct visitor {
	void (*handle)(void *arg, const struct nio_socket *socket);
	void *arg;
};

/* Counters that an older kernel lacks stay 0. */
static void copy_info(struct nio_socket *socket, const void *data, size_t len)
{
	struct tcp_info info = {0};

	memcpy(&info, data, len < sizeof(info) ? len : sizeof(info));
	socket->tcp.bytes_acked = info.tcpi_bytes_acked;
	socket->tcp.bytes_received = info.tcpi_bytes_received;
	socket->tcp.bytes_retrans = info.tcpi_bytes_retrans;
}

static int parse_message(const struct nlmsghdr *nlh, void *data)
{
	const struct inet_diag_msg *msg = NLMSG_DATA(nlh);
	const struct visitor *v = data;
	struct nio_socket socket;
	const void *info;
	size_t len;

	if (nlh->nlmsg_len < NLMSG_SPACE(sizeof(*msg)))
		return 0;
	socket = (struct nio_socket){
		.cookie = (uint64_t)msg->id.idiag_cookie[1] << 32 | msg->id.idiag_cookie[0],
		.tcp.write_seq = msg->idiag_wqueue,
		.tcp.rcv_nxt = msg->idiag_rqueue,
		.tcp.state = msg->idiag_state,
	};
	info = netlink__attr(nlh, sizeof(*msg), INET_DIAG_INFO, &len);
	if (info) {
		copy_info(&socket, info, len);
		v->handle(v->arg, &socket);
	}
	return 0;
}

static int dump(struct nl_sock *nl, uint8_t family, struct visitor *v)
{
	struct inet_diag_req_v2 req = {
		.sdiag_family = family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1),
		.idiag_states = STATES,
	};

	return netlink__talk(nl,
			     netlink__request(SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &req, sizeof(req)),
			     parse_message, v);
}

int sock_diag__pass(void (*handle)(void *arg, const struct nio_socket *socket), void *arg)
{
	struct visitor v = {.handle = handle, .arg = arg};
	struct nl_sock *nl;
	int err = netlink__open(&nl, NETLINK_SOCK_DIAG);

	if (err)
		return err;
	err = dump(nl, AF_INET, &v);
	if (!err) {
		err = dump(nl, AF_INET6, &v);
		/* A kernel without IPv6 has no such sockets. */
		if (err == -ENOENT || err == -EAFNOSUPPORT)
			err = 0;
	}
	netlink__close(nl);
	return err;
}
