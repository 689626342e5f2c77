/* SPDX-License-Identifier: GPL-2.0-only */
/* The message slots of a zero-copy connection, and the wait for its notifications. */
#ifndef LOADGEN_SEND_SLOTS_H
#define LOADGEN_SEND_SLOTS_H

#include <stdint.h>

#include "sender_conn.h"

#define SEND_SLOTS_WAIT_MS 50

/* A slot is rewritten only when every zero-copy send of it is complete. */
struct send_slot {
	struct message message;
	uint32_t holds; /* incomplete sends, plus 1 while the message is being sent */
	uint64_t stamp; /* begin of the message's first send call, ns */
};

/* A mode's own data (sender_conn.own) begin with its slots. */
struct send_slots {
	struct send_slot *list;
	uint16_t *free_list; /* LIFO: the last slot is most likely still cached */
	unsigned int nr, free_nr;
	unsigned int used;          /* of nr, from the first */
	struct send_slot **current; /* of the messages that are being sent: sender_conn.group */
	bool relieved;              /* they have waited after a refusal */
	bool copying;               /* their rest is sent by copy */
};

/* Allocates the slots of conn's workload; free with send_slots__close(). */
void send_slots__open(struct send_slots *s, const struct sender_conn *conn);
void send_slots__close(struct send_slots *s);

/* Uses only the first n slots. None is taken yet. */
void send_slots__keep(struct send_slots *s, unsigned int n);

/* Gives back one hold; without holds the slot is free. */
void send_slots__drop(struct send_slots *s, struct send_slot *slot);

/* Takes a free slot for each message of the next group. 0; -EAGAIN: too few are free. */
int send_slots__prepare(struct sender_conn *conn);

/* The operation begin() of modes with slots. */
void send_slots__begin(struct sender_conn *conn, uint64_t stamp);

/* Reads notifications; a blocking connection waits for them, at most ms. */
int send_slots__await(struct sender_conn *conn, unsigned int ms);

/*
 * The kernel refused to pin: no memory is left. Waits for outstanding notifications once; after
 * that, or if there are none, the rest of the group is sent by copy. 0 or -errno.
 */
int send_slots__relieve(struct sender_conn *conn, uint32_t outstanding);

/* n further bytes of the group were sent. Returns n. */
ssize_t send_slots__sent(struct sender_conn *conn, ssize_t n);

/*
 * End of a phase: reads notifications until no send is outstanding, or until nothing has completed
 * for 2 s after the peer acknowledged all bytes. 0 or -errno.
 */
int send_slots__drain(struct sender_conn *conn, const uint32_t *outstanding);

#endif
