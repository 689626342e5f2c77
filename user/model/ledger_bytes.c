/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes by sequence numbers compared with bytes by events; see ledger_bytes.h. Pure. */
#include "ledger_bytes.h"

static const char no_events_tx[] = "no event of sending is attached here: see plan";
static const char no_events_rx[] = "no event of receiving is attached here: see plan";
static const char too_many[] =
	"the events booked more bytes than the sockets' sequence numbers count: they are not used";
static const char by_ids[] =
	"placed by the zero-copy ids taken: as many as calls that asked for one, on a route that "
	"does scatter-gather, which pins all of a call; what was sent without MSG_ZEROCOPY was "
	"copied";
static const char by_codes[] =
	"by the completions: every zero-copy send was reported copied, so each pinned byte counts "
	"once; copies seen in a part of the time agree. Bytes sent again, or in one packet with "
	"copied ones, may also have been copied";
static const char by_no_code[] =
	"by the completions: no zero-copy send was reported copied; no copy was seen in a part of "
	"the time";
static const char seen_in_slices[] =
	"a lower bound: copies seen in a part of the time; the completions do not tell the rest";
static const char without_pinning[] =
	"placed by the route, which does no scatter-gather: no call can have pinned anything";
static const char in_part[] = "a lower bound: the events of some of the bytes were missed";
static const char in_slices[] = "its events were sampled, and the "
				"sockets' sequence numbers are not "
				"known";
static const char arrivals_missed[] =
	"a lower bound: the kernel reports every send as copied, yet fewer bytes were seen to "
	"arrive than were pinned, and nothing counts events it does not show";
static const char not_charged_alike[] =
	"the sockets' option memory (sk_omem_alloc) is not what it was before: sends may not have "
	"completed";
static const char in_doubt[] = "a lower bound: the application's own count and the kernel's differ";

static struct num known(uint64_t value)
{
	return (struct num){.value = value, .known = true};
}

static struct num unknown(const char *reason)
{
	return (struct num){.reason = reason};
}

static bool sees_sending(const struct plan *plan)
{
	return plan->chosen[PROBE_SEND_RETURN] || plan->chosen[PROBE_TRANSMIT];
}

static uint64_t events_of(const struct run_result *r, enum nio_stage stage)
{
	const struct stage_result *s = &r->stages[stage];

	return s->quality == QUALITY_UNAVAILABLE ? 0 : s->bytes;
}

static uint64_t events_of_sending(const struct run_result *r)
{
	uint64_t bytes = 0;

	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == STAGE_SENT)
			bytes += events_of(r, s);
	return bytes;
}

/* Sets the bytes of a stage, whatever the events say. */
static void set_bytes(struct stage_result *s, uint64_t bytes, enum quality quality,
		      const char *reason, const char *no_events)
{
	s->bytes = bytes;
	s->quality = quality;
	s->reason = reason;
	s->no_events = no_events;
	if (no_events)
		s->events = 0;
}

/* Counts bytes, and how many of them the events saw, towards coverage. */
static void cover(struct health *h, uint64_t seen, uint64_t bytes)
{
	if (seen > bytes) {
		h->coverage.reason = too_many;
		return;
	}
	h->covered_bytes += seen;
	h->coverable_bytes += bytes;
}

static void close_coverage(struct health *h)
{
	h->coverage.known = false;
	if (h->coverage.reason)
		return;
	if (!h->coverable_bytes) {
		h->coverage.reason = "nothing was sent or received under attached events";
		return;
	}
	h->coverage.value = (double)h->covered_bytes / h->coverable_bytes;
	h->coverage.known = true;
}

/*
 * Do the issued ids prove that each byte was pinned, except those sent without MSG_ZEROCOPY? The
 * kernel chooses once per call and issues one id per call that asks for zero-copy. While bytes
 * move, the two counts are of different moments.
 */
static bool ids_place(const struct run_result *r, const struct sequence_sum *tx, bool moving)
{
	return tx->zckeys && tx->pinning && (moving || tx->ids == r->app.zc.sends) &&
	       r->app.zc.fallback_bytes <= tx->queued;
}

/* Do the events that were seen agree? */
static bool events_agree(const struct run_result *r, const struct sequence_sum *tx)
{
	uint64_t copied = r->app.zc.fallback_bytes;

	return events_of(r, NIO_STAGE_TX_COPY) <= copied &&
	       events_of(r, NIO_STAGE_TX_PIN) <= tx->queued - copied;
}

static bool none_pinned(const struct sequence_sum *tx)
{
	return tx->zckeys && !tx->pinning;
}

/* Events that booked more bytes than were queued do not tell where the bytes went. */
static void distrust(struct run_result *r, uint64_t queued)
{
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (stage__account(s) != STAGE_SENT)
			continue;
		r->stages[s].quality = QUALITY_UNAVAILABLE;
		r->stages[s].reason = too_many;
	}
	r->unclassified = known(queued);
}

