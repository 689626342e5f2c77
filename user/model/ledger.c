/* SPDX-License-Identifier: GPL-2.0-only */
/* The copy ledger of one run: from two snapshots and the load generator's totals; see ledger.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "ledger.h"
#include "ledger_bytes.h"
#include "socket_ledger.h"

/*
 * Bucket counts as a histogram with the given sum. If one bucket holds every event, all events have
 * the mean value: that is so for messages of one size.
 */
static struct hist *hist_of(const __u64 counts[NIO_HIST_BUCKETS], uint64_t sum)
{
	struct hist *h = hist__new(NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS);
	unsigned int occupied = 0;

	for (uint32_t i = 0; i < NIO_HIST_BUCKETS; i++) {
		if (!counts[i])
			continue;
		hist__add_bucket(h, i, counts[i]);
		occupied++;
	}
	if (h->count)
		h->sum = sum;
	if (occupied == 1)
		h->min = h->max = h->sum / h->count;
	return h;
}

static void book_stage(struct run_result *r, const struct plan *plan, enum nio_stage stage,
		       const struct snapshot *since)
{
	const struct nio_cell *cell = &since->cells[stage__side(stage)][stage];
	const struct stage_source source = plan__stage(plan, stage);
	struct stage_result *out = &r->stages[stage];

	out->quality = source.quality;
	out->reason = source.reason;
	out->event = source.event;
	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	out->bytes = cell->bytes;
	out->events = cell->events;
	out->no_events = NULL;
	out->open_bytes = num__known(0);
	hist__free(out->sizes);
	out->sizes = hist_of(cell->hist, out->bytes);
}

/* Adds to a stage the bytes booked on sockets of the other side. */
static void add_other_side(struct run_result *r, enum nio_stage stage, const struct snapshot *since)
{
	const struct nio_cell *cell = &since->cells[!stage__side(stage)][stage];
	struct stage_result *out = &r->stages[stage];

	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	out->bytes += cell->bytes;
	out->events += cell->events;
	if (!out->sizes) /* no event is attached: bytes are known otherwise */
		return;
	for (uint32_t i = 0; i < NIO_HIST_BUCKETS; i++)
		if (cell->hist[i])
			hist__add_bucket(out->sizes, i, cell->hist[i]);
	if (out->sizes->count)
		out->sizes->sum = out->bytes;
}

static void book_completions(struct run_result *r, const struct zc_events *since)
{
	r->kernel_zc_known = true;
	/* A request of io_uring may take several calls; each has one notification. */
	r->kernel_zc.sends = mode__has(r->mode, MODE_PINS_BY_URING)
				     ? since->sends
				     : r->stages[NIO_STAGE_TX_PIN].events;
	/* Without the kernel's report a request counts as missed: it was copied or not. */
	r->kernel_zc.completed = since->sends - since->unreported;
	r->kernel_zc.copied = since->copied;
	r->kernel_zc.not_copied = u64__minus(r->kernel_zc.completed, since->copied);
	r->notifications = num__known(since->notifications);
	r->zc_unseen = num__known(since->unseen);
	r->unreported = num__known(since->unreported);
	r->misreported = num__known(since->misreported);
}

static void book_refused(struct run_result *r, const struct plan *plan,
			 const struct snapshot *since)
{
	const struct alternative *returns = plan->chosen[PROBE_SEND_RETURN];
	const char *why = plan__no_probe(plan, PROBE_SEND_RETURN), *no_eagain;

	if (returns && returns->backend == BACKEND_KPROBE)
		why = "kprobes see calls begin, not what they return";
	else if (!why && since->attached_ns < since->phase_ns)
		why = "send calls were sampled; --count-calls counts them all";
	no_eagain = why || !since->inner_eagain ? why : SOCKET_LEDGER_INNER_EAGAIN;
	for (int i = 0; i < NIO_REFUSAL_NR; i++)
		r->refused[i] =
			num__unless(i == NIO_REFUSAL_EAGAIN ? no_eagain : why, since->refused[i]);
}

/* Were zero-copy sends and their completions sampled? */
static bool in_slices(const struct plan *plan, const struct snapshot *now)
{
	return mode__has(plan->mode, MODE_PINS) && now->attached_ns < now->phase_ns;
}

