/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns sock_diag requests with libmnl; see sock_diag.h. */
#include "sock_diag.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>

/* netlink_recvmsg() limits a dump's message to 32 KiB (max_recvmsg_len). */
#define DIAG_BUF 32768

/* All states (include/net/tcp_states.h) but TIME_WAIT, LISTEN and NEW_SYN_RECV. */
#define TIME_WAIT    6
#define LISTENING    10
#define NEW_SYN_RECV 12
#define STATES       (0xfff & ~(1U << TIME_WAIT | 1U << LISTENING | 1U << NEW_SYN_RECV))

struct visitor {
	void (*take)(void *arg, const struct nio_socket *socket);
	void (*take_name)(void *arg, const struct sock_name *name); /* overrides take if set */
	void *arg;
};

/* Counters that an older kernel lacks stay 0. */
static void take_info(struct nio_socket *socket, const struct nlattr *attr)
{
	struct tcp_info info = {0};
	size_t len = mnl_attr_get_payload_len(attr);

	memcpy(&info, mnl_attr_get_payload(attr), len < sizeof(info) ? len : sizeof(info));
	socket->bytes_acked = info.tcpi_bytes_acked;
	socket->bytes_received = info.tcpi_bytes_received;
	socket->bytes_retrans = info.tcpi_bytes_retrans;
}

static void take_name(const struct visitor *v, const struct inet_diag_msg *msg)
{
	struct sock_name name = {
		.cookie = (uint64_t)msg->id.idiag_cookie[1] << 32 | msg->id.idiag_cookie[0],
		.inode = msg->idiag_inode,
		.local_port = ntohs(msg->id.idiag_sport),
		.remote_port = ntohs(msg->id.idiag_dport),
		.listens = msg->idiag_state == LISTENING,
	};

	v->take_name(v->arg, &name);
}

static int take_message(const struct nlmsghdr *nlh, void *data)
{
	const struct inet_diag_msg *msg = mnl_nlmsg_get_payload(nlh);
	const struct visitor *v = data;
	struct nio_socket socket;
	struct nlattr *attr;
	bool told = false;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return MNL_CB_OK;
	socket = (struct nio_socket){
		.cookie = (uint64_t)msg->id.idiag_cookie[1] << 32 | msg->id.idiag_cookie[0],
		.write_seq = msg->idiag_wqueue,
		.rcv_nxt = msg->idiag_rqueue,
		.state = msg->idiag_state,
	};
	if (v->take_name) {
		take_name(v, msg);
		return MNL_CB_OK;
	}
	mnl_attr_for_each(attr, nlh, sizeof(*msg))
	{
		if (mnl_attr_get_type(attr) != INET_DIAG_INFO)
			continue;
		take_info(&socket, attr);
		told = true;
	}
	if (told)
		v->take(v->arg, &socket);
	return MNL_CB_OK;
}

static int ask(struct mnl_socket *nl, uint8_t family, uint32_t states)
{
	char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct inet_diag_req_v2 *req;

	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = family;
	req = mnl_nlmsg_put_extra_header(nlh, sizeof(*req));
	req->sdiag_family = family;
	req->sdiag_protocol = IPPROTO_TCP;
	req->idiag_ext = 1 << (INET_DIAG_INFO - 1);
	req->idiag_states = states;
	return mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0 ? -errno : 0;
}

static int dump(struct mnl_socket *nl, uint8_t family, struct visitor *v)
{
	unsigned int portid = mnl_socket_get_portid(nl);
	char buf[DIAG_BUF];
	ssize_t len;
	int ret, err;

	err = ask(nl, family, v->take_name ? STATES | 1U << LISTENING : STATES);
	if (err)
		return err;
	do {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len < 0 && errno != EINTR)
			return -errno;
		ret = len < 0 ? MNL_CB_OK : mnl_cb_run(buf, len, family, portid, take_message, v);
		if (ret == MNL_CB_ERROR)
			return -errno;
	} while (ret != MNL_CB_STOP);
	return 0;
}

static int dump_all(struct visitor *v)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC);
	int err;

	if (!nl)
		return -errno;
	err = mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : dump(nl, AF_INET, v);
	if (!err) {
		err = dump(nl, AF_INET6, v);
		/* A kernel without IPv6 has no such sockets. */
		if (err == -ENOENT || err == -EAFNOSUPPORT)
			err = 0;
	}
	mnl_socket_close(nl);
	return err;
}

int sock_diag__pass(void (*take)(void *arg, const struct nio_socket *socket), void *arg)
{
	struct visitor v = {.take = take, .arg = arg};

	return dump_all(&v);
}

int sock_diag__names(void (*take)(void *arg, const struct sock_name *name), void *arg)
{
	struct visitor v = {.take_name = take, .arg = arg};

	return dump_all(&v);
}
