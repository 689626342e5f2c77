/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion of MSG_ZEROCOPY sends: notifications on a socket's error queue, and the sends that are
 * incomplete. The kernel numbers the sends of a socket from 0 (u32, wrapping) and reports ranges as
 * complete, in any order.
 */
#ifndef LOADGEN_ZC_COMPLETION_H
#define LOADGEN_ZC_COMPLETION_H

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

/* Maximum of incomplete sends; a power of two. */
#define ZC_IDS_MAX 4096u

struct zc_ids {
	uint32_t first; /* oldest incomplete id */
	uint32_t next;  /* id of the next send */
	uint32_t outstanding;
	uint16_t slot[ZC_IDS_MAX];
	bool done[ZC_IDS_MAX];
};

void zc_ids__init(struct zc_ids *z);
bool zc_ids__full(const struct zc_ids *z);

/* The kernel accepted a send of this slot. The caller must have checked zc_ids__full(). */
void zc_ids__sent(struct zc_ids *z, uint16_t slot);

/* Calls done(slot, arg) for ids lo to hi, which may wrap. -EPROTO: an id is not outstanding. */
int zc_ids__complete(struct zc_ids *z, uint32_t lo, uint32_t hi,
		     void (*done)(uint16_t slot, void *arg), void *arg);

#endif
