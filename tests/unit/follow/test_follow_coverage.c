/* SPDX-License-Identifier: GPL-2.0-only */
/* Simulated follows of programs whose copies are known: intervals and words must hold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "follow/follow_result.h"
#include "support/random.h"
#include "support/test.h"

#define MESSAGES 300
#define FOLLOWS  1000
#define HELD     0.92 /* of the follows, at least */

/* A byte of a message; copies of it. */
struct mix {
	const char *name;
	unsigned int (*size)(unsigned int message, uint64_t *seed);
	unsigned int (*copies)(unsigned int message, unsigned int size, unsigned int offset);
};

static unsigned int any_size(unsigned int message, uint64_t *seed)
{
	(void)message;
	return (unsigned int)(64 * pow(4, 6 * random_uniform(seed)));
}

static unsigned int size_2000(unsigned int message, uint64_t *seed)
{
	(void)message, (void)seed;
	return 2000;
}

static unsigned int one_large(unsigned int message, uint64_t *seed)
{
	(void)seed;
	return message ? 100 : 1 << 18;
}

static unsigned int once(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message, (void)size, (void)offset;
	return 1;
}

static unsigned int never(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message, (void)size, (void)offset;
	return 0;
}

static unsigned int half_of_messages(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)size, (void)offset;
	return message % 2;
}

static unsigned int head_8_times(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message, (void)size;
	return offset < 100 ? 8 : 0;
}

static unsigned int second_fields(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message, (void)size;
	return offset / 8 % 2;
}

static unsigned int small_3_times(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message, (void)offset;
	return size == 100 ? 3 : 0;
}

static unsigned int more_for_large(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message, (void)offset;
	return size < 1000 ? 5 : size < 20000 ? 2 : size < 200000 ? 1 : 0;
}

static unsigned int tail_twice(unsigned int message, unsigned int size, unsigned int offset)
{
	(void)message;
	return offset < size / 10 * 9 ? 1 : 2;
}

static const struct mix mixes[] = {
	{"all copied once", any_size, once},
	{"none", any_size, never},
	{"half of the messages", any_size, half_of_messages},
	{"the head of each message, 8 times", size_2000, head_8_times},
	{"every second field", any_size, second_fields},
	{"small buffers 3 times, one large not", one_large, small_3_times},
	{"copies correlated with size", any_size, more_for_large},
	{"once, a tenth twice", any_size, tail_twice},
};

struct population {
	unsigned int sizes[MESSAGES];
	double ends[MESSAGES]; /* sums of the sizes */
	double per_byte, copied, by_copies[CHAIN_LINKS_MAX + 1];
};

static void populate(struct population *p, const struct mix *m, uint64_t *seed)
{
	double bytes = 0;

	memset(p, 0, sizeof(*p));
	for (unsigned int i = 0; i < MESSAGES; i++) {
		p->sizes[i] = m->size(i, seed);
		bytes += p->sizes[i];
		p->ends[i] = bytes;
		for (unsigned int at = 0; at < p->sizes[i]; at++)
			p->by_copies[m->copies(i, p->sizes[i], at)]++;
	}
	for (int i = 0; i <= CHAIN_LINKS_MAX; i++) {
		p->by_copies[i] /= bytes;
		p->per_byte += i * p->by_copies[i];
	}
	p->copied = 1 - p->by_copies[0];
}

