/* SPDX-License-Identifier: GPL-2.0-only */
/* The copy ledger of one run: from two snapshots and the load generator's totals; see ledger.h. */
#include <stdio.h>
#include <string.h>

#include "ledger.h"
#include "ledger_bytes.h"
#include "unsupported_paths.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static struct num unknown(const char *reason)
{
	return (struct num){.reason = reason};
}

/* now - base, or unknown with a reason. */
static struct num difference(const char *reason, uint64_t base, uint64_t now)
{
	return reason ? unknown(reason) : known(now - base);
}

/*
 * Bucket counts of now minus base, as a histogram with the given sum. If one bucket holds every
 * event, all events have the mean value: that is so for messages of one size.
 */
static struct hist *hist_between(const __u64 *base, const __u64 *now, uint64_t sum)
{
	struct hist *h = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	unsigned int occupied = 0;

	for (uint32_t i = 0; i < NIO_HIST_BUCKETS; i++) {
		if (now[i] == base[i])
			continue;
		hist__add_bucket(h, i, now[i] - base[i]);
		occupied++;
	}
	if (h->count)
		h->sum = sum;
	if (occupied == 1)
		h->min = h->max = h->sum / h->count;
	return h;
}

static void book_stage(struct run_result *r, const struct plan *plan, enum nio_stage stage,
		       const struct snapshot *base, const struct snapshot *now)
{
	enum nio_side side = stage__side(stage);
	const struct nio_cell *from = &base->cells[side][stage], *to = &now->cells[side][stage];
	struct stage_result *out = &r->stages[stage];

	plan__stage(plan, stage, out);
	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	out->bytes = to->bytes - from->bytes;
	out->events = to->events - from->events;
	out->no_events = NULL;
	out->open_bytes = known(0);
	hist__free(out->sizes);
	out->sizes = hist_between(from->hist, to->hist, out->bytes);
}

/* Adds to a stage the bytes booked on sockets of the other side. */
static void add_other_side(struct run_result *r, enum nio_stage stage, const struct snapshot *base,
			   const struct snapshot *now)
{
	enum nio_side other =
		stage__side(stage) == NIO_SIDE_SENDER ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	const struct nio_cell *from = &base->cells[other][stage];
	const struct nio_cell *to = &now->cells[other][stage];
	struct stage_result *out = &r->stages[stage];

	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	out->bytes += to->bytes - from->bytes;
	out->events += to->events - from->events;
	if (!out->sizes) /* no event is attached: bytes are known otherwise */
		return;
	for (uint32_t i = 0; i < NIO_HIST_BUCKETS; i++)
		if (to->hist[i] != from->hist[i])
			hist__add_bucket(out->sizes, i, to->hist[i] - from->hist[i]);
	if (out->sizes->count)
		out->sizes->sum = out->bytes;
}

static void book_completions(struct run_result *r, const struct nio_zc *base,
			     const struct nio_zc *now)
{
	struct zc_counts *zc = &r->kernel_zc;

	r->kernel_zc_known = true;
	zc->sends = r->stages[NIO_STAGE_TX_PIN].events;
	zc->completed = now->sends - base->sends;
	zc->copied = now->copied - base->copied;
	zc->not_copied = zc->completed - zc->copied;
	r->notifications = known(now->notifications - base->notifications);
	r->zc_filled = known(now->missed - base->missed);
	r->zc_repeated = known(now->repeated - base->repeated);
	r->zc_unseen = known(now->unseen - base->unseen);
}

/* Were zero-copy sends and their completions sampled? */
static bool in_slices(const struct plan *plan, const struct snapshot *now)
{
	return mode__has(plan->mode, MODE_PINS) && now->looked_ns < now->phase_ns;
}

/* Losses of the programs: over all slots, so those of concurrent ledgers are included. */
static void book_health(struct run_result *r, const struct plan *plan, const struct snapshot *base,
			const struct snapshot *now)
{
	struct health *h = &r->health;

	if (now->missed_untold)
		h->missed = unknown(
			"until Linux 6.7 a kernel does not tell how often it passed over a kprobe");
	else
		h->missed = known(now->missed - base->missed);
	h->anomalies = known(now->loss.backwards + now->loss.no_cell - base->loss.backwards -
			     base->loss.no_cell);
	h->dropped = unknown("no events are sent to user space that could be lost on the way");
	h->map_full = known(now->loss.map_full - base->loss.map_full);
	if (!plan__keeps_events(plan))
		h->map_full = unknown("no program of this backend inserts into a map");
	h->unmatched = known(now->loss.unmatched - base->loss.unmatched);
	if (!plan__pairs_events(plan))
		h->unmatched = unknown("no probe of this backend pairs a beginning with an end");
	else if (in_slices(plan, now))
		h->unmatched = unknown("zero-copy sends and their completions were looked at a "
				       "part of the time: they are not paired");
}