/* Losses of the programs. */
static void book_health(struct run_result *r, const struct plan *plan, const struct snapshot *since)
{
	const char *no_misses = NULL, *no_pairs = NULL;
	struct health *h = &r->health;

	if (since->missed_unknown)
		no_misses = "until Linux 6.7 a kernel does not count all refused runs of kprobes";
	if (!plan__keeps_events(plan))
		no_pairs = "no probe of this backend pairs a beginning with an end";
	h->missed = num__unless(no_misses, since->missed);
	h->map_full = num__unless(no_pairs, since->loss.map_full);
	h->unmatched = num__unless(no_pairs, since->loss.unmatched);
	/* Only kTLS copies from packets that name no socket: others are of other programs. */
	h->anomalies =
		num__known(since->loss.no_cell +
			   (mode__has(plan->mode, MODE_ENCRYPTS) ? since->calls_unknown : 0));
	h->dropped = num__unknown("no events are sent to user space that could be lost on the way");
}

static void book_other_copies(struct run_result *r, const struct plan *plan)
{
	struct stage_result *out = &r->stages[NIO_STAGE_OTHER_COPY];

	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	if (plan__no_probe(plan, PROBE_COALESCE))
		out->reason = "without what skb_try_coalesce copies: it cannot be watched here";
	if (plan__no_probe(plan, PROBE_CHECKSUM_COPY))
		out->reason =
			"without what skb_copy_and_csum_bits copies: it cannot be watched here";
}

static void book_stage_time(struct run_result *r, const struct plan *plan, enum nio_stage stage,
			    const struct snapshot *since)
{
	const char *reason = plan__no_stage_time(plan, stage);
	const struct nio_cell *cell = &since->cells[stage__side(stage)][stage];
	struct stage_result *out = &r->stages[stage];

	out->ns = num__unless(reason, cell->ns);
	out->timed = num__unless(reason, cell->timed);
	hist__free(out->times);
	out->times = reason ? NULL : hist_of(cell->ns_hist, cell->ns);
}

static void book_path(struct run_result *r, const struct plan *plan, const struct nio_path *since)
{
	const struct alternative *calls = plan->chosen[PROBE_CALL_TIME];
	const char *reason = plan__no_probe(plan, PROBE_CALL_TIME);

	r->path_quality = calls ? calls->quality : QUALITY_UNAVAILABLE;
	r->path_reason = calls ? calls->caveat : reason;
	r->path_calls = num__unless(reason, since->calls);
	for (int p = 0; p < NIO_PATH_NR; p++)
		r->path_ns[PATH_SEND_TOTAL + 1 + p] =
			num__unless(plan__no_path_time(plan, p), since->ns[p]);
}

static void book_latency(struct latency_result *out, const char *reason, const __u64 *counts,
			 uint64_t sum)
{
	hist__free(out->hist);
	out->reason = reason;
	out->hist = reason ? NULL : hist_of(counts, sum);
}

/* Sum from the middle of the buckets, without the open last one: the exact sum is not kept. */
static uint64_t rough_sum(const __u64 *counts)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < NIO_HIST_BUCKETS - 1; i++) {
		uint64_t low = hist_bucket_low(i, NIO_HIST_SUB_BITS);
		uint64_t high = hist_bucket_low(i + 1, NIO_HIST_SUB_BITS) - 1;

		sum += counts[i] * ((low + high) / 2);
	}
	return sum;
}

static void book_pinned(struct run_result *r, const struct plan *plan, const struct nio_zc *since)
{
	const char *no_completion = plan__no_probe(plan, PROBE_COMPLETION_TIME);
	const char *no_refusal = plan__no_probe(plan, PROBE_REFUSAL);
	struct pinned_result *p = &r->pinned;

	if (no_completion == plan__by_construction)
		no_completion = NULL;
	p->completed_bytes = num__unless(no_completion, since->bytes);
	book_latency(&p->completion, no_completion, since->ns_hist, since->ns);
	book_latency(&p->outstanding, no_completion, since->outstanding_hist,
		     rough_sum(since->outstanding_hist));
	r->enobufs_optmem = num__unless(no_refusal, since->enobufs_optmem);
	r->enobufs_memlock = num__unless(no_refusal, since->enobufs_memlock);
}

static void book_places(struct run_result *r, const struct plan *plan, const struct snapshot *since)
{
	r->places_nr = 0;
	r->places_reason = plan__no_stage_time(plan, NIO_STAGE_DEFERRED_COPY);
	for (size_t i = 0; i < since->places_nr; i++) {
		const struct nio_place *place = &since->places[i].place;
		const struct nio_sum *sum = &since->places[i].sum;
		struct place_result more = {
			.context = place->context,
			.bytes = sum->bytes,
			.events = sum->events,
			.ns = sum->ns,
		};

		snprintf(more.comm, sizeof(more.comm), "%.15s", place->comm);
		snprintf(more.dev, sizeof(more.dev), "%.15s", place->dev);
		if (sum->events)
			ledger__add_place(r, &more);
	}
}

