/* SPDX-License-Identifier: GPL-2.0-only */
/* What threads count: every counter and histogram is added, shown and set back, none twice. */
#include <string.h>

#include "loadgen/tally.h"
#include "support/test.h"

static void fill(struct tally *t, uint64_t factor)
{
	uint64_t next = 1;

#define X(name) t->name = factor * next++;
	TALLY_COUNTERS(X)
#undef X
	t->last_ns = factor;
	for (int i = 0; i < TALLY_HIST_NR; i++)
		for (int n = 0; n <= i; n++)
			hist__record_latency(t->hist[i], factor * (uint64_t)(i + 1));
}

static void check(const struct tally *t, uint64_t factor, uint64_t last_ns)
{
	uint64_t next = 1;

#define X(name) assert_int_equal(t->name, factor *next++);
	TALLY_COUNTERS(X)
#undef X
	assert_int_equal(t->last_ns, last_ns);
	for (int i = 0; i < TALLY_HIST_NR; i++)
		assert_int_equal(t->hist[i]->sum, factor * (uint64_t)(i + 1) * (uint64_t)(i + 1));
}

TEST(tallies_add_up)
{
	struct tally a, b;

	assert_int_equal(tally__init(&a), 0);
	assert_int_equal(tally__init(&b), 0);
	check(&a, 0, 0);
	fill(&a, 1);
	fill(&b, 100);
	tally__add(&a, &b);
	check(&a, 101, 100);
	/* The last byte is the latest of all. */
	tally__add(&b, &a);
	check(&b, 201, 100);
	tally__reset(&a);
	check(&a, 0, 0);
	tally__clear(&a);
	tally__clear(&b);
}

TEST(a_board_shows_the_last_published)
{
	struct tally t, seen;
	struct board board;

	assert_int_equal(tally__init(&t), 0);
	assert_int_equal(tally__init(&seen), 0);
	assert_int_equal(board__init(&board), 0);
	fill(&t, 3);
	board__publish(&board, &t);
	board__publish(&board, &t);
	board__read(&board, &seen);
	check(&seen, 3, 3);
	assert_true(t.messages > 0);
	assert_int_equal(board__messages(&board), t.messages);
	board__publish(&board, NULL);
	board__read(&board, &seen);
	check(&seen, 3, 3);
	assert_int_equal(board__messages(&board), 0);
	board__clear(&board);
	tally__clear(&t);
	tally__clear(&seen);
}