/* Unexpected copies are booked to the side that owns the socket. */
static void book_other_copies(struct run_result *r, const struct plan *plan,
			      const struct snapshot *base, const struct snapshot *now)
{
	struct stage_result *out = &r->stages[NIO_STAGE_OTHER_COPY];

	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	add_other_side(r, NIO_STAGE_OTHER_COPY, base, now);
	if (plan__no_probe(plan, PROBE_COALESCE))
		out->reason = "without what skb_try_coalesce copies: it cannot be watched here";
	if (plan__no_probe(plan, PROBE_CHECKSUM_COPY))
		out->reason =
			"without what skb_copy_and_csum_bits copies: it cannot be watched here";
}

/* The stage's cells of both sides together: unexpected copies happen on either. */
static void both_sides(const struct snapshot *s, int stage, struct nio_cell *sum)
{
	const uint64_t *tx = (const uint64_t *)&s->cells[NIO_SIDE_SENDER][stage];
	const uint64_t *rx = (const uint64_t *)&s->cells[NIO_SIDE_RECEIVER][stage];
	uint64_t *out = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*out); i++)
		out[i] = tx[i] + rx[i];
}

static void book_stage_times(struct run_result *r, const struct plan *plan,
			     const struct snapshot *base, const struct snapshot *now)
{
	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		const char *reason = plan__no_stage_time(plan, stage);
		struct stage_result *out = &r->stages[stage];
		struct nio_cell from, to;

		if (stage == NIO_STAGE_USER_GATHER)
			continue;
		both_sides(base, stage, &from);
		both_sides(now, stage, &to);
		out->ns = difference(reason, from.ns, to.ns);
		out->timed = difference(reason, from.timed, to.timed);
		hist__free(out->times);
		out->times = reason ? NULL : hist_between(from.ns_hist, to.ns_hist, out->ns.value);
	}
}

static void book_path(struct run_result *r, const struct plan *plan, const struct nio_path *base,
		      const struct nio_path *now)
{
	const struct alternative *calls = plan->chosen[PROBE_CALL_TIME];
	const char *reason = plan__no_probe(plan, PROBE_CALL_TIME);

	r->path_quality = calls ? calls->quality : QUALITY_UNAVAILABLE;
	r->path_reason = calls ? calls->caveat : reason;
	r->path_calls = difference(reason, base->calls, now->calls);
	for (int p = 0; p < NIO_PATH_NR; p++) {
		reason = plan__no_path_time(plan, p);
		r->path_ns[PATH_SEND_TOTAL + 1 + p] = difference(reason, base->ns[p], now->ns[p]);
	}
}

static void book_latency(struct latency_result *out, const char *reason, const __u64 *base,
			 const __u64 *now, uint64_t sum)
{
	hist__free(out->hist);
	out->reason = reason;
	out->hist = reason ? NULL : hist_between(base, now, sum);
}

/*
 * Sum of a histogram from the middle of its buckets, without the open last one: the exact sum is
 * not kept.
 */
static uint64_t rough_sum(const __u64 *base, const __u64 *now)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < NIO_HIST_BUCKETS - 1; i++) {
		uint64_t low = hist_bucket_low(i, NIO_HIST_SUB_BITS);
		uint64_t high = hist_bucket_low(i + 1, NIO_HIST_SUB_BITS) - 1;

		sum += (now[i] - base[i]) * ((low + high) / 2);
	}
	return sum;
}

