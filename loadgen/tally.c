/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a thread, and their published copy. */
#include <errno.h>
#include <string.h>

#include "tally.h"

int tally__init(struct tally *t)
{
	int i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < TALLY_HIST_NR; i++) {
		t->hist[i] = hist__new_latency();
		if (!t->hist[i]) {
			tally__clear(t);
			return -ENOMEM;
		}
	}
	return 0;
}

void tally__clear(struct tally *t)
{
	int i;

	for (i = 0; i < TALLY_HIST_NR; i++)
		hist__free(t->hist[i]);
	memset(t, 0, sizeof(*t));
}

void tally__reset(struct tally *t)
{
	int i;

#define X(name) t->name = 0;
	TALLY_COUNTERS(X)
#undef X
	t->last_ns = t->last_call_ns = 0;
	for (i = 0; i < TALLY_HIST_NR; i++)
		if (t->hist[i]->count)
			hist__reset(t->hist[i]);
}

void tally__add(struct tally *dst, const struct tally *src)
{
	int i;

#define X(name) dst->name += src->name;
	TALLY_COUNTERS(X)
#undef X
	if (src->last_ns > dst->last_ns)
		dst->last_ns = src->last_ns;
	if (src->last_call_ns > dst->last_call_ns)
		dst->last_call_ns = src->last_call_ns;
	for (i = 0; i < TALLY_HIST_NR; i++)
		if (src->hist[i]->count)
			hist__add(dst->hist[i], src->hist[i]);
}

int board__init(struct board *b)
{
	pthread_mutex_init(&b->lock, NULL);
	return tally__init(&b->shown);
}

void board__clear(struct board *b)
{
	tally__clear(&b->shown);
	pthread_mutex_destroy(&b->lock);
}

void board__publish(struct board *b, const struct tally *t)
{
	pthread_mutex_lock(&b->lock);
	tally__reset(&b->shown);
	if (t)
		tally__add(&b->shown, t);
	pthread_mutex_unlock(&b->lock);
}

void board__read(struct board *b, struct tally *dst)
{
	pthread_mutex_lock(&b->lock);
	tally__add(dst, &b->shown);
	pthread_mutex_unlock(&b->lock);
}

uint64_t board__messages(struct board *b)
{
	uint64_t messages;

	pthread_mutex_lock(&b->lock);
	messages = b->shown.messages;
	pthread_mutex_unlock(&b->lock);
	return messages;
}
