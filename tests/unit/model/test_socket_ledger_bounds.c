/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds of sums over sockets: the truth of simulated sockets is within, whatever was seen of them.
 */
#include "common/splitmix.h"
#include "model/result.h"
#include "model/socket_ledger.h"
#include "support/test.h"

/* The truth of some sockets, and the sum of their ledgers. */
struct world {
	uint64_t seed;
	uint64_t stages[NIO_STAGE_NR], calls[NIO_CALL_NR];
	struct socket_ledger sum;
};

static uint64_t below(struct world *w, uint64_t n)
{
	return splitmix__next(&w->seed) % n;
}

/* How a call moves its bytes. */
static const struct {
	enum nio_stage stage;
	enum nio_send_call call; /* NIO_CALL_NR: a receive */
} kinds[] = {
	{NIO_STAGE_TX_COPY, NIO_CALL_PLAIN},    {NIO_STAGE_TX_COPY, NIO_CALL_VECTORED},
	{NIO_STAGE_TX_SPLICE, NIO_CALL_SPLICE}, {NIO_STAGE_RX_COPY, NIO_CALL_NR},
	{NIO_STAGE_RX_SPLICE, NIO_CALL_NR},     {NIO_STAGE_RX_DISCARD, NIO_CALL_NR},
};

/* A call of a kind, seen with that weight; 0: not seen. */
static void call(struct world *w, struct sock_state *s, size_t kind, uint64_t bytes,
		 uint64_t weight)
{
	bool sends = kinds[kind].call != NIO_CALL_NR;
	enum nio_stage stage = kinds[kind].stage;

	w->stages[stage] += bytes;
	if (sends)
		w->calls[kinds[kind].call] += bytes;
	*(sends ? &s->now.sent : &s->now.read) += bytes;
	s->now.received = s->now.read;
	if (!weight)
		return;
	s->stages[stage].bytes += bytes * weight;
	s->stages[stage].events += weight;
	s->added[sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER] += bytes * (weight - 1);
	if (!sends) {
		s->read_seen = s->now.read;
		return;
	}
	s->calls[kinds[kind].call].bytes += bytes * weight;
	s->calls[kinds[kind].call].events += weight;
}

/* A socket that prefers a kind for a while, of which all calls, some of them or none were seen. */
static void add_socket(struct world *w)
{
	struct sock_state s = {.first_ns = 1, .begun = 2, .born_window = 1, .window = 3};
	uint64_t seen = below(w, 4), favourite = 0;
	struct socket_ledger d;

	if (!seen)
		s.window = 1;
	for (uint64_t i = below(w, 60) + 1; i; i--) {
		uint64_t weight = !seen ? 1 : seen < 3 && !below(w, 4) ? 1 + below(w, 40) : 0;

		favourite = below(w, 8) ? favourite : below(w, sizeof(kinds) / sizeof(kinds[0]));
		call(w, &s, favourite, 1 + below(w, below(w, 5) ? 300 : 300000), weight);
	}
	d = socket_ledger__of(&s);
	socket_ledger__add(&w->sum, &d);
}

static void assert_within(const struct byte_margin *margin, uint64_t value, uint64_t open,
			  uint64_t truth)
{
	assert_true(margin->below <= value);
	assert_in_range(truth, value - margin->below, value + margin->above + open);
}

TEST(truth_is_within_the_bounds_of_20000_random_sums_of_sockets)
{
	struct world w = {.seed = 7};

	for (int i = 0; i < 20000; i++) {
		struct socket_ledger *b = &w.sum;
		uint64_t open[NIO_SIDE_NR];

		w = (struct world){.seed = w.seed};
		for (uint64_t n = 1 + below(&w, 7); n; n--)
			add_socket(&w);
		for (int side = 0; side < NIO_SIDE_NR; side++)
			open[side] = socket_ledger__unclassified(b, (enum nio_side)side);
		for (int k = 0; k < NIO_CALL_NR; k++)
			assert_within(&b->call_margin[k], b->calls[k].bytes, open[NIO_SIDE_SENDER],
				      w.calls[k]);
		for (enum nio_stage k = NIO_STAGE_TX_COPY; k <= NIO_STAGE_RX_SPLICE; k++) {
			if (k == NIO_STAGE_DEFERRED_COPY)
				continue;
			assert_within(&b->stage_margin[k], b->stages[k].bytes, open[stage__side(k)],
				      w.stages[k]);
			assert_true(socket_ledger__at_most(b, k) >= w.stages[k]);
		}
	}
}

TEST(whatever_may_have_copied_pinned_pages_makes_the_deferred_bytes_a_lower_bound)
{
	struct socket_ledger b = {.stages[NIO_STAGE_DEFERRED_COPY].bytes = 1000};

	assert_false(socket_ledger__arrivals_missed(&b));
	b.pinned_open = 1;
	assert_true(socket_ledger__arrivals_missed(&b));
	b.pinned_open = 0;
	b.hidden_pins = 1;
	assert_true(socket_ledger__arrivals_missed(&b));
	b.hidden_pins = 0;
	b.may_copy[UNSEEN_STAMPS] = 1;
	assert_true(socket_ledger__arrivals_missed(&b));
}