static void book_pinned(struct run_result *r, const struct plan *plan, const struct nio_zc *base,
			const struct nio_zc *now)
{
	const char *no_completion = plan__no_probe(plan, PROBE_COMPLETION);
	const char *no_time = plan__no_probe(plan, PROBE_CALL_TIME);
	const char *no_refusal = plan__no_probe(plan, PROBE_REFUSAL);
	struct pinned_result *p = &r->pinned;

	if (!no_completion && !plan__completions_by_kernel(plan))
		no_completion = "completions are seen only as the application reads of them";
	if (!no_completion && !plan->chosen[PROBE_SEND_RETURN])
		no_completion = "send calls are not counted one by one";
	p->completed_bytes = difference(no_completion, base->bytes, now->bytes);
	book_latency(&p->completion, no_completion ? no_completion : no_time, base->ns_hist,
		     now->ns_hist, now->ns - base->ns);
	book_latency(&p->outstanding, no_completion, base->outstanding_hist, now->outstanding_hist,
		     rough_sum(base->outstanding_hist, now->outstanding_hist));
	r->enobufs_optmem = difference(no_refusal, base->enobufs_optmem, now->enobufs_optmem);
	r->enobufs_memlock = difference(no_refusal, base->enobufs_memlock, now->enobufs_memlock);
}

static struct nio_sum since(struct nio_sum now, const struct nio_sum *base)
{
	now.bytes -= base->bytes;
	now.events -= base->events;
	now.ns -= base->ns;
	return now;
}

static const struct nio_sum *place_before(const struct snapshot *base,
					  const struct nio_place *place)
{
	static const struct nio_sum none;

	for (size_t i = 0; i < base->places_nr; i++)
		if (!memcmp(&base->places[i].place, place, sizeof(*place)))
			return &base->places[i].sum;
	return &none;
}

static const struct nio_sum *other_before(const struct snapshot *base,
					  const struct nio_other *other)
{
	static const struct nio_sum none;

	for (size_t i = 0; i < base->others_nr; i++)
		if (!memcmp(&base->others[i].other, other, sizeof(*other)))
			return &base->others[i].sum;
	return &none;
}

static void book_places(struct run_result *r, const struct plan *plan, const struct snapshot *base,
			const struct snapshot *now)
{
	r->places_nr = 0;
	r->places_reason = plan__no_stage_time(plan, NIO_STAGE_DEFERRED_COPY);
	for (size_t i = 0; i < now->places_nr; i++) {
		const struct place_sum *entry = &now->places[i];
		struct nio_sum sum = since(entry->sum, place_before(base, &entry->place));
		struct place_result place = {
			.context = entry->place.context,
			.bytes = sum.bytes,
			.events = sum.events,
			.ns = sum.ns,
		};

		if (!sum.events)
			continue;
		snprintf(place.comm, sizeof(place.comm), "%.15s", entry->place.comm);
		snprintf(place.dev, sizeof(place.dev), "%.15s", entry->place.dev);
		ledger__add_place(r, &place);
	}
}

static void book_others(struct run_result *r, const struct snapshot *base,
			const struct snapshot *now)
{
	r->others_nr = 0;
	for (size_t i = 0; i < now->others_nr; i++) {
		const struct other_sum *entry = &now->others[i];
		struct nio_sum sum = since(entry->sum, other_before(base, &entry->other));
		struct other_result other = {
			.bytes = sum.bytes, .events = sum.events, .ns = sum.ns};

		if (!sum.events)
			continue;
		snprintf(other.caller, sizeof(other.caller), "%s", entry->caller);
		ledger__add_other(r, &other);
	}
}

/* Without samples a window is unavailable. */
static void settle(struct perf_window *w)
{
	bool any = w->samples.known && w->samples.value;

	w->quality = any ? QUALITY_SAMPLED : QUALITY_UNAVAILABLE;
	if (!any && !w->reason)
		w->reason = w->windows.value ? "every sample was discarded: the task was switched, "
					       "or the counters took turns"
					     : "nothing passed here";
}

void ledger__book_windows(struct run_result *r, const struct nio_perf_cell base[NIO_PERF_WINDOW_NR],
			  const struct nio_perf_cell now[NIO_PERF_WINDOW_NR], const char *no_llc)
{
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		const struct nio_perf_cell *b = &base[i], *n = &now[i];
		struct perf_window *w = &r->perf_window[i];

		*w = (struct perf_window){
			.windows = difference(NULL, b->windows, n->windows),
			.samples = difference(NULL, b->samples, n->samples),
			.discarded = difference(NULL, b->moved + b->multiplexed + b->unread,
						n->moved + n->multiplexed + n->unread),
			.bytes = difference(NULL, b->bytes, n->bytes),
			.cycles = difference(NULL, b->counts[NIO_PERF_CYCLES],
					     n->counts[NIO_PERF_CYCLES]),
			.llc_misses = difference(NULL, b->counts[NIO_PERF_LLC_MISSES],
						 n->counts[NIO_PERF_LLC_MISSES]),
		};
		if (no_llc)
			w->llc_misses = (struct num){.reason = no_llc};
		settle(w);
	}
}

