/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences of two snapshots: each counter, and places and other copies by what they are. */
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "model/snapshot.h"
#include "support/test.h"

#define COUNTERS (offsetof(struct snapshot, places) / sizeof(uint64_t))

static void count(struct snapshot *s, uint64_t times)
{
	uint64_t counters[COUNTERS] = {0};

	for (size_t i = 0; i < COUNTERS; i++)
		counters[i] = times * (i + 1);
	memcpy(s, counters, sizeof(counters));
}

TEST(each_counter_is_the_difference)
{
	struct snapshot *all = xcalloc(3, sizeof(*all)), *since = &all[2];
	uint64_t counters[COUNTERS];

	count(&all[0], 3);
	count(&all[1], 10);
	snapshot__since(since, &all[0], &all[1]);
	memcpy(counters, since, sizeof(counters));
	for (size_t i = 0; i < COUNTERS; i++)
		assert_int_equal(counters[i], 7 * (i + 1));
	free(all);
}

static const struct nio_sum much = {.bytes = 100, .events = 10, .ns = 1000};
static const struct nio_sum little = {.bytes = 30, .events = 3, .ns = 300};

static struct place_sum place(int of, struct nio_sum sum)
{
	struct place_sum p = {.sum = sum};

	memset(&p.place, of, sizeof(p.place));
	return p;
}

static struct other_sum other(int of, struct nio_sum sum)
{
	struct other_sum o = {.sum = sum};

	memset(&o.other, of, sizeof(o.other));
	return o;
}

static void assert_sum(const struct nio_sum *sum, uint64_t bytes, uint64_t events, uint64_t ns)
{
	assert_int_equal(sum->bytes, bytes);
	assert_int_equal(sum->events, events);
	assert_int_equal(sum->ns, ns);
}

/* In another order, and beside one that is new. What is beyond the number of entries is none. */
TEST(places_and_others_are_subtracted_where_they_are_the_same)
{
	struct snapshot *all = xcalloc(3, sizeof(*all)), *base = &all[0], *now = &all[1];
	struct snapshot *since = &all[2];
	static const int of_base[] = {6, 5, 7, 5}, of_now[] = {5, 6, 8, 7};

	for (size_t i = 0; i < 4; i++) {
		base->places[i] = place(of_base[i], little);
		base->others[i] = other(of_base[i], little);
		now->places[i] = place(of_now[i], much);
		now->others[i] = other(of_now[i], much);
	}
	base->places_nr = base->others_nr = now->places_nr = now->others_nr = 3;
	snapshot__since(since, base, now);
	for (size_t i = 0; i < 4; i++) {
		bool both = i < 2;

		assert_memory_equal(&since->places[i].place, &now->places[i].place,
				    sizeof(since->places[i].place));
		assert_memory_equal(&since->others[i].other, &now->others[i].other,
				    sizeof(since->others[i].other));
		assert_sum(&since->places[i].sum, both ? 70 : 100, both ? 7 : 10,
			   both ? 700 : 1000);
		assert_sum(&since->others[i].sum, both ? 70 : 100, both ? 7 : 10,
			   both ? 700 : 1000);
	}
	free(all);
}