/* The rest is booked where it must have gone, or is unclassified. */
static void place_rest(struct run_result *r, const struct plan *plan, const struct sequence_sum *tx,
		       uint64_t seen, bool moving)
{
	struct stage_result *copy = &r->stages[NIO_STAGE_TX_COPY];
	struct stage_result *pin = &r->stages[NIO_STAGE_TX_PIN];
	const char *no_events = sees_sending(plan) ? NULL : no_events_tx;
	bool too_many_seen = seen > tx->queued;
	uint64_t rest = tx->queued - seen, copied = r->app.zc.fallback_bytes;

	r->unclassified = known(0);
	if (!rest && !no_events)
		return;
	if (ids_place(r, tx, moving) && (too_many_seen || events_agree(r, tx))) {
		set_bytes(pin, tx->queued - copied, QUALITY_DERIVED, by_ids, no_events);
		set_bytes(copy, copied, QUALITY_DERIVED, by_ids, no_events);
		return;
	}
	if (none_pinned(tx) && (too_many_seen || !events_of(r, NIO_STAGE_TX_PIN))) {
		set_bytes(copy, tx->queued, QUALITY_DERIVED, without_pinning, no_events);
		set_bytes(pin, 0, QUALITY_DERIVED, without_pinning, no_events);
		return;
	}
	if (too_many_seen) {
		distrust(r, tx->queued);
		return;
	}
	r->unclassified = known(rest);
	for (int i = 0; i < NIO_STAGE_NR && !no_events; i++) {
		struct stage_result *s = &r->stages[i];

		if (stage__account(i) != STAGE_SENT || s->quality == QUALITY_UNAVAILABLE)
			continue;
		s->open_bytes = known(rest);
		set_bytes(s, s->bytes, QUALITY_DERIVED, in_part, NULL);
	}
}

static void book_sending(struct run_result *r, const struct plan *plan,
			 const struct sequence_sum *tx, bool moving)
{
	const char *no_events = sees_sending(plan) ? NULL : no_events_tx;
	uint64_t seen = events_of_sending(r);

	r->sequence.tx_bytes = known(tx->queued);
	r->sequence.tx_retrans = known(tx->retrans);
	if (tx->zckeys)
		r->sequence.tx_ids = known(tx->ids);
	else
		r->sequence.tx_ids = unknown("sock_diag does not tell the ids taken");
	/* Each zero-copy send that queued bytes took an id, whether its event was seen or not. */
	if (tx->zckeys)
		r->kernel_zc.sends = tx->ids;
	r->zc_completed = tx->zckeys && tx->completed ? known(tx->ids) : unknown(not_charged_alike);
	if (!no_events)
		cover(&r->health, seen, tx->queued);
	if (plan->mode != MODE_ZEROCOPY) {
		/* Without SO_ZEROCOPY, and without splice, a socket can only copy. */
		set_bytes(&r->stages[NIO_STAGE_TX_COPY], tx->queued, QUALITY_EXACT, NULL,
			  no_events);
		set_bytes(&r->stages[NIO_STAGE_TX_PIN], 0, QUALITY_EXACT, NULL, no_events);
		r->unclassified = known(0);
	} else {
		place_rest(r, plan, tx, seen, moving);
	}
}

/* The receiver of the load generator neither maps nor splices: it can only copy. */
static void book_receiving(struct run_result *r, const struct plan *plan,
			   const struct sequence_sum *rx)
{
	struct stage_result *copy = &r->stages[NIO_STAGE_RX_COPY];
	const char *no_events = plan->chosen[PROBE_RX_COPY] ? NULL : no_events_rx;

	r->sequence.rx_bytes = known(rx->taken);
	if (!no_events)
		cover(&r->health, events_of(r, NIO_STAGE_RX_COPY), rx->taken);
	set_bytes(copy, rx->taken, QUALITY_EXACT, NULL, no_events);
}

/* Were events of deferred copies missed, or may they have been? */
static bool deferred_missed(const struct run_result *r, const struct snapshot *base,
			    const struct snapshot *now)
{
	if (now->missed_of[PROBE_DEFERRED_COPY] > base->missed_of[PROBE_DEFERRED_COPY] ||
	    now->loss.unmatched > base->loss.unmatched || now->loss.map_full > base->loss.map_full)
		return true;
	/* A kernel that does not count misses is believed if everything else was seen. */
	return now->untold_of[PROBE_DEFERRED_COPY] &&
	       (!r->health.coverage.known || r->health.coverage.value < 1 ||
		run_result__completions_missed(r));
}

