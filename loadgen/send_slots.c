/* SPDX-License-Identifier: GPL-2.0-only */
/* Message slots of zero-copy connections. */
#include <stdlib.h>

#include "clock.h"
#include "common/xalloc.h"
#include "send_slots.h"
#include "sock.h"

/* End of a phase: wait this long for notifications after the peer has acknowledged all bytes. */
#define DRAIN_NS (2 * NS_PER_SEC)

void send_slots__open(struct send_slots *s, const struct sender_conn *f)
{
	const struct workload *w = &f->options->workload;
	unsigned int i, n = mode__slots(workload__message_size(w), w->connections);

	s->list = xcalloc(n, sizeof(*s->list));
	s->free_list = xcalloc(n, sizeof(*s->free_list));
	s->nr = s->free_nr = n;
	for (i = 0; i < n; i++) {
		sender_conn__init_message(f, &s->list[i].message);
		s->free_list[i] = (uint16_t)(n - 1 - i);
	}
}

void send_slots__close(struct send_slots *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		message__clear(&s->list[i].message);
	free(s->list);
	free(s->free_list);
}

struct send_slot *send_slots__take(struct send_slots *s)
{
	struct send_slot *slot;

	if (!s->free_nr)
		return NULL;
	slot = &s->list[s->free_list[--s->free_nr]];
	slot->holds = 1;
	return slot;
}

void send_slots__drop(struct send_slots *s, struct send_slot *slot)
{
	if (--slot->holds == 0)
		s->free_list[s->free_nr++] = (uint16_t)(slot - s->list);
}

int send_slots__drain(struct sender_conn *f, const uint32_t *outstanding,
		      int (*wait)(struct sender_conn *f, unsigned int ms))
{
	uint64_t acked_since = 0;
	int err = 0;

	f->stall = (struct stall){0};
	while (!err && *outstanding) {
		uint64_t now = clock__now();

		if (sock__unacked(f->fd)) {
			acked_since = 0;
			err = sender_conn__check_stall(f);
		} else if (!acked_since) {
			acked_since = now;
		} else if (now - acked_since > DRAIN_NS) {
			break;
		}
		if (!err)
			err = wait(f, SEND_SLOTS_WAIT_MS);
	}
	return err;
}
