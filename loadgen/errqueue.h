/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MSG_ZEROCOPY completion notifications from a socket's error queue, and waiting for them. Knows
 * nothing of which buffer an id stands for.
 */
#ifndef LOADGEN_ERRQUEUE_H
#define LOADGEN_ERRQUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The sends lo..hi (inclusive, u32, wrapping) are complete. */
struct zc_notice {
	uint32_t lo;
	uint32_t hi;
	bool copied; /* the kernel copied after all */
};

/*
 * Decodes the control messages of one error queue record. 0; -ENOMSG for a record of another kind
 * (ICMP and the like), which is to be passed over; -EPROTO for a malformed one.
 */
int errqueue__decode(const struct msghdr *msg, struct zc_notice *notice);

/* Takes one notification without waiting: 0, -EAGAIN when there is none, -errno. */
int errqueue__next(int fd, struct zc_notice *notice);

/*
 * Waits until the error queue holds something or the time is over. 0 in both cases; -errno when the
 * connection itself has failed, -ECONNRESET when it is closed.
 */
int errqueue__wait(int fd, unsigned int ms);

#endif