/*
 * Did packets arrive that no program saw? Copies are counted by arrivals, all sends were copied,
 * and fewer bytes arrived than were pinned: some kernels run no program in a softirq that
 * interrupts certain tasks, and do not count that (docs/KERNELS.md).
 */
static bool arrivals_unseen(const struct run_result *r, const struct plan *plan)
{
	const struct alternative *hook = plan->chosen[PROBE_DEFERRED_COPY];
	const struct zc_counts *zc = &r->app.zc;

	return hook && hook->backend == BACKEND_TRACEPOINT && zc->sends &&
	       zc->copied == zc->sends &&
	       events_of(r, NIO_STAGE_DEFERRED_COPY) < events_of(r, NIO_STAGE_TX_PIN);
}

static uint64_t cell_bytes(const struct snapshot *base, const struct snapshot *now,
			   enum nio_side side, enum nio_stage stage)
{
	return now->cells[side][stage].bytes - base->cells[side][stage].bytes;
}

/*
 * Do the windows agree that each pinned byte was copied? At the edges of a window, bytes may be
 * seen sent and not arriving, or the reverse.
 */
static bool seen_to_arrive(uint64_t copied, uint64_t pinned)
{
	return copied && 2 * copied >= pinned;
}

/*
 * Sampled deferred copies. A completion reports whether any byte of its sends was copied; the
 * kernel merges completions and keeps the code of the first. If all codes are equal and the copies
 * seen agree, they hold for all pinned bytes. Bytes that were sent again, or that share a packet
 * with pinned bytes, may have been copied besides.
 */
static void place_deferred(struct run_result *r, uint64_t most, const struct snapshot *base,
			   const struct snapshot *now)
{
	struct stage_result *deferred = &r->stages[NIO_STAGE_DEFERRED_COPY];
	const struct stage_result *pin = &r->stages[NIO_STAGE_TX_PIN];
	uint64_t seen = cell_bytes(base, now, NIO_SIDE_SENDER, NIO_STAGE_DEFERRED_COPY);
	uint64_t sent = cell_bytes(base, now, NIO_SIDE_SENDER, NIO_STAGE_TX_PIN);
	const struct zc_counts *zc = &r->app.zc;
	bool placed = pin->quality != QUALITY_UNAVAILABLE && r->unclassified.known &&
		      !r->unclassified.value && (now->moving || zc->completed == zc->sends);

	if (deferred->quality == QUALITY_UNAVAILABLE)
		return;
	if (!r->sequence.tx_bytes.known || seen > most) {
		deferred->quality = QUALITY_UNAVAILABLE;
		deferred->reason = seen > most ? too_many : in_slices;
		return;
	}
	deferred->quality = QUALITY_DERIVED;
	deferred->bytes = seen;
	deferred->reason = seen_in_slices;
	deferred->open_bytes = known(most - seen);
	if (placed && !zc->copied && !seen) {
		deferred->reason = by_no_code;
		deferred->open_bytes = known(0);
	} else if (placed && zc->copied && zc->copied == zc->completed && seen <= pin->bytes &&
		   seen_to_arrive(seen, sent)) {
		deferred->bytes = pin->bytes;
		deferred->reason = by_codes;
		deferred->open_bytes = known(most - pin->bytes);
	}
}

/*
 * skb_copy_ubufs copies everything that is not in the head of an skb: each queued byte is copied at
 * most once for each time it is sent, packet taps apart. Misses leave a range between the copies
 * seen and that bound.
 */
static void bound_deferred(struct run_result *r, const struct plan *plan,
			   const struct snapshot *base, const struct snapshot *now)
{
	struct stage_result *deferred = &r->stages[NIO_STAGE_DEFERRED_COPY];
	uint64_t most = r->sequence.tx_bytes.value + r->sequence.tx_retrans.value;
	bool unseen;

	if (run_result__sampled_events(r, NIO_STAGE_DEFERRED_COPY)) {
		place_deferred(r, most, base, now);
		return;
	}
	unseen = arrivals_unseen(r, plan);

	deferred->open_bytes = known(0);
	if (plan->mode != MODE_ZEROCOPY || deferred->quality == QUALITY_UNAVAILABLE ||
	    !r->sequence.tx_bytes.known || most <= deferred->bytes ||
	    (!unseen && !deferred_missed(r, base, now)))
		return;
	deferred->open_bytes = known(most - deferred->bytes);
	deferred->quality = QUALITY_DERIVED;
	deferred->reason = unseen ? arrivals_missed : in_part;
}

static const char *source_of(const struct snapshot *s)
{
	return s->sockets[NIO_SIDE_SENDER].source;
}

/* Bytes whose events were sampled, without sequence numbers: unknown. */
static void leave_untold(struct run_result *r, enum stage_account account)
{
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (stage__account(s) != account)
			continue;
		r->stages[s].quality = QUALITY_UNAVAILABLE;
		r->stages[s].reason = in_slices;
	}
}

