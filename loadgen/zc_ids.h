/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which buffer each outstanding MSG_ZEROCOPY send refers to. The kernel numbers the successful
 * sends of a socket 0, 1, 2... (u32, wrapping) and reports ranges of numbers as completed, in any
 * order. Pure bookkeeping: knows nothing of sockets or of what a buffer is.
 */
#ifndef LOADGEN_ZC_IDS_H
#define LOADGEN_ZC_IDS_H

#include <stdbool.h>
#include <stdint.h>

/* Sends that can be outstanding at once; a power of two. */
#define ZC_IDS_MAX 4096u

struct zc_ids {
	uint32_t first; /* oldest id not completed */
	uint32_t next;  /* id the kernel gives to the next send */
	uint32_t outstanding;
	uint16_t slot[ZC_IDS_MAX];
	bool done[ZC_IDS_MAX];
};

void zc_ids__init(struct zc_ids *z);
bool zc_ids__full(const struct zc_ids *z);

/* A send of this slot was accepted. The caller has checked zc_ids__full(). */
void zc_ids__sent(struct zc_ids *z, uint16_t slot);

/*
 * The ids lo..hi (inclusive, wrapping) are complete: calls done(slot, arg) for each. -EPROTO and no
 * call when one of them was never sent or was completed before.
 */
int zc_ids__complete(struct zc_ids *z, uint32_t lo, uint32_t hi,
		     void (*done)(uint16_t slot, void *arg), void *arg);

#endif
