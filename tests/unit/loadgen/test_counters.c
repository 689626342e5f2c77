/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of threads: every counter and histogram is added, published and reset once. */
#include <string.h>

#include "loadgen/counters.h"
#include "support/test.h"

static void fill(struct counters *t, uint64_t factor)
{
	uint64_t next = 1;

#define X(name) t->name = factor * next++;
	COUNTERS(X)
#undef X
	t->last_ns = factor;
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		for (int n = 0; n <= i; n++)
			hist__record_latency(t->hist[i], factor * (uint64_t)(i + 1));
}

static void check(const struct counters *t, uint64_t factor, uint64_t last_ns)
{
	uint64_t next = 1;

#define X(name) assert_int_equal(t->name, factor *next++);
	COUNTERS(X)
#undef X
	assert_int_equal(t->last_ns, last_ns);
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		assert_int_equal(t->hist[i]->sum, factor * (uint64_t)(i + 1) * (uint64_t)(i + 1));
}

TEST(counters_and_histograms_add_up)
{
	struct counters a, b;

	counters__init(&a);
	counters__init(&b);
	check(&a, 0, 0);
	fill(&a, 1);
	fill(&b, 100);
	counters__add(&a, &b);
	check(&a, 101, 100);
	/* The last byte is the later of both. */
	counters__add(&b, &a);
	check(&b, 201, 100);
	counters__reset(&a);
	check(&a, 0, 0);
	counters__clear(&a);
	counters__clear(&b);
}

TEST(shared_counters_return_the_last_published_values)
{
	struct counters t, seen;
	struct shared_counters shared;

	counters__init(&t);
	counters__init(&seen);
	shared_counters__init(&shared);
	fill(&t, 3);
	shared_counters__publish(&shared, &t);
	shared_counters__publish(&shared, &t);
	shared_counters__read(&shared, &seen);
	check(&seen, 3, 3);
	assert_true(t.messages > 0);
	assert_int_equal(shared_counters__messages(&shared), t.messages);
	shared_counters__publish(&shared, NULL);
	shared_counters__read(&shared, &seen);
	check(&seen, 3, 3);
	assert_int_equal(shared_counters__messages(&shared), 0);
	shared_counters__clear(&shared);
	counters__clear(&t);
	counters__clear(&seen);
}