bool ledger_bytes__untold(const struct run_result *r)
{
	return (run_result__sampled_events(r, NIO_STAGE_TX_COPY) && !r->sequence.tx_bytes.known) ||
	       (run_result__sampled_events(r, NIO_STAGE_RX_COPY) && !r->sequence.rx_bytes.known);
}

void ledger_bytes__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
			const struct snapshot *now)
{
	struct sequence_sum tx, rx;
	const char *no_tx, *no_rx;

	no_tx = tcp_seq__between(&base->sockets[NIO_SIDE_SENDER], &now->sockets[NIO_SIDE_SENDER],
				 &tx);
	no_rx = tcp_seq__between(&base->sockets[NIO_SIDE_RECEIVER],
				 &now->sockets[NIO_SIDE_RECEIVER], &rx);
	r->health.coverage = (struct real){0};
	r->health.covered_bytes = r->health.coverable_bytes = 0;
	r->sequence = (struct sequence_result){
		.source = no_tx && no_rx ? NULL : source_of(now),
		.tx_bytes = unknown(no_tx),
		.rx_bytes = unknown(no_rx),
		.tx_retrans = unknown(no_tx),
		.tx_ids = unknown(no_tx),
	};
	r->unclassified = unknown(no_tx);
	r->health.looked_ns = now->looked_ns;
	r->health.phase_ns = now->phase_ns;
	if (!no_tx)
		book_sending(r, plan, &tx, now->moving);
	else if (run_result__sampled_events(r, NIO_STAGE_TX_COPY))
		leave_untold(r, STAGE_SENT);
	if (!no_rx)
		book_receiving(r, plan, &rx);
	else if (run_result__sampled_events(r, NIO_STAGE_RX_COPY))
		leave_untold(r, STAGE_RECEIVED);
	if (no_tx && no_rx)
		r->health.coverage.reason = no_tx;
	close_coverage(&r->health);
	bound_deferred(r, plan, base, now);
}

/* One direction of the replies: counted by the sockets, seen by the events. */
static void book_replies(struct run_result *r, enum nio_stage stage, uint64_t counted,
			 uint64_t seen)
{
	struct stage_result *s = &r->stages[stage];

	if (s->quality == QUALITY_UNAVAILABLE)
		return;
	s->bytes += counted - seen;
	if (s->no_events)
		s->events = 0;
	else
		cover(&r->health, seen, counted);
}

void ledger_bytes__replies(struct run_result *r, const struct snapshot *base,
			   const struct snapshot *now)
{
	struct sequence_sum senders, receivers;
	const char *none;

	none = tcp_seq__between(&base->sockets[NIO_SIDE_SENDER], &now->sockets[NIO_SIDE_SENDER],
				&senders);
	if (!none)
		none = tcp_seq__between(&base->sockets[NIO_SIDE_RECEIVER],
					&now->sockets[NIO_SIDE_RECEIVER], &receivers);
	if (none) {
		/* Each direction has bytes of both sides: one side alone does not tell. */
		r->sequence.source = NULL;
		r->sequence.tx_bytes = r->sequence.rx_bytes = unknown(none);
		return;
	}
	r->sequence.tx_bytes.value += receivers.queued;
	r->sequence.rx_bytes.value += senders.taken;
	r->sequence.tx_retrans.value += receivers.retrans;
	book_replies(r, NIO_STAGE_TX_COPY, receivers.queued,
		     cell_bytes(base, now, NIO_SIDE_RECEIVER, NIO_STAGE_TX_COPY));
	book_replies(r, NIO_STAGE_RX_COPY, senders.taken,
		     cell_bytes(base, now, NIO_SIDE_SENDER, NIO_STAGE_RX_COPY));
	close_coverage(&r->health);
}

uint64_t ledger_bytes__open(const struct run_result *r)
{
	const struct num *deferred = &r->stages[NIO_STAGE_DEFERRED_COPY].open_bytes;
	uint64_t open = r->unclassified.known ? r->unclassified.value : 0;

	if (r->stages[NIO_STAGE_DEFERRED_COPY].quality == QUALITY_UNAVAILABLE || !deferred->known)
		return open;
	return deferred->value > open ? deferred->value : open;
}

void ledger_bytes__doubt(struct run_result *r)
{
	for (int i = 0; i < NIO_STAGE_NR; i++) {
		enum stage_account account = stage__account(i);
		struct stage_result *s = &r->stages[i];
		bool wrong = (account == STAGE_SENT && r->unaccounted_tx) ||
			     (account == STAGE_RECEIVED && r->unaccounted_rx);

		if (!wrong || s->quality == QUALITY_UNAVAILABLE)
			continue;
		s->quality = QUALITY_DERIVED;
		s->reason = in_doubt;
	}
}
