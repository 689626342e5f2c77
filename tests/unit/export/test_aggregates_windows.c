/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters by group where calls are watched in windows: estimated once, and never too many. */
#include <stdint.h>

#include "connections.h"

static void assert_near(double value, double truth, double part)
{
	if (value < truth * (1 - part) || value > truth * (1 + part))
		fail_msg("%g is not within %g of %g", value, part, truth);
}

/* A program as it is watched in windows of 4 ms in each 700 ms. */
#define WINDOW_MS 4
#define WEIGHT    175

struct program {
	struct aggregates a;
	struct sock_state s; /* its long connection */
	uint64_t seed, at, ms;
	uint64_t calls[2];      /* truth: of 100 B on the long connection, of 700 B on short ones */
	uint64_t chatter, bulk; /* bytes */
};

/* true: in a window. */
static bool step_window(struct program *p)
{
	if (p->ms++ % (WINDOW_MS * WEIGHT) == 0)
		p->at = p->ms + below(&p->seed, WINDOW_MS * (WEIGHT - 1));
	return p->ms >= p->at && p->ms < p->at + WINDOW_MS;
}

static struct program program(uint64_t seed)
{
	struct program p = {.s = connection(0, 0), .seed = seed};

	aggregates__init(&p.a, 4, 0);
	aggregates__slot(&p.a, "x", NULL, true);
	p.s.calls[NIO_CALL_PLAIN].events = p.s.stages[NIO_STAGE_TX_COPY].events = 0;
	p.s.window = 2;
	return p;
}

static void send_plain(struct program *p, bool seen)
{
	p->s.now.sent += 100;
	p->chatter += 100;
	p->calls[0]++;
	if (seen)
		send_seen(&p->s, NIO_STAGE_TX_COPY, 100, WEIGHT);
}

/* A connection of one call: most are between windows, a few lie in one from begin to end. */
static void connect_and_send(struct program *p, bool seen)
{
	struct sock_state s = connection(700, 0);

	s.calls[NIO_CALL_PLAIN] = s.stages[NIO_STAGE_TX_COPY] = (struct nio_amount){0};
	s.born_window = s.window = seen ? 3 : 4;
	s.weight = seen ? WEIGHT : 0;
	s.closed_ns = 9;
	if (seen)
		send_seen(&s, NIO_STAGE_TX_COPY, 700, WEIGHT);
	aggregates__close(&p->a, 1, &s);
	p->calls[1]++;
}

TEST(calls_and_sizes_of_connections_between_windows_are_estimated_once)
{
	struct program p = program(5);
	const struct published *out = &p.a.list[1].out;

	while (p.ms < 60000) {
		bool seen = step_window(&p);

		for (int i = 0; i < 6; i++)
			send_plain(&p, seen);
		connect_and_send(&p, seen);
		if (p.ms % 5000 == 0)
			refresh(&p.a, 1, &p.s, 1);
	}
	assert_adds_up(out);
	assert_near((double)out->sends[NIO_CALL_PLAIN], (double)(p.calls[0] + p.calls[1]), 0.1);
	assert_near((double)out->tx_sizes[nio_size_bucket(100)], (double)p.calls[0], 0.1);
	assert_near((double)out->tx_sizes[nio_size_bucket(700)], (double)p.calls[1], 0.1);
	assert_near((double)out->parts[PART_TX_COPY], (double)out->sent, 0.1);
	assert_true(p.a.list[1].unwatched);
	aggregates__clear(&p.a);
}

/* 300 MB by sendfile in 40 ms of each 2.5 s, beside 2 MB/s of small calls. */
TEST(bytes_of_bursts_are_never_booked_as_other_calls)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct program p = program(seed);
		const struct published *out = &p.a.list[1].out;
		uint64_t burst = (uint64_t)300 << 20, before = 0;

		while (p.ms < 60000) {
			bool seen = step_window(&p);

			for (int i = 0; i < 20; i++)
				send_plain(&p, seen);
			if (p.ms % 2500 >= 40)
				continue;
			p.bulk += burst / 40;
			p.s.now.sent += burst / 40;
			if (seen)
				send_seen(&p.s, NIO_STAGE_TX_SPLICE, burst / 40, WEIGHT);
			if (p.ms % 5000 == 0)
				refresh(&p.a, 1, &p.s, 1);
			assert_true(out->sends[NIO_CALL_PLAIN] >= before);
			before = out->sends[NIO_CALL_PLAIN];
		}
		assert_adds_up(out);
		assert_near((double)out->sends[NIO_CALL_PLAIN], (double)p.calls[0], 0.15);
		assert_true((double)out->parts[PART_TX_COPY] < 1.15 * (double)p.chatter);
		assert_true(out->parts[PART_TX_SPLICE] <= out->sent);
		assert_int_equal(out->sends[NIO_CALL_SPLICE], 0);
		aggregates__clear(&p.a);
	}
}