static void book_others(struct run_result *r, const struct snapshot *since)
{
	r->others_nr = 0;
	for (size_t i = 0; i < since->others_nr; i++) {
		const struct nio_sum *sum = &since->others[i].sum;
		struct other_result more = {
			.bytes = sum->bytes, .events = sum->events, .ns = sum->ns};

		snprintf(more.caller, sizeof(more.caller), "%s", since->others[i].caller);
		if (sum->events)
			ledger__add_other(r, &more);
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

void ledger__book_windows(struct run_result *r,
			  const struct nio_perf_cell cells[NIO_PERF_WINDOW_NR], const char *no_llc)
{
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		const struct nio_perf_cell *c = &cells[i];
		struct perf_window *w = &r->perf_window[i];

		*w = (struct perf_window){
			.windows = num__known(c->windows),
			.samples = num__known(c->samples),
			.discarded = num__known(c->moved + c->multiplexed + c->unread),
			.bytes = num__known(c->bytes),
			.cycles = num__known(c->counts[NIO_PERF_CYCLES]),
			.llc_misses = num__unless(no_llc, c->counts[NIO_PERF_LLC_MISSES]),
		};
		settle(w);
	}
}

void ledger__add_windows(struct run_result *dst, const struct run_result *src)
{
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		struct perf_window *d = &dst->perf_window[i];

		numbers__add(window__numbers, NUMBER_HERE, d, &src->perf_window[i]);
		d->reason = d->samples.known ? NULL : d->samples.reason;
		settle(d);
	}
}

static void book_perf(struct run_result *r, const struct plan *plan, const struct snapshot *since)
{
	const char *none = since->no_perf[NIO_PERF_CYCLES];

	none = none ? none : plan__no_probe(plan, PROBE_CALL_TIME);
	if (none)
		run_result__no_windows(r, none);
	else
		ledger__book_windows(r, since->perf, since->no_perf[NIO_PERF_LLC_MISSES]);
}

void ledger__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		  const struct snapshot *now)
{
	struct snapshot *since = xmalloc(sizeof(*since));

	snapshot__since(since, base, now);
	r->ledger_known = true;
	r->ledger_reason = NULL;
	for (int stage = NIO_STAGE_USER_GATHER + 1; stage < NIO_STAGE_NR; stage++)
		book_stage(r, plan, stage, since);
	book_other_copies(r, plan);
	if (!plan__no_completions(plan))
		book_completions(r, &since->zc_events);
	if (in_slices(plan, since))
		r->zc_unseen = r->unreported = r->misreported =
			num__unknown("send calls were sampled");
	book_refused(r, plan, since);
	memcpy(r->uncovered, since->uncovered, sizeof(r->uncovered));
	book_health(r, plan, since);
	ledger_bytes__book(r, plan, since);
	if (r->request_response && !r->sender_side) {
		add_other_side(r, NIO_STAGE_TX_COPY, since);
		add_other_side(r, NIO_STAGE_RX_COPY, since);
		ledger_bytes__replies(r, since);
	}
	book_perf(r, plan, since);
	for (int stage = NIO_STAGE_USER_GATHER + 1; stage < NIO_STAGE_NR; stage++)
		book_stage_time(r, plan, stage, since);
	book_path(r, plan, &since->path);
	book_pinned(r, plan, &since->zc);
	book_places(r, plan, since);
	book_others(r, since);
	free(since);
}

/* The load generator counts every gather, and times one in 64: the sum is scaled from those. */
static void book_gather(struct run_result *r, const struct load_report *sender)
{
	struct stage_result *gather = &r->stages[NIO_STAGE_USER_GATHER];

	gather->quality = QUALITY_EXACT;
	gather->reason = NULL;
	gather->event = mode__has(r->mode, MODE_SPLICES) ? "pipe write" : "message";
	gather->bytes = sender->gather_bytes;
	gather->events = sender->gather_events;
	gather->timed = num__known(sender->gather_sampled);
	if (!sender->gather_events)
		gather->ns = num__known(0);
	else if (!sender->gather_sampled)
		gather->ns = num__unknown("no message was timed");
	else
		gather->ns = num__known((double)sender->gather_ns / sender->gather_sampled *
					sender->gather_events);
}

