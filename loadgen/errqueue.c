/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads notifications from the error queue. */
#include <errno.h>
#include <time.h> /* for <linux/errqueue.h>: struct timespec */
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "errqueue.h"

static bool is_recverr(const struct cmsghdr *c)
{
	return (c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
	       (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR);
}

int errqueue__decode(const struct msghdr *msg, struct zc_notice *notice)
{
	struct sock_extended_err ee;
	struct cmsghdr *c;

	if (msg->msg_flags & MSG_CTRUNC)
		return -EPROTO;
	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)msg, c)) {
		if (!is_recverr(c))
			continue;
		if (c->cmsg_len < CMSG_LEN(sizeof(ee)))
			return -EPROTO;
		memcpy(&ee, CMSG_DATA(c), sizeof(ee));
		if (ee.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			return -ENOMSG;
		if (ee.ee_errno)
			return -EPROTO;
		notice->lo = ee.ee_info;
		notice->hi = ee.ee_data;
		notice->copied = ee.ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
		return 0;
	}
	return -ENOMSG;
}

int errqueue__next(int fd, struct zc_notice *notice)
{
	/* An extended error, followed by the largest address. */
	union {
		char buf[CMSG_SPACE(sizeof(struct sock_extended_err) +
				    sizeof(struct sockaddr_in6))];
		struct cmsghdr align;
	} control;
	struct msghdr msg;
	int err;

	do {
		msg = (struct msghdr){
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf),
		};
		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
			if (errno == EINTR) {
				err = -ENOMSG;
				continue;
			}
			return -errno;
		}
		err = errqueue__decode(&msg, notice);
	} while (err == -ENOMSG);
	return err;
}

int errqueue__wait(int fd, unsigned int ms)
{
	struct pollfd p = {.fd = fd}; /* no events: poll() always reports POLLERR */
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	socklen_t len = sizeof(int);
	int e = 0;

	if (ppoll(&p, 1, &ts, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	/* POLLERR is a notification or a failed connection; SO_ERROR distinguishes them. */
	if (p.revents & POLLERR && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &len) && e)
		return -e;
	if (p.revents & POLLHUP && !(p.revents & POLLERR))
		return -ECONNRESET;
	return 0;
}