void ledger__no_windows(struct run_result *r, const char *reason)
{
	const struct num none = {.reason = reason};

	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++)
		r->perf_window[i] = (struct perf_window){
			QUALITY_UNAVAILABLE, reason, none, none, none, none, none, none};
}

void ledger__add_windows(struct run_result *dst, const struct run_result *src)
{
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		struct perf_window *d = &dst->perf_window[i];
		const struct perf_window *s = &src->perf_window[i];

		ledger__add_num(&d->windows, &s->windows);
		ledger__add_num(&d->samples, &s->samples);
		ledger__add_num(&d->discarded, &s->discarded);
		ledger__add_num(&d->bytes, &s->bytes);
		ledger__add_num(&d->cycles, &s->cycles);
		ledger__add_num(&d->llc_misses, &s->llc_misses);
		d->reason = d->samples.known ? NULL : d->samples.reason;
		settle(d);
	}
}

static void book_perf(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		      const struct snapshot *now)
{
	const char *none = now->no_perf[NIO_PERF_CYCLES] ? now->no_perf[NIO_PERF_CYCLES]
							 : plan__no_probe(plan, PROBE_CALL_TIME);

	if (none)
		ledger__no_windows(r, none);
	else
		ledger__book_windows(r, base->perf, now->perf, now->no_perf[NIO_PERF_LLC_MISSES]);
}

void ledger__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		  const struct snapshot *now)
{
	r->ledger_known = true;
	r->ledger_reason = NULL;
	for (int stage = 0; stage < NIO_STAGE_NR; stage++)
		if (stage != NIO_STAGE_USER_GATHER)
			book_stage(r, plan, stage, base, now);
	book_other_copies(r, plan, base, now);
	if (!plan__no_probe(plan, PROBE_COMPLETION))
		book_completions(r, &base->zc, &now->zc);
	if (in_slices(plan, now))
		r->zc_unseen = unknown("send calls were sampled");
	unsupported_paths__book(r, base, now);
	book_health(r, plan, base, now);
	ledger_bytes__book(r, plan, base, now);
	if (r->request_response && !r->sender_side) {
		add_other_side(r, NIO_STAGE_TX_COPY, base, now);
		add_other_side(r, NIO_STAGE_RX_COPY, base, now);
		ledger_bytes__replies(r, base, now);
	}
	book_perf(r, plan, base, now);
	book_stage_times(r, plan, base, now);
	book_path(r, plan, &base->path, &now->path);
	book_pinned(r, plan, &base->zc, &now->zc);
	book_places(r, plan, base, now);
	book_others(r, base, now);
}

void ledger__no_kernel(struct run_result *r, const char *reason)
{
	r->ledger_known = false;
	r->ledger_reason = reason;
	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		if (stage == NIO_STAGE_USER_GATHER)
			continue;
		r->stages[stage].quality = QUALITY_UNAVAILABLE;
		r->stages[stage].reason = reason;
		r->stages[stage].ns = r->stages[stage].timed = unknown(reason);
	}
	r->copies_per_byte = r->copies_per_byte_at_most = (struct real){.reason = reason};
	r->unclassified = unknown(reason);
	r->health.coverage = (struct real){.reason = reason};
	r->notifications = unknown(reason);
	r->zc_completed = r->zc_filled = r->zc_repeated = r->zc_unseen = unknown(reason);
	r->path_calls = unknown(reason);
	r->path_quality = QUALITY_UNAVAILABLE;
	r->path_reason = reason;
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		r->path_ns[p] = unknown(reason);
	r->pinned.completed_bytes = unknown(reason);
	r->pinned.completion.reason = reason;
	r->pinned.outstanding.reason = reason;
	r->enobufs_optmem = r->enobufs_memlock = unknown(reason);
	r->places_reason = reason;
}

