/* SPDX-License-Identifier: GPL-2.0-only */
/* Message slots of zero-copy connections. */
#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "common/xalloc.h"
#include "send_mode.h"
#include "send_slots.h"
#include "sock.h"

/* After a refused send, wait this long for notifications to release memory. */
#define RELIEF_MS 5
/* End of a phase: wait this long for notifications after the peer has acknowledged all bytes. */
#define DRAIN_NS (2 * NS_PER_SEC)

void send_slots__open(struct send_slots *s, const struct sender_conn *f)
{
	const struct workload *w = &f->options->workload;
	unsigned int i, n = mode__slots(workload__message_size(w), w->connections, f->depth);

	s->list = xcalloc(n, sizeof(*s->list));
	s->free_list = xcalloc(n, sizeof(*s->free_list));
	s->current = xcalloc(f->depth, sizeof(struct send_slot *));
	s->nr = n;
	for (i = 0; i < n; i++)
		sender_conn__init_message(f, &s->list[i].message);
	send_slots__keep(s, n);
}

void send_slots__keep(struct send_slots *s, unsigned int n)
{
	s->used = s->free_nr = n;
	for (unsigned int i = 0; i < n; i++)
		s->free_list[i] = (uint16_t)(n - 1 - i);
}

void send_slots__close(struct send_slots *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		message__clear(&s->list[i].message);
	free(s->list);
	free(s->free_list);
	free(s->current);
}

void send_slots__drop(struct send_slots *s, struct send_slot *slot)
{
	if (--slot->holds == 0)
		s->free_list[s->free_nr++] = (uint16_t)(slot - s->list);
}

int send_slots__prepare(struct sender_conn *f)
{
	struct send_slots *s = f->own;

	if (s->free_nr < f->group)
		return -EAGAIN;
	for (unsigned int i = 0; i < f->group; i++) {
		s->current[i] = &s->list[s->free_list[--s->free_nr]];
		s->current[i]->holds = 1;
		if (f->options->workload.verify)
			message__fill(&s->current[i]->message, f->index, f->seq + i);
	}
	if (f->options->workload.verify)
		f->now = 0;
	return 0;
}

void send_slots__begin(struct sender_conn *f, uint64_t stamp)
{
	struct send_slots *s = f->own;

	s->relieved = s->copying = false;
	for (unsigned int i = 0; i < f->group; i++) {
		s->current[i]->stamp = f->call_begin;
		message__put_tag(&s->current[i]->message, f->seq + i, stamp);
	}
}

int send_slots__await(struct sender_conn *f, unsigned int ms)
{
	const struct send_mode *mode = send_mode__get(f->options->mode);

	return f->blocking ? mode->wait(f, ms) : mode->reap(f);
}

int send_slots__relieve(struct sender_conn *f, uint32_t outstanding)
{
	struct send_slots *s = f->own;

	if (s->relieved || !outstanding) {
		f->counters->zc_enobufs += f->group - f->done / sender_conn__message_size(f);
		s->copying = true;
		return 0;
	}
	s->relieved = true;
	return send_slots__await(f, RELIEF_MS);
}

ssize_t send_slots__sent(struct sender_conn *f, ssize_t n)
{
	struct send_slots *s = f->own;
	size_t size = sender_conn__message_size(f);

	if (s->copying)
		f->counters->zc_fallback += (uint64_t)n;
	for (size_t i = f->done / size; i < (f->done + (size_t)n) / size; i++)
		send_slots__drop(s, s->current[i]);
	return n;
}

int send_slots__drain(struct sender_conn *f, const uint32_t *outstanding)
{
	const struct send_mode *mode = send_mode__get(f->options->mode);
	uint64_t acked_since = 0;
	int err = mode->reap(f);

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
			err = mode->wait(f, SEND_SLOTS_WAIT_MS);
	}
	return err;
}
