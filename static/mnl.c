/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of libmnl(3) this program calls, for `make static` alone: no distribution has a libmnl.a. By
 * libmnl's own header, so that the compiler holds the two together. All else links libmnl.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct mnl_socket {
	int fd;
	struct sockaddr_nl addr;
};

static void *behind(const void *p, size_t bytes)
{
	return (char *)p + bytes;
}

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	struct mnl_socket *nl = calloc(1, sizeof(*nl));

	if (!nl)
		return NULL;
	nl->fd = socket(AF_NETLINK, SOCK_RAW | flags, bus);
	if (nl->fd >= 0)
		return nl;
	free(nl);
	return NULL;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	socklen_t len = sizeof(nl->addr);

	nl->addr = (struct sockaddr_nl){
		.nl_family = AF_NETLINK, .nl_groups = groups, .nl_pid = (__u32)pid};
	if (bind(nl->fd, (struct sockaddr *)&nl->addr, sizeof(nl->addr)))
		return -1;
	/* With pid 0 the kernel chooses the port. */
	return getsockname(nl->fd, (struct sockaddr *)&nl->addr, &len);
}

int mnl_socket_close(struct mnl_socket *nl)
{
	int err = close(nl->fd);

	free(nl);
	return err;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	return nl->fd;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	return nl->addr.nl_pid;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size)
{
	static const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};

	return sendto(nl->fd, req, size, 0, (const struct sockaddr *)&kernel, sizeof(kernel));
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	struct sockaddr_nl from;
	struct iovec iov = {.iov_base = buf, .iov_len = size};
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n = recvmsg(nl->fd, &msg, 0);

	if (n >= 0 && (msg.msg_flags & MSG_TRUNC)) {
		errno = ENOSPC;
		return -1;
	}
	if (n >= 0 && msg.msg_namelen != sizeof(from)) {
		errno = EINVAL;
		return -1;
	}
	return n;
}

struct nlmsghdr *mnl_nlmsg_put_header(void *buf)
{
	struct nlmsghdr *nlh = buf;

	memset(buf, 0, MNL_NLMSG_HDRLEN);
	nlh->nlmsg_len = MNL_NLMSG_HDRLEN;
	return nlh;
}

void *mnl_nlmsg_put_extra_header(struct nlmsghdr *nlh, size_t size)
{
	void *extra = mnl_nlmsg_get_payload_tail(nlh);

	nlh->nlmsg_len += (uint32_t)MNL_ALIGN(size);
	return memset(extra, 0, MNL_ALIGN(size));
}

size_t mnl_nlmsg_get_payload_len(const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_len - MNL_NLMSG_HDRLEN;
}

void *mnl_nlmsg_get_payload(const struct nlmsghdr *nlh)
{
	return behind(nlh, MNL_NLMSG_HDRLEN);
}

void *mnl_nlmsg_get_payload_offset(const struct nlmsghdr *nlh, size_t offset)
{
	return behind(nlh, MNL_NLMSG_HDRLEN + MNL_ALIGN(offset));
}

void *mnl_nlmsg_get_payload_tail(const struct nlmsghdr *nlh)
{
	return behind(nlh, MNL_ALIGN(nlh->nlmsg_len));
}

uint16_t mnl_attr_get_type(const struct nlattr *attr)
{
	return attr->nla_type & NLA_TYPE_MASK;
}

uint16_t mnl_attr_get_payload_len(const struct nlattr *attr)
{
	return (uint16_t)(attr->nla_len - MNL_ATTR_HDRLEN);
}

void *mnl_attr_get_payload(const struct nlattr *attr)
{
	return behind(attr, MNL_ATTR_HDRLEN);
}

bool mnl_attr_ok(const struct nlattr *attr, int len)
{
	return len >= (int)sizeof(*attr) && attr->nla_len >= sizeof(*attr) && attr->nla_len <= len;
}

struct nlattr *mnl_attr_next(const struct nlattr *attr)
{
	return behind(attr, MNL_ALIGN(attr->nla_len));
}

uint32_t mnl_attr_get_u32(const struct nlattr *attr)
{
	uint32_t value;

	memcpy(&value, mnl_attr_get_payload(attr), sizeof(value));
	return value;
}