/* The time of sending must be in the message, and the receiver must read it. */
static const char *undelivered(const struct run_result *r)
{
	if (mode__has(r->mode, MODE_SENDS_FILE))
		return "the messages carry no time of sending: this mode sends pages as they are";
	if (receive__has(r->receive, RECEIVE_HIDES))
		return "the way to receive shows no bytes, and so no time of sending";
	return NULL;
}

static void leave_out_delivery(struct run_result *r)
{
	struct latency_result *delivery = &r->app.latency[LATENCY_DELIVERY];
	const char *reason = undelivered(r);

	if (!reason)
		return;
	hist__free(delivery->hist);
	*delivery = (struct latency_result){.reason = reason};
}

void ledger__missed(struct app_result *app)
{
	const struct hist *missed = app->latency[LATENCY_MISSED].hist;
	struct hist *delivery = app->latency[LATENCY_DELIVERY].hist;
	struct hist *half = app->latency[LATENCY_HALF_ROUND_TRIP].hist;

	if (!missed || !missed->count)
		return;
	if (delivery && delivery->count)
		hist__add(delivery, missed);
	for (uint32_t i = 0; half && half->count && i < missed->n_buckets; i++)
		if (missed->buckets[i])
			hist__record_many(half, hist__bucket_low(missed, i) / 2,
					  missed->buckets[i]);
}

void ledger__app(struct run_result *r, const struct load_report *report, enum nio_side side)
{
	const struct hist *calls;

	load_report__copy_app(&r->app, report, side);
	if (side == NIO_SIDE_RECEIVER || r->sender_side)
		leave_out_delivery(r);
	if (report->paused_ns > r->health.paused_ns)
		r->health.paused_ns = report->paused_ns;
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
		r->path_ns[PATH_SEND_TOTAL] = num__known(calls->sum);
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

static void close_copies(struct run_result *r)
{
	uint64_t copied = 0, payload = run_result__payload(r);
	const char *unknown = NULL;

	if (!r->ledger_known)
		return;
	if (r->not_final)
		unknown = r->not_final;
	else if (!payload)
		unknown = r->sender_side ? "nothing was sent" : "nothing was received";
	r->copies_per_byte = r->copies_per_byte_at_most = real__unknown(unknown);
	if (unknown)
		return;
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__is_copy(s) && r->stages[s].quality != QUALITY_UNAVAILABLE)
			copied += r->stages[s].bytes;
	r->copies_per_byte = real__known((double)copied / payload);
	copied += ledger_bytes__open(r);
	r->copies_per_byte_at_most = r->device_copies && !r->sequence.tx_retrans.known
					     ? real__unknown(r->sequence.tx_retrans.reason)
					     : real__known((double)copied / payload);
}

/* Bytes that the kernel counted: by sequence numbers, else the sum of the stages. */
static uint64_t by_kernel(const struct run_result *r, const struct num *sequence,
			  enum stage_account account)
{
	return sequence->known ? sequence->value : ledger_bytes__seen(r, account);
}

/* If the books do not balance, the stages are lower bounds. */
static void mark_lower_bounds(struct run_result *r)
{
	static const char lower_bound[] =
		"a lower bound: the application's own count and the kernel's differ";

	for (int i = 0; i < NIO_STAGE_NR; i++) {
		enum stage_account account = stage__account(i);
		struct stage_result *s = &r->stages[i];
		bool wrong = (account == STAGE_SENT && r->unaccounted_tx) ||
			     (account == STAGE_RECEIVED && r->unaccounted_rx);

		if (!wrong || s->quality == QUALITY_UNAVAILABLE)
			continue;
		s->quality = QUALITY_DERIVED;
		s->reason = lower_bound;
	}
}

void ledger__close(struct run_result *r, bool final)
{
	uint64_t sent = by_kernel(r, &r->sequence.tx_bytes, STAGE_SENT);
	uint64_t received = by_kernel(r, &r->sequence.rx_bytes, STAGE_RECEIVED);

	close_copies(r);
	r->balance_known = r->ledger_known && final && !r->not_final && !ledger_bytes__unknown(r);
	if (!r->balance_known)
		return;
	r->unaccounted_tx = (int64_t)(run_result__sent(r) - sent);
	if (!r->sender_side)
		r->unaccounted_rx = (int64_t)(run_result__received(r) - received);
	mark_lower_bounds(r);
}

void ledger__cut_short(struct run_result *r)
{
	r->not_final = "interrupted before the totals were final";
}
