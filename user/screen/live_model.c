/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of the full-screen view and its answers to keys: see live_model.h. Pure. */
#include <string.h>

#include "live_model.h"

typedef void (*hist_fn)(struct hist **h, struct hist *const *other);

/* Applies fn to each histogram of a run and its counterpart in another. */
static void for_each_hist(struct run_result *run, const struct run_result *other, hist_fn fn)
{
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++) {
		fn(&run->stages[i].sizes, &other->stages[i].sizes);
		fn(&run->stages[i].times, &other->stages[i].times);
	}
	for (i = 0; i < LATENCY_NR; i++)
		fn(&run->app.latency[i].hist, &other->app.latency[i].hist);
	fn(&run->pinned.completion.hist, &other->pinned.completion.hist);
	fn(&run->pinned.outstanding.hist, &other->pinned.outstanding.hist);
}

static void hist_drop(struct hist **h, struct hist *const *other)
{
	(void)other;
	hist__free(*h);
	*h = NULL;
}

static void hist_copy(struct hist **h, struct hist *const *other)
{
	*h = *other ? hist__dup(*other) : NULL;
}

/* A statistic read during an update may be slightly below an earlier one: do not wrap. */
static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* *h less the baseline. Only buckets can be subtracted: the extremes become bucket bounds. */
static void hist_subtract(struct hist **h, struct hist *const *base)
{
	struct hist *d;
	uint64_t sum;
	uint32_t i;

	if (!*h || !*base || (*h)->n_buckets != (*base)->n_buckets ||
	    (*h)->sub_bits != (*base)->sub_bits)
		return;
	d = hist__new((*h)->sub_bits, (*h)->n_buckets);
	for (i = 0; i < d->n_buckets; i++)
		if ((*h)->buckets[i] > (*base)->buckets[i])
			hist__add_bucket(d, i, (*h)->buckets[i] - (*base)->buckets[i]);
	sum = less((*h)->sum, (*base)->sum);
	if (d->count)
		d->sum = sum;
	hist__free(*h);
	*h = d;
}

static size_t modes_of(const struct live_frame *f)
{
	return f->modes_nr < MODE_NR ? f->modes_nr : MODE_NR;
}

void frame_copy__clear(struct frame_copy *copy)
{
	size_t i;

	for (i = 0; i < modes_of(&copy->frame); i++)
		for_each_hist(&copy->frame.modes[i].total, &copy->frame.modes[i].total, hist_drop);
	memset(copy, 0, sizeof(*copy));
}

void frame_copy__set(struct frame_copy *copy, const struct live_frame *frame)
{
	struct frame_copy fresh = {.valid = true, .frame = *frame};
	size_t i;

	fresh.frame.modes_nr = modes_of(frame);
	for (i = 0; i < fresh.frame.modes_nr; i++)
		for_each_hist(&fresh.frame.modes[i].total, &frame->modes[i].total, hist_copy);
	if (frame->env)
		fresh.env = *frame->env;
	frame_copy__clear(copy);
	*copy = fresh;
	copy->frame.env = &copy->env;
}

/* Inputs of the costs. */
static void perf__subtract(struct run_result *run, const struct run_result *base)
{
	int side, c;

	for (side = 0; side < NIO_SIDE_NR; side++)
		for (c = 0; c < PERF_NR; c++)
			run->perf[side][c].value =
				less(run->perf[side][c].value, base->perf[side][c].value);
}

static void num__subtract(struct num *n, const struct num *base)
{
	if (n->known && base->known)
		n->value = less(n->value, base->value);
}

static void times__subtract(struct run_result *run, const struct run_result *base)
{
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++) {
		num__subtract(&run->stages[i].ns, &base->stages[i].ns);
		num__subtract(&run->stages[i].timed, &base->stages[i].timed);
		num__subtract(&run->stages[i].timed_bytes, &base->stages[i].timed_bytes);
	}
	for (i = 0; i < PATH_NR; i++)
		num__subtract(&run->path_ns[i], &base->path_ns[i]);
	num__subtract(&run->path_calls, &base->path_calls);
	run->times.calls = less(run->times.calls, base->times.calls);
}

