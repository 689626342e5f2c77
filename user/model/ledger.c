/* SPDX-License-Identifier: GPL-2.0-only */
/* The arithmetic of the copy ledger; see ledger.h. Pure. */
#include <errno.h>
#include <string.h>

#include "ledger.h"
#include "ledger_bytes.h"
#include "ledger_sides.h"
#include "ledger_time.h"
#include "total.h"
#include "uncovered.h"
#include "ledger_perf.h"

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static struct num unknown(const char *reason)
{
	return (struct num){.reason = reason};
}

static int book_stage(struct run_result *r, const struct plan *plan, enum nio_stage stage,
		      const struct nio_cell *base, const struct nio_cell *now)
{
	struct stage_result *out = &r->stages[stage];

	plan__stage(plan, stage, out);
	if (out->quality == QUALITY_UNAVAILABLE)
		return 0;
	out->bytes = now->bytes - base->bytes;
	out->events = now->events - base->events;
	out->no_events = NULL;
	out->open_bytes = known(0);
	hist__free(out->sizes);
	out->sizes = ledger__hist(base->hist, now->hist, out->bytes);
	return out->sizes ? 0 : -ENOMEM;
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

/* Were zero-copy sends and their completions looked at a part of the time? */
static bool in_slices(const struct plan *plan, const struct snapshot *now)
{
	return mode__has(plan->mode, MODE_PINS) && now->looked_ns < now->phase_ns;
}

/* What the programs may have lost: of all slots, hence of what ran meanwhile besides. */
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

/* Unexpected copies are booked to whichever side's socket they belong to. */
static void book_other_copies(struct run_result *r, const struct plan *plan,
			      const struct snapshot *base, const struct snapshot *now)
{
	struct stage_result *out = &r->stages[NIO_STAGE_OTHER_COPY];

	if (out->quality == QUALITY_UNAVAILABLE)
		return;
	ledger_sides__add_other(r, NIO_STAGE_OTHER_COPY, base, now);
	if (plan__no_probe(plan, PROBE_COALESCE))
		out->reason = "without what skb_try_coalesce copies: it cannot be watched here";
	if (plan__no_probe(plan, PROBE_CHECKSUM_COPY))
		out->reason =
			"without what skb_copy_and_csum_bits copies: it cannot be watched here";
}

int ledger__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		 const struct snapshot *now)
{
	int err;

	r->ledger_known = true;
	r->ledger_reason = NULL;
	for (int stage = 0; stage < NIO_STAGE_NR; stage++) {
		enum nio_side side = stage__side(stage);

		if (stage == NIO_STAGE_USER_GATHER)
			continue;
		err = book_stage(r, plan, stage, &base->cells[side][stage],
				 &now->cells[side][stage]);
		if (err)
			return err;
	}
	book_other_copies(r, plan, base, now);
	if (!plan__no_probe(plan, PROBE_COMPLETION))
		book_completions(r, &base->zc, &now->zc);
	if (in_slices(plan, now))
		r->zc_unseen = unknown("send calls were looked at a part of the time");
	uncovered__book(r, base, now);
	book_health(r, plan, base, now);
	ledger_bytes__book(r, plan, base, now);
	if (r->request_response && !r->sender_side) {
		ledger_sides__add_other(r, NIO_STAGE_TX_COPY, base, now);
		ledger_sides__add_other(r, NIO_STAGE_RX_COPY, base, now);
		ledger_bytes__replies(r, base, now);
	}
	if (now->no_perf[NIO_PERF_CYCLES])
		ledger_perf__none(r, now->no_perf[NIO_PERF_CYCLES]);
	else if (plan__no_probe(plan, PROBE_CALL_TIME))
		ledger_perf__none(r, plan__no_probe(plan, PROBE_CALL_TIME));
	else
		ledger_perf__book(r, base->perf, now->perf, now->no_perf[NIO_PERF_LLC_MISSES]);
	return ledger_time__book(r, plan, base, now);
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

int ledger__app(struct run_result *r, const struct load_report *report, enum nio_side side)
{
	const struct hist *calls;

	load_report__copy_app(&r->app, report, side);
	/*
	 * Bytes are delivered in the receiver's time: the sender's ends when the last byte is in
	 * its socket's buffer. Of a receiver elsewhere remote__app() says what it confirmed.
	 */
	if (side == NIO_SIDE_RECEIVER || r->sender_side)
		r->duration_ns = report->elapsed_ns;
	if (side == NIO_SIDE_RECEIVER)
		return 0;
	r->interrupted = report->interrupted;
	book_gather(r, report);
	calls = r->app.latency[LATENCY_SEND_CALL].hist;
	if (calls)
		r->path_ns[PATH_SEND_TOTAL] = known(calls->sum);
	return 0;
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

static void add_zc(struct zc_counts *dst, const struct zc_counts *src)
{
	dst->sends += src->sends;
	dst->completed += src->completed;
	dst->copied += src->copied;
	dst->not_copied += src->not_copied;
	dst->enobufs += src->enobufs;
	dst->fallback_bytes += src->fallback_bytes;
}

static int add_app(struct app_result *dst, const struct app_result *src)
{
	if (src->rx_reason)
		dst->rx_reason = src->rx_reason;
	if (src->tcp_received_reason)
		dst->tcp_received_reason = src->tcp_received_reason;
	dst->tx_bytes += src->tx_bytes;
	dst->tx_messages += src->tx_messages;
	dst->rx_bytes += src->rx_bytes;
	dst->rx_messages += src->rx_messages;
	total__add_num(&dst->replies.tx_bytes, &src->replies.tx_bytes);
	total__add_num(&dst->replies.tx_messages, &src->replies.tx_messages);
	dst->replies.rx_bytes += src->replies.rx_bytes;
	dst->replies.rx_messages += src->replies.rx_messages;
	dst->replies.errors += src->replies.errors;
	dst->partial_sends += src->partial_sends;
	dst->eagain += src->eagain;
	dst->eintr += src->eintr;
	dst->tcp_bytes_acked += src->tcp_bytes_acked;
	dst->tcp_bytes_received += src->tcp_bytes_received;
	dst->tcp_bytes_retrans += src->tcp_bytes_retrans;
	total__add_num(&dst->verify_errors, &src->verify_errors);
	add_zc(&dst->zc, &src->zc);
	total__add_num(&dst->sender_cpu_ns, &src->sender_cpu_ns);
	total__add_num(&dst->receiver_cpu_ns, &src->receiver_cpu_ns);
	for (int k = 0; k < LATENCY_NR; k++) {
		int err = total__add_hist(&dst->latency[k].hist, src->latency[k].hist);

		if (err)
			return err;
		dst->latency[k].reason = src->latency[k].reason;
	}
	return 0;
}

static int add_stage(struct stage_result *dst, const struct stage_result *src)
{
	dst->bytes += src->bytes;
	dst->events += src->events;
	if (src->quality == QUALITY_UNAVAILABLE ||
	    (dst->quality == QUALITY_EXACT && src->quality != QUALITY_EXACT)) {
		dst->quality = src->quality;
		dst->reason = src->reason;
	}
	return total__add_hist(&dst->sizes, src->sizes);
}

static int copy_run(struct run_result *dst, const struct run_result *src)
{
	int err;

	run_result__clear(dst);
	*dst = *src;
	for (int s = 0; s < NIO_STAGE_NR; s++)
		dst->stages[s].sizes = NULL;
	for (int k = 0; k < LATENCY_NR; k++)
		dst->app.latency[k].hist = NULL;
	dst->cpu = (struct cpu_result){0};
	/* First, and whatever comes of it: nothing of dst may be src's. */
	err = ledger_time__own(dst, src);
	for (int s = 0; s < NIO_STAGE_NR && !err; s++)
		err = total__begin_hist(&dst->stages[s].sizes, src->stages[s].sizes);
	for (int k = 0; k < LATENCY_NR && !err; k++)
		err = total__begin_hist(&dst->app.latency[k].hist, src->app.latency[k].hist);
	cpu_time__add(&dst->cpu, &src->cpu);
	return err;
}

/* A sum with one scaled part is scaled. */
static void add_counter(struct num *dst, const struct num *src)
{
	const char *scaled = dst->reason ? dst->reason : src->reason;

	total__add_num(dst, src);
	if (dst->known)
		dst->reason = scaled;
}

/* Of a sum, the part that was counted least is what to judge it by. */
static void add_running(struct real *dst, const struct real *src)
{
	if (!src->known || (dst->known && src->value < dst->value))
		*dst = *src;
}

static void add_perf(struct run_result *dst, const struct run_result *src)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int c = 0; c < PERF_NR; c++) {
			struct perf_detail *d = &dst->perf_detail[side][c];
			const struct perf_detail *s = &src->perf_detail[side][c];

			add_counter(&dst->perf[side][c], &src->perf[side][c]);
			add_counter(&d->user, &s->user);
			add_counter(&d->kernel, &s->kernel);
			add_running(&d->running, &s->running);
		}
		for (size_t i = 0; i < dst->perf_asked_nr; i++) {
			add_counter(&dst->perf_asked[i].count[side],
				    &src->perf_asked[i].count[side]);
			add_running(&dst->perf_asked[i].running[side],
				    &src->perf_asked[i].running[side]);
		}
	}
}

