/* SPDX-License-Identifier: GPL-2.0-only */
/* --rate: when messages are due, and those that were due and not sent; see sender_pool.h. */
#include "clock.h"
#include "sender_pool.h"

/* Few histogram entries stand for many messages: a rate may be far above what can be sent. */
#define MISSED_ENTRIES 4096

uint64_t sender_pool__due(uint64_t begin, uint64_t k, uint64_t rate, uint64_t nr, uint64_t all)
{
	/* k messages take k / (rate * nr / all) seconds; 64 bits would overflow within hours. */
	unsigned __int128 ns = (unsigned __int128)k * NS_PER_SEC * all;

	return begin + (uint64_t)(ns / ((unsigned __int128)rate * nr));
}

uint64_t sender_pool__due_nr(uint64_t ns, uint64_t rate, uint64_t nr, uint64_t all)
{
	unsigned __int128 each = (unsigned __int128)NS_PER_SEC * all;

	return (uint64_t)(((unsigned __int128)ns * rate * nr + each - 1) / each);
}

void sender_thread__count_missed(struct sender_thread *m, const struct sender_conn *conn,
				 uint64_t now)
{
	uint64_t begin = m->pool->begin, rate = m->pool->options->workload.rate, all = m->pool->nr;
	uint64_t turn = (uint64_t)(conn - m->conns), each;
	uint64_t nr = sender_pool__due_nr(now - begin, rate, m->nr, all);
	uint64_t end = lg_options__share(nr, m->nr, turn);
	uint64_t missed = end > conn->begun ? end - conn->begun : 0;

	if (missed > conn->left)
		missed = conn->left;
	each = missed / MISSED_ENTRIES + 1;
	for (uint64_t k = conn->begun; missed; missed -= each) {
		each = each < missed ? each : missed;
		k += each;
		/* The last of these waited the shortest time: a lower bound for each. */
		hist__record_many(
			m->counters.hist[COUNTERS_MISSED],
			now - sender_pool__due(begin, (k - 1) * m->nr + turn, rate, m->nr, all),
			each);
	}
}
