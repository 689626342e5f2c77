/* SPDX-License-Identifier: GPL-2.0-only */
/* The message slots of a zero-copy connection, and the wait for its notifications. */
#ifndef LOADGEN_SEND_SLOTS_H
#define LOADGEN_SEND_SLOTS_H

#include <stdint.h>

#include "sender_conn.h"

/* After a refused send, wait this long for notifications to release memory. */
#define SEND_SLOTS_RELIEF_MS 5
#define SEND_SLOTS_WAIT_MS   50

/* A slot is rewritten only when every zero-copy send of it is complete. */
struct send_slot {
	struct message message;
	uint32_t holds; /* incomplete sends, plus 1 while the message is being sent */
	uint64_t stamp; /* begin of the message's first send call, ns */
};

struct send_slots {
	struct send_slot *list;
	uint16_t *free_list; /* LIFO: the last slot is most likely still cached */
	unsigned int nr, free_nr;
};

/* Allocates the slots of f's workload; free with send_slots__close(). */
void send_slots__open(struct send_slots *s, const struct sender_conn *f);
void send_slots__close(struct send_slots *s);

/* A free slot, with one hold; NULL: none is free. */
struct send_slot *send_slots__take(struct send_slots *s);

/* Gives back one hold; without holds the slot is free. */
void send_slots__drop(struct send_slots *s, struct send_slot *slot);

/*
 * End of a phase: calls wait(f, ms) until no send is outstanding, or until nothing has completed
 * for 2 s after the peer acknowledged all bytes. 0 or -errno.
 */
int send_slots__drain(struct sender_conn *f, const uint32_t *outstanding,
		      int (*wait)(struct sender_conn *f, unsigned int ms));

#endif
