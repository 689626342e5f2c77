/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a thread, and their published copy. */
#include <string.h>

#include "counters.h"

void counters__init(struct counters *t)
{
	memset(t, 0, sizeof(*t));
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		t->hist[i] = hist__new_latency();
}

void counters__clear(struct counters *t)
{
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		hist__free(t->hist[i]);
	memset(t, 0, sizeof(*t));
}

void counters__reset(struct counters *t)
{
#define X(name) t->name = 0;
	COUNTERS(X)
#undef X
	t->last_ns = t->last_call_ns = 0;
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		if (t->hist[i]->count)
			hist__reset(t->hist[i]);
}

void counters__add(struct counters *dst, const struct counters *src)
{
#define X(name) dst->name += src->name;
	COUNTERS(X)
#undef X
	if (src->last_ns > dst->last_ns)
		dst->last_ns = src->last_ns;
	if (src->last_call_ns > dst->last_call_ns)
		dst->last_call_ns = src->last_call_ns;
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		if (src->hist[i]->count)
			hist__add(dst->hist[i], src->hist[i]);
}

void shared_counters__init(struct shared_counters *b)
{
	pthread_mutex_init(&b->lock, NULL);
	counters__init(&b->shown);
}

void shared_counters__clear(struct shared_counters *b)
{
	counters__clear(&b->shown);
	pthread_mutex_destroy(&b->lock);
}

void shared_counters__publish(struct shared_counters *b, const struct counters *t)
{
	pthread_mutex_lock(&b->lock);
	counters__reset(&b->shown);
	if (t)
		counters__add(&b->shown, t);
	pthread_mutex_unlock(&b->lock);
}

void shared_counters__read(struct shared_counters *b, struct counters *dst)
{
	pthread_mutex_lock(&b->lock);
	counters__add(dst, &b->shown);
	pthread_mutex_unlock(&b->lock);
}

uint64_t shared_counters__messages(struct shared_counters *b)
{
	uint64_t messages;

	pthread_mutex_lock(&b->lock);
	messages = b->shown.messages;
	pthread_mutex_unlock(&b->lock);
	return messages;
}
