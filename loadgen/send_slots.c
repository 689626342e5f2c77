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

void send_slots__open(struct send_slots *s, const struct sender_conn *conn)
{
	const struct workload *w = &conn->options->workload;
	unsigned int i, n = mode__slots(workload__message_size(w), w->connections, conn->depth);

	s->list = xcalloc(n, sizeof(*s->list));
	s->free_list = xcalloc(n, sizeof(*s->free_list));
	s->current = xcalloc(conn->depth, sizeof(struct send_slot *));
	s->nr = n;
	for (i = 0; i < n; i++)
		sender_conn__init_message(conn, &s->list[i].message);
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

int send_slots__prepare(struct sender_conn *conn)
{
	struct send_slots *s = conn->own;

	if (s->free_nr < conn->group)
		return -EAGAIN;
	for (unsigned int i = 0; i < conn->group; i++) {
		s->current[i] = &s->list[s->free_list[--s->free_nr]];
		s->current[i]->holds = 1;
		if (conn->options->workload.verify)
			message__fill(&s->current[i]->message, conn->index, conn->seq + i);
	}
	if (conn->options->workload.verify)
		conn->now = 0;
	return 0;
}

void send_slots__begin(struct sender_conn *conn, uint64_t stamp)
{
	struct send_slots *s = conn->own;

	s->relieved = s->copying = false;
	for (unsigned int i = 0; i < conn->group; i++) {
		s->current[i]->stamp = conn->call_begin;
		message__put_tag(&s->current[i]->message, conn->seq + i, stamp);
	}
}

int send_slots__await(struct sender_conn *conn, unsigned int ms)
{
	const struct send_mode *mode = send_mode__get(conn->options->mode);

	return conn->blocking ? mode->wait(conn, ms) : mode->reap(conn);
}

int send_slots__relieve(struct sender_conn *conn, uint32_t outstanding)
{
	struct send_slots *s = conn->own;

	if (s->relieved || !outstanding) {
		conn->counters->zc_enobufs +=
			conn->group - conn->done / sender_conn__message_size(conn);
		s->copying = true;
		return 0;
	}
	s->relieved = true;
	return send_slots__await(conn, RELIEF_MS);
}

ssize_t send_slots__sent(struct sender_conn *conn, ssize_t n)
{
	struct send_slots *s = conn->own;
	size_t size = sender_conn__message_size(conn);

	if (s->copying)
		conn->counters->zc_fallback += (uint64_t)n;
	for (size_t i = conn->done / size; i < (conn->done + (size_t)n) / size; i++)
		send_slots__drop(s, s->current[i]);
	return n;
}

int send_slots__drain(struct sender_conn *conn, const uint32_t *outstanding)
{
	const struct send_mode *mode = send_mode__get(conn->options->mode);
	uint64_t acked_since = 0;
	int err = mode->reap(conn);

	conn->stall = (struct stall){0};
	while (!err && *outstanding) {
		uint64_t now = clock__now();

		if (sock__unacked(conn->fd)) {
			acked_since = 0;
			err = sender_conn__check_stall(conn);
		} else if (!acked_since) {
			acked_since = now;
		} else if (now - acked_since > DRAIN_NS) {
			break;
		}
		if (!err)
			err = mode->wait(conn, SEND_SLOTS_WAIT_MS);
	}
	return err;
}
