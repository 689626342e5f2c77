/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters read inside the stages, from what the programs kept of them; see ledger_perf.h. Pure. */
#include <string.h>

#include "ledger_perf.h"

static void settle(struct perf_window *w)
{
	bool any = w->samples.known && w->samples.value;

	w->quality = any ? QUALITY_SAMPLED : QUALITY_UNAVAILABLE;
	if (!any && !w->reason)
		w->reason = w->windows.value ? "every sample was discarded: the task was switched, "
					       "or the counters took turns"
					     : "nothing passed here";
}

static struct num difference(uint64_t base, uint64_t now)
{
	return (struct num){.value = now - base, .known = true};
}

void ledger_perf__book(struct run_result *r, const struct nio_perf_cell base[NIO_PERF_WINDOW_NR],
		       const struct nio_perf_cell now[NIO_PERF_WINDOW_NR], const char *no_llc)
{
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		const struct nio_perf_cell *b = &base[i], *n = &now[i];
		struct perf_window *w = &r->perf_window[i];

		*w = (struct perf_window){
			.windows = difference(b->windows, n->windows),
			.samples = difference(b->samples, n->samples),
			.discarded = difference(b->moved + b->multiplexed + b->unread,
						n->moved + n->multiplexed + n->unread),
			.bytes = difference(b->bytes, n->bytes),
			.cycles =
				difference(b->counts[NIO_PERF_CYCLES], n->counts[NIO_PERF_CYCLES]),
			.llc_misses = difference(b->counts[NIO_PERF_LLC_MISSES],
						 n->counts[NIO_PERF_LLC_MISSES]),
		};
		if (no_llc)
			w->llc_misses = (struct num){.reason = no_llc};
		settle(w);
	}
}

void ledger_perf__none(struct run_result *r, const char *reason)
{
	const struct num none = {.reason = reason};

	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++)
		r->perf_window[i] = (struct perf_window){
			QUALITY_UNAVAILABLE, reason, none, none, none, none, none, none};
}

static void add(struct num *dst, const struct num *src)
{
	if (dst->known && src->known)
		dst->value += src->value;
	else if (dst->known)
		*dst = *src;
}

/* Of a sum whose times are of rounds of their own, what reads the counters was attached in those.
 */
static bool one_lacks(const struct run_result *dst, const struct run_result *src)
{
	return (dst->times.source == TIMES_OF_ITS_OWN) != (src->times.source == TIMES_OF_ITS_OWN);
}

void ledger_perf__add(struct run_result *dst, const struct run_result *src)
{
	if (one_lacks(dst, src)) {
		if (src->times.source == TIMES_OF_ITS_OWN)
			memcpy(dst->perf_window, src->perf_window, sizeof(dst->perf_window));
		return;
	}
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		struct perf_window *d = &dst->perf_window[i];
		const struct perf_window *s = &src->perf_window[i];

		add(&d->windows, &s->windows);
		add(&d->samples, &s->samples);
		add(&d->discarded, &s->discarded);
		add(&d->bytes, &s->bytes);
		add(&d->cycles, &s->cycles);
		add(&d->llc_misses, &s->llc_misses);
		d->reason = d->samples.known ? NULL : d->samples.reason;
		settle(d);
	}
}
