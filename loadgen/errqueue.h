/* SPDX-License-Identifier: GPL-2.0-only */
/* MSG_ZEROCOPY notifications: decodes, receives and waits for them on a socket's error queue. */
#ifndef LOADGEN_ERRQUEUE_H
#define LOADGEN_ERRQUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Sends lo to hi (inclusive, u32, wrapping) are complete. */
struct zc_notice {
	uint32_t lo;
	uint32_t hi;
	bool copied; /* SO_EE_CODE_ZEROCOPY_COPIED: the kernel copied the bytes */
};

/* 0; -ENOMSG: not a zero-copy record (such as ICMP), to be skipped; -EPROTO: malformed. */
int errqueue__decode(const struct msghdr *msg, struct zc_notice *notice);

/* Receives one notification without blocking: 0, -EAGAIN if there is none, other -errno. */
int errqueue__next(int fd, struct zc_notice *notice);

/* Waits at most ms. 0, also at the timeout; -errno of a failed connection; -ECONNRESET: closed. */
int errqueue__wait(int fd, unsigned int ms);

#endif
