/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of the full-screen view and its answers to keys: see live_model.h. Pure. */
#include <string.h>

#include "curses_screen.h"
#include "live_model.h"
#include "model/ledger.h"

void live_frame__clear(struct live_frame *f)
{
	for (size_t i = 0; i < f->modes_nr; i++)
		run_result__clear(&f->modes[i].total);
	memset(f, 0, sizeof(*f));
}

/* A deep copy, except for what outlives the display: the strings and the environment. */
static void copy_frame(struct live_frame *to, const struct live_frame *from)
{
	live_frame__clear(to);
	*to = *from;
	for (size_t i = 0; i < to->modes_nr; i++) {
		to->modes[i].total = (struct run_result){0};
		ledger__add(&to->modes[i].total, &from->modes[i].total);
	}
}

/* A statistic read during an update may be slightly below an earlier one: do not wrap. */
static void subtract(uint64_t *a, uint64_t b)
{
	*a = *a > b ? *a - b : 0;
}

/* Only buckets can be subtracted: the extremes become bucket bounds. */
static void hist_subtract(struct hist **h, const struct hist *base)
{
	struct hist *d;

	if (!*h || !base || (*h)->n_buckets != base->n_buckets || (*h)->sub_bits != base->sub_bits)
		return;
	d = hist__new((*h)->sub_bits, (*h)->n_buckets);
	for (uint32_t i = 0; i < d->n_buckets; i++)
		if ((*h)->buckets[i] > base->buckets[i])
			hist__add_bucket(d, i, (*h)->buckets[i] - base->buckets[i]);
	if (d->count) {
		d->sum = (*h)->sum;
		subtract(&d->sum, base->sum);
	}
	hist__free(*h);
	*h = d;
}

/* What the figures of the view are made of. */
static void run__subtract(struct run_result *run, const struct run_result *base)
{
	for (int i = 0; i < NIO_STAGE_NR; i++) {
		struct stage_result *s = &run->stages[i];
		const struct stage_result *b = &base->stages[i];

		subtract(&s->bytes, b->bytes);
		subtract(&s->events, b->events);
		subtract(&s->ns.value, b->ns.value);
		subtract(&s->timed.value, b->timed.value);
		subtract(&s->timed_bytes.value, b->timed_bytes.value);
		hist_subtract(&s->sizes, b->sizes);
		hist_subtract(&s->times, b->times);
	}
	for (int i = 0; i < LATENCY_NR; i++)
		hist_subtract(&run->app.latency[i].hist, base->app.latency[i].hist);
	for (int i = 0; i < PATH_NR; i++)
		subtract(&run->path_ns[i].value, base->path_ns[i].value);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int c = 0; c < PERF_NR; c++)
			subtract(&run->perf[side][c].value, base->perf[side][c].value);
	subtract(&run->path_calls.value, base->path_calls.value);
	subtract(&run->times.calls, base->times.calls);
	subtract(&run->duration_ns, base->duration_ns);
	subtract(&run->app.rx_bytes, base->app.rx_bytes);
	subtract(&run->app.tx_bytes, base->app.tx_bytes);
	subtract(&run->app.replies.rx_bytes, base->app.replies.rx_bytes);
	subtract(&run->app.replies.tx_bytes.value, base->app.replies.tx_bytes.value);
	subtract(&run->app.sender_cpu_ns.value, base->app.sender_cpu_ns.value);
	subtract(&run->app.receiver_cpu_ns.value, base->app.receiver_cpu_ns.value);
	hist_subtract(&run->pinned.completion.hist, base->pinned.completion.hist);
	hist_subtract(&run->pinned.outstanding.hist, base->pinned.outstanding.hist);
}

static const struct live_frame *visible(const struct live_model *m)
{
	return m->paused ? &m->frozen : m->now;
}

/* The columns of a display stay what they are: both frames have the same modes. */
const struct live_frame *live_model__shown(const struct live_model *m, struct live_frame *copy)
{
	const struct live_frame *f = visible(m);

	memset(copy, 0, sizeof(*copy));
	if (!f || !m->since_reset)
		return f;
	copy_frame(copy, f);
	/* They are of all rounds. */
	copy->fastest = copy->cheapest = (struct ranking){.known = 0};
	for (size_t i = 0; i < f->modes_nr; i++)
		run__subtract(&copy->modes[i].total, &m->base.modes[i].total);
	return copy;
}

static void toggle_pause(struct live_model *m)
{
	if (!m->paused && !m->now)
		return;
	if (!m->paused)
		copy_frame(&m->frozen, m->now);
	m->paused = !m->paused;
}

static void reset(struct live_model *m)
{
	static struct live_frame base;

	if (!visible(m))
		return;
	memset(&base, 0, sizeof(base));
	copy_frame(&base, visible(m));
	live_frame__clear(&m->base);
	m->base = base;
	m->since_reset = true;
}

bool live_model__key(struct live_model *m, int key)
{
	if (m->help.shown) {
		help_page__key(&m->help, key);
		return false;
	}
	switch (key) {
	case 'q':
	case 'Q':
		return true;
	case 'p':
	case 'P':
	case ' ':
		toggle_pause(m);
		break;
	case SCREEN_KEY_LEFT:
		m->quantity = (m->quantity + LIVE_QUANTITY_NR - 1) % LIVE_QUANTITY_NR;
		break;
	case SCREEN_KEY_RIGHT:
		m->quantity = (m->quantity + 1) % LIVE_QUANTITY_NR;
		break;
	case 'r':
	case 'R':
		reset(m);
		break;
	case 't':
	case 'T':
		m->times = !m->times;
		break;
	case '?':
		m->help.shown = true;
		break;
	default:
		break;
	}
	return false;
}

void live_model__clear(struct live_model *m)
{
	live_frame__clear(&m->frozen);
	live_frame__clear(&m->base);
	memset(m, 0, sizeof(*m));
}