const char *mnl_attr_get_str(const struct nlattr *attr)
{
	return mnl_attr_get_payload(attr);
}

static bool is_valid(const struct nlattr *attr, enum mnl_attr_data_type type)
{
	uint16_t len = mnl_attr_get_payload_len(attr);
	const char *payload = mnl_attr_get_payload(attr);

	switch (type) {
	case MNL_TYPE_U8:
		return len == 1;
	case MNL_TYPE_U16:
		return len == 2;
	case MNL_TYPE_U32:
		return len == 4;
	case MNL_TYPE_U64:
		return len == 8;
	case MNL_TYPE_NUL_STRING:
		return len && !payload[len - 1];
	case MNL_TYPE_STRING:
		return len;
	case MNL_TYPE_NESTED:
		return !len || len >= MNL_ATTR_HDRLEN;
	default:
		return true;
	}
}

int mnl_attr_validate(const struct nlattr *attr, enum mnl_attr_data_type type)
{
	if (is_valid(attr, type))
		return 0;
	errno = ERANGE;
	return -1;
}

void mnl_attr_put(struct nlmsghdr *nlh, uint16_t type, size_t len, const void *data)
{
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);
	size_t padded = MNL_ALIGN(len);

	attr->nla_type = type;
	attr->nla_len = (uint16_t)(MNL_ATTR_HDRLEN + len);
	memset(mnl_attr_get_payload(attr), 0, padded);
	if (len)
		memcpy(mnl_attr_get_payload(attr), data, len);
	nlh->nlmsg_len += (uint32_t)(MNL_ATTR_HDRLEN + padded);
}

void mnl_attr_put_u32(struct nlmsghdr *nlh, uint16_t type, uint32_t data)
{
	mnl_attr_put(nlh, type, sizeof(data), &data);
}

void mnl_attr_put_strz(struct nlmsghdr *nlh, uint16_t type, const char *data)
{
	mnl_attr_put(nlh, type, strlen(data) + 1, data);
}

struct nlattr *mnl_attr_nest_start(struct nlmsghdr *nlh, uint16_t type)
{
	struct nlattr *nest = mnl_nlmsg_get_payload_tail(nlh);

	mnl_attr_put(nlh, NLA_F_NESTED | type, 0, NULL);
	return nest;
}

void mnl_attr_nest_end(struct nlmsghdr *nlh, struct nlattr *nest)
{
	nest->nla_len = (uint16_t)((char *)mnl_nlmsg_get_payload_tail(nlh) - (char *)nest);
}

/* An answer to another request is refused. */
static int check_origin(const struct nlmsghdr *nlh, unsigned int seq, unsigned int portid)
{
	if (nlh->nlmsg_pid && portid && nlh->nlmsg_pid != portid)
		errno = ESRCH;
	else if (nlh->nlmsg_seq && seq && nlh->nlmsg_seq != seq)
		errno = EPROTO;
	else if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		errno = EINTR;
	else
		return 0;
	return -1;
}

static int take_error(const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*err)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	errno = abs(err->error);
	return err->error ? MNL_CB_ERROR : MNL_CB_STOP;
}

static int take_message(const struct nlmsghdr *nlh, mnl_cb_t cb, void *data)
{
	if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
		return cb ? cb(nlh, data) : MNL_CB_OK;
	if (nlh->nlmsg_type == NLMSG_ERROR)
		return take_error(nlh);
	return nlh->nlmsg_type == NLMSG_DONE ? MNL_CB_STOP : MNL_CB_OK;
}

int mnl_cb_run(const void *buf, size_t size, unsigned int seq, unsigned int portid, mnl_cb_t cb,
	       void *data)
{
	const struct nlmsghdr *nlh = buf;
	int left = (int)size, result = MNL_CB_OK;

	for (; NLMSG_OK(nlh, (unsigned int)left) && result > MNL_CB_STOP;
	     nlh = NLMSG_NEXT(nlh, left)) {
		if (check_origin(nlh, seq, portid))
			return MNL_CB_ERROR;
		result = take_message(nlh, cb, data);
	}
	return result;
}