/* The load generator counts every gather, and times one in 64: the sum is scaled from those. */
static void book_gather(struct run_result *r, const struct load_report *sender)
{
	struct stage_result *gather = &r->stages[NIO_STAGE_USER_GATHER];

	gather->quality = QUALITY_EXACT;
	gather->reason = NULL;
	gather->event = "message";
	gather->bytes = sender->gather_bytes;
	gather->events = sender->gather_events;
	gather->timed = known(sender->gather_sampled);
	if (!sender->gather_events)
		gather->ns = known(0);
	else if (!sender->gather_sampled)
		gather->ns = unknown("no message was timed");
	else
		gather->ns = known((double)sender->gather_ns / sender->gather_sampled *
				   sender->gather_events);
}

void ledger__app(struct run_result *r, const struct load_report *report, enum nio_side side)
{
	const struct hist *calls;

	load_report__copy_app(&r->app, report, side);
	/*
	 * The receiver's time counts: the sender's ends when the last byte is in its socket's
	 * buffer. For a remote receiver, remote__app() has the time it confirmed.
	 */
	if (side == NIO_SIDE_RECEIVER || r->sender_side)
		r->duration_ns = report->elapsed_ns;
	if (side == NIO_SIDE_RECEIVER)
		return;
	r->interrupted = report->interrupted;
	book_gather(r, report);
	calls = r->app.latency[LATENCY_SEND_CALL].hist;
	if (calls)
		r->path_ns[PATH_SEND_TOTAL] = known(calls->sum);
}

void ledger__due(struct run_result *r, uint64_t rate)
{
	uint64_t messages = r->app.rx_reason ? r->app.tx_messages : r->app.rx_messages;
	double due_ns;

	if (!rate || !r->duration_ns)
		return;
	due_ns = (double)messages * 1e9 / (double)rate;
	if (due_ns > (double)r->duration_ns)
		r->duration_ns = (uint64_t)(due_ns + 0.5);
}

static bool counts_as_copy(const struct run_result *r, int stage)
{
	return stage__is_copy(stage) && r->stages[stage].quality != QUALITY_UNAVAILABLE;
}

static void close_copies(struct run_result *r)
{
	uint64_t copied = 0, payload = run_result__payload(r);

	if (!r->ledger_known)
		return;
	if (r->not_final) {
		r->copies_per_byte = r->copies_per_byte_at_most =
			(struct real){.reason = r->not_final};
		return;
	}
	if (!payload) {
		r->copies_per_byte = r->copies_per_byte_at_most = (struct real){
			.reason = r->sender_side ? "nothing was sent" : "nothing was received"};
		return;
	}
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (counts_as_copy(r, s))
			copied += r->stages[s].bytes;
	r->copies_per_byte = (struct real){.value = (double)copied / payload, .known = true};
	copied += ledger_bytes__open(r);
	r->copies_per_byte_at_most = r->copies_per_byte;
	r->copies_per_byte_at_most.value = (double)copied / payload;
}

/*
 * Bytes of the stages that account for what the application sent, or received. None of a stage that
 * cannot be seen: then its absence shows up as unaccounted.
 */
static uint64_t seen_bytes(const struct run_result *r, enum stage_account account)
{
	uint64_t bytes = 0;

	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == account && r->stages[s].quality != QUALITY_UNAVAILABLE)
			bytes += r->stages[s].bytes;
	return bytes;
}

/* Bytes that the kernel's side says were sent: by sequence numbers, else the sum of the stages. */
static uint64_t kernel_sent(const struct run_result *r)
{
	const struct num *queued = &r->sequence.tx_bytes;

	return queued->known ? queued->value : seen_bytes(r, STAGE_SENT);
}

static uint64_t kernel_received(const struct run_result *r)
{
	const struct num *taken = &r->sequence.rx_bytes;

	return taken->known ? taken->value : seen_bytes(r, STAGE_RECEIVED);
}

void ledger__close(struct run_result *r, bool final)
{
	close_copies(r);
	r->balance_known = r->ledger_known && final && !r->not_final && !ledger_bytes__untold(r);
	if (!r->balance_known)
		return;
	r->unaccounted_tx = (int64_t)(run_result__sent(r) - kernel_sent(r));
	if (!r->sender_side)
		r->unaccounted_rx = (int64_t)(run_result__received(r) - kernel_received(r));
	ledger_bytes__doubt(r);
}

void ledger__cut_short(struct run_result *r)
{
	r->not_final = "interrupted before the totals were final";
}
