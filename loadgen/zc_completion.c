/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads notifications from the error queue and finds the sends that they complete. */
#include <errno.h>
#include <time.h> /* for <linux/errqueue.h>: struct timespec */
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "zc_completion.h"

_Static_assert((ZC_IDS_MAX & (ZC_IDS_MAX - 1)) == 0, "ring size is a power of two");

int errqueue__decode(const struct msghdr *msg, struct zc_notice *notice)
{
	struct sock_extended_err ee;
	struct cmsghdr *c;

	if (msg->msg_flags & MSG_CTRUNC)
		return -EPROTO;
	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)msg, c)) {
		if (!((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
		      (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR)))
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

/* A window of ids in a ring. Comparisons use distances, so that ids may wrap. */
static uint32_t ring(uint32_t id)
{
	return id & (ZC_IDS_MAX - 1);
}

void zc_ids__init(struct zc_ids *z)
{
	/* slot[] and done[] need no initialization, which would touch their pages. */
	z->first = z->next = z->outstanding = 0;
}

bool zc_ids__full(const struct zc_ids *z)
{
	return z->next - z->first == ZC_IDS_MAX;
}

void zc_ids__sent(struct zc_ids *z, uint16_t slot)
{
	z->slot[ring(z->next)] = slot;
	z->done[ring(z->next)] = false;
	z->next++;
	z->outstanding++;
}

static bool zc_ids__known(const struct zc_ids *z, uint32_t lo, uint32_t count)
{
	uint32_t window = z->next - z->first, at = lo - z->first, i;

	if (at >= window || count > window - at)
		return false;
	for (i = 0; i < count; i++)
		if (z->done[ring(lo + i)])
			return false;
	return true;
}

int zc_ids__complete(struct zc_ids *z, uint32_t lo, uint32_t hi,
		     void (*done)(uint16_t slot, void *arg), void *arg)
{
	uint32_t count = hi - lo + 1, i;

	if (!count || !zc_ids__known(z, lo, count))
		return -EPROTO;
	for (i = 0; i < count; i++) {
		z->done[ring(lo + i)] = true;
		z->outstanding--;
		done(z->slot[ring(lo + i)], arg);
	}
	while (z->first != z->next && z->done[ring(z->first)])
		z->first++;
	return 0;
}