/* The copies of one byte, each byte being equally likely. */
static unsigned int follow_byte(const struct population *p, const struct mix *m, uint64_t *seed)
{
	double at = random_uniform(seed) * p->ends[MESSAGES - 1];
	unsigned int low = 0, high = MESSAGES - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (p->ends[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return m->copies(low, p->sizes[low], (unsigned int)(at - (p->ends[low] - p->sizes[low])));
}

/* lost: the share of copied bytes that end unknown; of the others half as many do. */
static void follow(struct follow_copies *c, const struct population *p, const struct mix *m,
		   unsigned int bytes, double lost, uint64_t *seed)
{
	memset(c, 0, sizeof(*c));
	while (bytes) {
		unsigned int copies = follow_byte(p, m, seed);
		double luck = random_uniform(seed);

		if (luck < (copies ? lost : lost / 2)) {
			c->ends[CHAIN_SLOW]++;
			continue;
		}
		c->ends[CHAIN_SENT]++;
		if (lost > 0 && copies && luck > 0.95)
			c->at_least[copies - 1]++;
		else
			c->counts[copies]++;
		bytes--;
	}
}

/* Follows that found the same have the same estimate. */
static struct follow_estimate estimate_of(const struct follow_copies *c)
{
	static struct {
		struct follow_copies c;
		struct follow_estimate e;
	} known[4096];
	struct follow_result r = {.of[NIO_FOLLOW_RECEIVED] = *c};
	uint64_t hash = 1469598103934665603;

	for (size_t i = 0; i < sizeof(*c); i++)
		hash = (hash ^ ((const unsigned char *)c)[i]) * 1099511628211;
	hash = (hash ^ hash >> 32) % 4096;
	if (memcmp(&known[hash].c, c, sizeof(*c)) != 0) {
		known[hash].c = *c;
		known[hash].e = follow_result__estimate(&r, NIO_FOLLOW_RECEIVED);
	}
	return known[hash].e;
}

static bool has(struct follow_range r, double truth)
{
	return r.low <= truth && truth <= r.high;
}

/* The words, as docs/reference/follow.md explains them. */
static bool is_true(const struct follow_estimate *e, const struct population *p)
{
	double share = e->times ? p->by_copies[e->times] : p->copied;

	switch (e->answer) {
	case FOLLOW_COPIES:
		return share >= 0.9;
	case FOLLOW_COPIES_MOST:
		return share >= 0.5;
	case FOLLOW_COPIES_SOME:
		return share > 0;
	case FOLLOW_DOES_NOT_COPY:
		return share <= 0.1;
	case FOLLOW_UNKNOWN:
		break;
	}
	return true;
}

static void check_follows(const struct mix *m, const struct population *p, unsigned int bytes,
			  double lost, uint64_t *seed)
{
	static struct follow_copies c;
	unsigned int held = 0, shares = 0, words = 0;
	double low = 0, high = 0;

	for (unsigned int i = 0; i < FOLLOWS; i++) {
		struct follow_estimate e;

		follow(&c, p, m, bytes, lost, seed);
		e = estimate_of(&c);
		held += has(e.mean, p->per_byte);
		shares += has(e.copied, p->copied);
		words += is_true(&e, p);
		low += e.mean.low / FOLLOWS;
		high += e.mean.high / FOLLOWS;
	}
	print_message("%s | %.2f | %u | %g | %.2f to %.2f | %.1f | %.1f | %.1f\n", m->name,
		      p->per_byte, bytes, lost, low, high, 100.0 * held / FOLLOWS,
		      100.0 * shares / FOLLOWS, 100.0 * words / FOLLOWS);
	assert_true(held >= HELD * FOLLOWS);
	assert_true(shares >= HELD * FOLLOWS);
	assert_true(words >= HELD * FOLLOWS);
}

/* Unknown bytes: none; and 30 % of the copied and 15 % of the other ones. */
TEST(intervals_and_words_hold_for_1000_follows_of_each_of_eight_mixes)
{
	static const struct {
		unsigned int bytes;
		double lost;
	} cases[] = {{15, 0}, {40, 0}, {200, 0}, {40, 0.3}};
	static struct population p;
	uint64_t seed = 59;

	for (size_t i = 0; i < ARRAY_SIZE(mixes); i++) {
		populate(&p, &mixes[i], &seed);
		for (size_t j = 0; j < ARRAY_SIZE(cases); j++)
			check_follows(&mixes[i], &p, cases[j].bytes, cases[j].lost, &seed);
	}
}