static void run__subtract(struct run_result *run, const struct run_result *base)
{
	int i;

	for (i = 0; i < NIO_STAGE_NR; i++) {
		run->stages[i].bytes = less(run->stages[i].bytes, base->stages[i].bytes);
		run->stages[i].events = less(run->stages[i].events, base->stages[i].events);
	}
	times__subtract(run, base);
	run->app.rx_bytes = less(run->app.rx_bytes, base->app.rx_bytes);
	run->app.tx_bytes = less(run->app.tx_bytes, base->app.tx_bytes);
	run->app.replies.rx_bytes = less(run->app.replies.rx_bytes, base->app.replies.rx_bytes);
	run->app.replies.tx_bytes.value =
		less(run->app.replies.tx_bytes.value, base->app.replies.tx_bytes.value);
	run->duration_ns = less(run->duration_ns, base->duration_ns);
	run->app.sender_cpu_ns.value =
		less(run->app.sender_cpu_ns.value, base->app.sender_cpu_ns.value);
	run->app.receiver_cpu_ns.value =
		less(run->app.receiver_cpu_ns.value, base->app.receiver_cpu_ns.value);
	perf__subtract(run, base);
	for_each_hist(run, base, hist_subtract);
}

static void frame_copy__subtract(struct frame_copy *copy, const struct frame_copy *base)
{
	size_t i, j;

	for (i = 0; i < copy->frame.modes_nr; i++)
		for (j = 0; j < base->frame.modes_nr; j++)
			if (copy->frame.modes[i].mode == base->frame.modes[j].mode)
				run__subtract(&copy->frame.modes[i].total,
					      &base->frame.modes[j].total);
}

void live_model__frame(struct live_model *m, const struct live_frame *frame)
{
	frame_copy__set(&m->latest, frame);
}

static const struct frame_copy *visible(const struct live_model *m)
{
	return m->frozen.valid ? &m->frozen : &m->latest;
}

bool live_model__shown(const struct live_model *m, struct frame_copy *shown)
{
	const struct frame_copy *now = visible(m);

	memset(shown, 0, sizeof(*shown));
	if (!now->valid)
		return false;
	frame_copy__set(shown, &now->frame);
	if (m->base.valid)
		frame_copy__subtract(shown, &m->base);
	return true;
}

static void toggle_pause(struct live_model *m)
{
	if (m->frozen.valid)
		frame_copy__clear(&m->frozen);
	else if (m->latest.valid)
		frame_copy__set(&m->frozen, &m->latest.frame);
}

enum live_action live_model__key(struct live_model *m, enum live_key key)
{
	if (m->help) {
		m->help = false;
		return LIVE_NONE;
	}
	switch (key) {
	case LIVE_KEY_QUIT:
		return LIVE_QUIT;
	case LIVE_KEY_PAUSE:
		toggle_pause(m);
		break;
	case LIVE_KEY_LEFT:
		m->quantity = (m->quantity + LIVE_QUANTITY_NR - 1) % LIVE_QUANTITY_NR;
		break;
	case LIVE_KEY_RIGHT:
		m->quantity = (m->quantity + 1) % LIVE_QUANTITY_NR;
		break;
	case LIVE_KEY_RESET:
		if (visible(m)->valid)
			frame_copy__set(&m->base, &visible(m)->frame);
		break;
	case LIVE_KEY_TIMES:
		m->times = !m->times;
		break;
	case LIVE_KEY_HELP:
		m->help = true;
		break;
	case LIVE_KEY_OTHER:
		break;
	}
	return LIVE_NONE;
}

void live_model__clear(struct live_model *m)
{
	frame_copy__clear(&m->latest);
	frame_copy__clear(&m->frozen);
	frame_copy__clear(&m->base);
	memset(m, 0, sizeof(*m));
}