static void add_counts(struct run_result *dst, const struct run_result *src)
{
	dst->duration_ns += src->duration_ns;
	dst->interrupted |= src->interrupted;
	if (src->not_final)
		dst->not_final = src->not_final;
	dst->ledger_known &= src->ledger_known;
	dst->kernel_zc_known &= src->kernel_zc_known;
	dst->balance_known &= src->balance_known;
	dst->unaccounted_tx += src->unaccounted_tx;
	dst->unaccounted_rx += src->unaccounted_rx;
	add_zc(&dst->kernel_zc, &src->kernel_zc);
	total__add_num(&dst->notifications, &src->notifications);
	total__add_num(&dst->zc_completed, &src->zc_completed);
	total__add_num(&dst->zc_filled, &src->zc_filled);
	total__add_num(&dst->zc_repeated, &src->zc_repeated);
	total__add_num(&dst->zc_unseen, &src->zc_unseen);
	uncovered__add(dst, src);
	add_perf(dst, src);
	ledger_perf__add(dst, src);
	total__add_num(&dst->health.missed, &src->health.missed);
	total__add_num(&dst->health.dropped, &src->health.dropped);
	total__add_num(&dst->health.map_full, &src->health.map_full);
	total__add_num(&dst->health.unmatched, &src->health.unmatched);
	total__add_num(&dst->health.anomalies, &src->health.anomalies);
}

int ledger__add(struct run_result *dst, const struct run_result *src)
{
	int err;

	if (!dst->duration_ns)
		return copy_run(dst, src);
	add_counts(dst, src);
	ledger_bytes__add(dst, src);
	err = add_app(&dst->app, &src->app);
	for (int s = 0; s < NIO_STAGE_NR && !err; s++)
		err = add_stage(&dst->stages[s], &src->stages[s]);
	cpu_time__add(&dst->cpu, &src->cpu);
	return err ? err : ledger_time__add(dst, src);
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
