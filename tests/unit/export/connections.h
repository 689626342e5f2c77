/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections for the tests of aggregates, and what holds of every page. */
#ifndef TESTS_UNIT_EXPORT_CONNECTIONS_H
#define TESTS_UNIT_EXPORT_CONNECTIONS_H

#include "common/splitmix.h"
#include "export/aggregates.h"
#include "support/test.h"

/* A connection without unseen events. */
static inline struct sock_state connection(uint64_t sent, uint64_t read)
{
	return (struct sock_state){
		.first_ns = 1,
		.begun = 2,
		.born_window = 1,
		.window = 1,
		.now = {.sent = sent, .read = read, .received = read},
		.read_seen = read,
		.calls[NIO_CALL_PLAIN] = {.bytes = sent, .events = 1},
		.stages[NIO_STAGE_TX_COPY] = {.bytes = sent, .events = 1},
		.stages[NIO_STAGE_RX_COPY] = {.bytes = read, .events = 1},
	};
}

/* A call or splice piece that was seen, in a window of this weight. */
static inline void send_seen(struct sock_state *s, enum nio_stage stage, uint64_t bytes,
			     uint64_t weight)
{
	bool spliced = stage == NIO_STAGE_TX_SPLICE;
	struct nio_amount *call = &s->calls[spliced ? NIO_CALL_SPLICE : NIO_CALL_PLAIN];

	call->bytes += bytes * weight;
	call->events += weight;
	s->stages[stage].bytes += bytes * weight;
	s->stages[stage].events += weight;
	s->added[NIO_SIDE_SENDER] += bytes * (weight - 1);
	if (!spliced)
		s->tx_sizes[nio_size_bucket(bytes)] += weight;
}

static inline uint64_t below(uint64_t *state, uint64_t n)
{
	return splitmix__next(state) % n;
}

static inline void refresh(struct aggregates *a, size_t slot, const struct sock_state *s, size_t nr)
{
	aggregates__begin(a, 0);
	for (size_t i = 0; i < nr; i++)
		aggregates__add_open(a, slot, &s[i]);
	aggregates__end(a);
}

static inline void assert_adds_up(const struct published *p)
{
	uint64_t sent = 0, read = 0;

	for (int i = PART_TX_COPY; i < PART_RX_COPY; i++)
		sent += p->parts[i];
	for (int i = PART_RX_COPY; i < PART_RX_PEEKED; i++)
		read += p->parts[i];
	assert_int_equal(sent, p->sent);
	assert_int_equal(read, p->read);
	for (int i = 0; i < PART_NR; i++)
		assert_int_equal(p->by_quality[0][i] + p->by_quality[1][i],
				 p->parts[i] + (i == PART_RX_COPY ? p->parts[PART_RX_PEEKED] : 0));
}

#endif
