/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the exchange of one netlink request with the kernel; see netlink.h. */
#include "netlink.h"

#include <errno.h>
#include <stdbool.h>

#include <netlink/attr.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "common/xalloc.h"

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

const void *netlink__attr(const struct nlmsghdr *nlh, size_t header_len, int type, size_t *len)
{
	struct nlattr *attr;

	if (!nlmsg_valid_hdr(nlh, (int)header_len))
		return NULL;
	attr = nlmsg_find_attr((struct nlmsghdr *)nlh, (int)header_len, type);
	*len = attr ? (size_t)nla_len(attr) : 0;
	return attr ? nla_data(attr) : NULL;
}
