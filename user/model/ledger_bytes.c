/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes by sequence numbers compared with bytes by events; see ledger_bytes.h. Pure. */
#include "ledger_bytes.h"

static const char no_events_tx[] = "no event of sending is attached here: see plan";
static const char no_events_rx[] = "no event of receiving is attached here: see plan";
static const char too_many[] =
	"the events booked more bytes than the sockets' sequence numbers count: they are not used";
static const char by_ids[] =
	"placed by the zero-copy ids taken: as many as calls that asked for one, on a route that "
	"does scatter-gather; what was sent without MSG_ZEROCOPY was copied";
static const char by_requests[] =
	"placed by the mode: io_uring's requests pin on a route that does scatter-gather; what was "
	"sent after ENOMEM was copied";
static const char unseen_fallbacks[] = "requests that were sent again after ENOMEM are not told "
				       "from others: their messages are not "
				       "seen";
static const char by_codes[] =
	"by the completions: every zero-copy send was reported copied, so each pinned byte counts "
	"once; sampled copies agree. Bytes sent again, or in one packet with copied ones, may also "
	"have been copied";
static const char by_no_code[] =
	"by the completions: no zero-copy send was reported copied; no sampled event saw a copy";
static const char seen_in_slices[] =
	"a lower bound: copies of sampled events; the completions do not show the rest";
static const char by_receiver[] =
	"by the receiver's own count of the bytes that it mapped: the rest was copied";
static const char by_cipher[] =
	"kTLS reads few pieces where they are; an asynchronous cipher (QAT) would have them copied";
static const char without_pinning[] =
	"placed by the route, which does no scatter-gather: no call can have pinned anything";
static const char without_splicing[] =
	"placed by the route, which does no scatter-gather: sendfile and splice copied";
static const char in_part[] = "a lower bound: the events of some of the bytes were missed";
static const char in_slices[] =
	"its events were sampled, and the sockets' sequence numbers are not known";
static const char arrivals_missed[] = "a lower bound: the kernel reports sends as copied, yet "
				      "fewer bytes were seen to arrive than "
				      "were pinned";
static const char not_charged_alike[] =
	"the sockets' option memory (sk_omem_alloc) changed: sends may not have completed";
static const char no_ids[] = "io_uring's zero-copy requests take no ids";
static const char decrypted[] =
	"by the numbers of the kTLS records: kTLS decrypted into new memory, from which the "
	"receive call copies";
static const char decrypted_directly[] =
	"kTLS decrypted into the receivers' memory; these are the bytes of records for which a "
	"receive call had no room, which it copied";
static const char not_seen_copied[] =
	"kTLS decrypts into the receivers' memory, or copies if a record has no room there; no "
	"event of its copies is attached here: see plan";
static const char half_sent[] = "a part of a kTLS record has not gone to TCP";

static const char no_records[] =
	"the record numbers of kTLS are not known: the sockets have no key that the kernel's "
	"software uses";

/* Records of kTLS in one direction of sockets. */
struct records_sum {
	uint64_t records, overhead; /* overhead: bytes that they add to the plaintext */
	/* Not NULL: not counted, or kTLS does not serve this direction of every socket. */
	const char *reason;
};

static struct records_sum records_of(const struct nio_sums *sums, enum nio_side side)
{
	return (struct records_sum){
		.records = sums->records[side],
		.overhead = sums->overhead[side],
		.reason = !sums->sockets || sums->recordless[side] ? no_records
			  : sums->misfit[side] ? "the record numbers of kTLS do not fit the bytes: "
						 "the key changed"
					       : NULL,
	};
}

static uint64_t events_of(const struct run_result *r, enum nio_stage stage)
{
	const struct stage_result *s = &r->stages[stage];

	return s->quality == QUALITY_UNAVAILABLE ? 0 : s->bytes;
}

uint64_t ledger_bytes__seen(const struct run_result *r, enum stage_account account)
{
	uint64_t bytes = 0;

	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == account)
			bytes += events_of(r, s);
	return bytes;
}

/* The stages of an account are unavailable, for this reason. */
static void leave_unknown(struct run_result *r, enum stage_account account, const char *reason)
{
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		if (stage__account(s) != account)
			continue;
		r->stages[s].quality = QUALITY_UNAVAILABLE;
		r->stages[s].reason = reason;
	}
}

/* Sets the bytes of a stage, whatever the events show. */
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
	if (!h->coverable_bytes && !h->coverage.reason)
		h->coverage.reason = "nothing was sent or received under attached events";
	h->coverage.known = !h->coverage.reason;
	if (h->coverage.known)
		h->coverage.value = (double)h->covered_bytes / h->coverable_bytes;
}

/* Does a zero-copy send pin, on every socket? */
static bool pins(const struct nio_sums *tx)
{
	return !tx->no_gather;
}

/*
 * Do the issued ids prove that each byte was pinned, except those sent without MSG_ZEROCOPY? The
 * kernel chooses once per call and issues one id per call that asks for zero-copy. While bytes
 * move, the two counts are of different moments.
 */
static bool ids_prove(const struct run_result *r, const struct nio_sums *tx, bool moving)
{
	return pins(tx) && (moving || tx->ids == r->app.zc.sends) &&
	       r->app.zc.fallback_bytes <= tx->queued;
}

/* io_uring's requests take no ids: the mode says that they all pin. */
static bool mode_proves(const struct run_result *r, const struct nio_sums *tx)
{
	return mode__has(r->mode, MODE_PINS_BY_URING) && pins(tx) &&
	       r->app.zc.fallback_bytes <= tx->queued;
}

/* Do the events that were seen agree? */
static bool events_agree(const struct run_result *r, const struct nio_sums *tx)
{
	uint64_t copied = r->app.zc.fallback_bytes;

	return events_of(r, NIO_STAGE_TX_COPY) <= copied &&
	       events_of(r, NIO_STAGE_TX_PIN) <= tx->queued - copied;
}

/*
 * The sender calls nothing but sendfile() or splice(): each byte is spliced, or copied if the route
 * does no scatter-gather.
 */
static void book_spliced(struct run_result *r, const struct nio_sums *tx, const char *no_events)
{
	const char *why = pins(tx) ? NULL : without_splicing;
	enum quality quality = why ? QUALITY_DERIVED : QUALITY_EXACT;

	set_bytes(&r->stages[NIO_STAGE_TX_SPLICE], why ? 0 : tx->queued, quality, why, no_events);
	set_bytes(&r->stages[NIO_STAGE_TX_COPY], why ? tx->queued : 0, quality, why, no_events);
	set_bytes(&r->stages[NIO_STAGE_TX_PIN], 0, QUALITY_EXACT, NULL, no_events);
}

/* Books all bytes sent as copied or pinned, for this reason. */
static void book_sent(struct run_result *r, uint64_t copied, uint64_t pinned, const char *reason,
		      const char *no_events)
{
	enum quality quality = reason ? QUALITY_DERIVED : QUALITY_EXACT;

	set_bytes(&r->stages[NIO_STAGE_TX_COPY], copied, quality, reason, no_events);
	set_bytes(&r->stages[NIO_STAGE_TX_PIN], pinned, quality, reason, no_events);
}

/* The rest is booked where it must have gone, or is unclassified. */
static void book_rest(struct run_result *r, const struct nio_sums *tx, uint64_t seen, bool moving,
		      const char *no_events)
{
	bool too_many_seen = seen > tx->queued;
	uint64_t rest = tx->queued - seen, copied = r->app.zc.fallback_bytes;
	bool by_mode = mode_proves(r, tx);
	/* Without their messages, all calls of the mode are booked as requests. */
	bool copies_unseen =
		by_mode && copied && events_of(r, NIO_STAGE_TX_PIN) > tx->queued - copied;

	if (!rest && !no_events && !copies_unseen)
		return;
	if (copies_unseen ||
	    ((ids_prove(r, tx, moving) || by_mode) && (too_many_seen || events_agree(r, tx)))) {
		book_sent(r, copied, tx->queued - copied,
			  mode__has(r->mode, MODE_PINS_BY_URING) ? by_requests : by_ids,
			  copies_unseen && !no_events ? unseen_fallbacks : no_events);
		return;
	}
	if (!pins(tx) && (too_many_seen || !events_of(r, NIO_STAGE_TX_PIN))) {
		book_sent(r, tx->queued, 0, without_pinning, no_events);
		return;
	}
	/* Events that booked more bytes than were queued do not show where the bytes went. */
	if (too_many_seen) {
		leave_unknown(r, STAGE_SENT, too_many);
		r->unclassified = num__known(tx->queued);
		return;
	}
	r->unclassified = num__known(rest);
	for (int i = 0; i < NIO_STAGE_NR && !no_events; i++) {
		struct stage_result *s = &r->stages[i];

		if (stage__account(i) != STAGE_SENT || s->quality == QUALITY_UNAVAILABLE)
			continue;
		s->open_bytes = num__known(rest);
		set_bytes(s, s->bytes, QUALITY_DERIVED, in_part, NULL);
	}
}

/*
 * The cipher of kTLS writes pages of its own, which TCP gets by reference. It reads the pages of
 * the application; those of a record with more than MAX_MSG_FRAGS (17) pieces, or after a record
 * was encrypted asynchronously, the kernel copies before (tls_sw_sendmsg()).
 */
static void book_encrypted(struct run_result *r)
{
	for (int s = 0; s < NIO_STAGE_NR; s++)
		if (stage__account(s) == STAGE_SENT)
			set_bytes(&r->stages[s], 0, QUALITY_EXACT, NULL, no_events_tx);
	r->stages[NIO_STAGE_TX_COPY].quality = QUALITY_DERIVED;
	r->stages[NIO_STAGE_TX_COPY].reason = by_cipher;
}

static void book_sending(struct run_result *r, const struct plan *plan, const struct nio_sums *tx,
			 bool moving)
{
	bool attached = plan->chosen[PROBE_SEND_RETURN] ||
			(plan->chosen[PROBE_SENDPAGE] && mode__has(plan->mode, MODE_SPLICES));
	const char *no_events = attached ? NULL : no_events_tx;
	uint64_t seen = ledger_bytes__seen(r, STAGE_SENT);

	r->sequence.tx_bytes = num__known(tx->queued);
	r->sequence.tx_retrans = num__known(tx->retrans);
	r->sequence.tx_ids = num__known(tx->ids);
	/* Each zero-copy send that queued bytes took an id, whether its event was seen or not. */
	if (!mode__has(plan->mode, MODE_PINS_BY_URING))
		r->kernel_zc.sends = tx->ids;
	r->zc_completed = num__unless(mode__has(plan->mode, MODE_PINS_BY_URING) ? no_ids
				      : tx->charged                             ? not_charged_alike
										: NULL,
				      tx->ids);
	if (!no_events)
		cover(&r->health, seen, tx->queued);
	r->unclassified = num__known(0);
	if (!records_of(tx, NIO_SIDE_SENDER).reason)
		book_encrypted(r);
	else if (mode__has(plan->mode, MODE_SPLICES))
		book_spliced(r, tx, no_events);
	/* Without SO_ZEROCOPY, and without splice, a socket can only copy. */
	else if (!mode__has(plan->mode, MODE_PINS))
		book_sent(r, tx->queued, 0, NULL, no_events);
	else
		book_rest(r, tx, seen, moving, no_events);
}

/* Divides the bytes taken between two stages that the receiver's calls feed: one is RX_COPY. */
static void book_mapped(struct run_result *r, uint64_t taken, const char *no_events)
{
	uint64_t uncopied = r->app.rx_uncopied.value, mapped = uncopied < taken ? uncopied : taken;

	set_bytes(&r->stages[NIO_STAGE_RX_MAP], mapped, QUALITY_DERIVED, by_receiver, no_events);
	set_bytes(&r->stages[NIO_STAGE_RX_COPY], taken - mapped, QUALITY_DERIVED, by_receiver,
		  no_events);
}

/* Has a counter grown? A late begin may also subtract from it. */
static bool grew(uint64_t difference)
{
	return (int64_t)difference > 0;
}

/* kTLS copied what events saw, and decrypted the rest into the receivers' memory. */
static void book_decrypted(struct run_result *r, const struct plan *plan, uint64_t taken,
			   const struct snapshot *since)
{
	struct stage_result *s = &r->stages[NIO_STAGE_RX_COPY];
	uint64_t seen = events_of(r, NIO_STAGE_RX_COPY);
	bool missed = grew(since->missed_of[PROBE_RX_COPY]) || since->unknown_of[PROBE_RX_COPY] ||
		      grew(since->calls_unknown);

	if (!plan->chosen[PROBE_RX_COPY] || seen > taken) {
		s->quality = QUALITY_UNAVAILABLE;
		s->reason = seen > taken ? too_many : not_seen_copied;
		return;
	}
	set_bytes(s, seen, QUALITY_DERIVED, missed ? in_part : decrypted_directly, NULL);
	if (missed)
		s->open_bytes = num__known(taken - seen);
}

/*
 * The load generator's receiver makes calls of one kind: they can only copy, or only feed the one
 * stage in plan->takes. Those that map and copy say how much they mapped, unless events show it.
 */
static void book_receiving(struct run_result *r, const struct plan *plan, const struct nio_sums *rx,
			   const struct snapshot *since)
{
	unsigned int takes = plan->takes ? plan->takes : 1U << NIO_STAGE_RX_COPY;
	bool attached = plan->chosen[PROBE_RX_COPY] && (!plan->takes || plan->chosen[PROBE_TAKEN]);
	bool by_records = !records_of(rx, NIO_SIDE_RECEIVER).reason;
	const char *no_events = attached && !by_records ? NULL : no_events_rx;
	uint64_t seen = ledger_bytes__seen(r, STAGE_RECEIVED);

	r->sequence.rx_bytes = num__known(rx->taken);
	/* Calls in which a sample of events began: their bytes are in rx->taken. */
	if (plan->takes)
		r->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] = (struct nio_uncovered){0};
	if (by_records && rx->direct) {
		book_decrypted(r, plan, rx->taken, since);
		return;
	}
	if (!no_events)
		cover(&r->health, seen, rx->taken);
	if ((takes & (takes - 1)) && (no_events || seen != rx->taken)) {
		book_mapped(r, rx->taken, no_events);
		return;
	}
	for (int s = NIO_STAGE_RX_COPY; s <= NIO_STAGE_RX_SPLICE; s++)
		if (takes == 1U << s)
			set_bytes(&r->stages[s], rx->taken,
				  by_records ? QUALITY_DERIVED : QUALITY_EXACT,
				  by_records ? decrypted : NULL, no_events);
		else if (plan->takes && !(takes & 1U << s))
			set_bytes(&r->stages[s], 0, QUALITY_EXACT, NULL, no_events);
}

/* Were events of deferred copies missed, or may they have been? */
static bool deferred_missed(const struct run_result *r, const struct snapshot *since)
{
	if (grew(since->missed_of[PROBE_DEFERRED_COPY]))
		return true;
	/* A kernel that does not count misses is believed if everything else was seen. */
	return since->unknown_of[PROBE_DEFERRED_COPY] &&
	       (!r->health.coverage.known || r->health.coverage.value < 1 ||
		run_result__completions_missed(r));
}

/*
 * Were pinned bytes copied that no program saw? Copies are counted by arrivals, sends were copied,
 * and fewer bytes arrived than were pinned: some kernels run no program in a softirq that
 * interrupts certain tasks, and do not count that (docs/KERNELS.md); devices copy on the way out.
 */
static bool arrivals_unseen(const struct run_result *r, const struct plan *plan)
{
	const struct alternative *hook = plan->chosen[PROBE_DEFERRED_COPY];
	const struct zc_counts *zc = &r->app.zc;

	return hook && hook->quality == QUALITY_DERIVED && zc->sends && zc->copied &&
	       events_of(r, NIO_STAGE_DEFERRED_COPY) < events_of(r, NIO_STAGE_TX_PIN);
}

/*
 * Sampled deferred copies. A completion reports whether any byte of its sends was copied; the
 * kernel merges completions and keeps the code of the first. If all codes are equal and the copies
 * seen agree, they hold for all pinned bytes. Bytes that were sent again, or that share a packet
 * with pinned bytes, may have been copied besides.
 */
static void book_deferred(struct run_result *r, uint64_t most, const struct snapshot *since)
{
	struct stage_result *deferred = &r->stages[NIO_STAGE_DEFERRED_COPY];
	const struct stage_result *pin = &r->stages[NIO_STAGE_TX_PIN];
	uint64_t seen = since->cells[NIO_SIDE_SENDER][NIO_STAGE_DEFERRED_COPY].bytes;
	uint64_t sent = since->cells[NIO_SIDE_SENDER][NIO_STAGE_TX_PIN].bytes;
	const struct zc_counts *zc = &r->app.zc;
	bool placed = pin->quality != QUALITY_UNAVAILABLE && r->unclassified.known &&
		      !r->unclassified.value && (since->moving || zc->completed == zc->sends);
	/* At the edges of a window, bytes may be seen sent and not arriving, or the reverse. */
	bool seen_to_arrive = seen && 2 * seen >= sent;

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
	deferred->open_bytes = num__known(most - seen);
	if (placed && !zc->copied && !seen) {
		deferred->reason = by_no_code;
		deferred->open_bytes = num__known(0);
	} else if (placed && zc->copied && zc->copied == zc->completed && seen <= pin->bytes &&
		   seen_to_arrive) {
		deferred->bytes = pin->bytes;
		deferred->reason = by_codes;
		deferred->open_bytes = num__known(most - pin->bytes);
	}
}

/*
 * skb_copy_ubufs copies everything that is not in the head of an skb: each queued byte is copied at
 * most once for each time it is sent, packet taps apart. Misses leave a range between the copies
 * seen and that bound.
 */
static void bound_deferred(struct run_result *r, const struct plan *plan,
			   const struct snapshot *since)
{
	struct stage_result *deferred = &r->stages[NIO_STAGE_DEFERRED_COPY];
	uint64_t most = r->sequence.tx_bytes.value + r->sequence.tx_retrans.value;
	bool unseen = arrivals_unseen(r, plan);

	if (run_result__sampled_events(r, NIO_STAGE_DEFERRED_COPY)) {
		book_deferred(r, most, since);
		return;
	}
	deferred->open_bytes = num__known(0);
	if (!mode__has(plan->mode, MODE_PINS) || deferred->quality == QUALITY_UNAVAILABLE ||
	    !r->sequence.tx_bytes.known || most <= deferred->bytes ||
	    (!unseen && !deferred_missed(r, since)))
		return;
	deferred->open_bytes = num__known(most - deferred->bytes);
	deferred->quality = QUALITY_DERIVED;
	deferred->reason = unseen ? arrivals_missed : in_part;
}

bool ledger_bytes__unknown(const struct run_result *r)
{
	bool encrypts = mode__has(r->mode, MODE_ENCRYPTS), here = !r->sender_side;
	bool tx = encrypts || run_result__sampled_events(r, NIO_STAGE_TX_COPY);
	bool rx = (encrypts && here) || run_result__sampled_events(r, NIO_STAGE_RX_COPY);

	return (tx && !r->sequence.tx_bytes.known) || (rx && !r->sequence.rx_bytes.known);
}

/* The sockets of one side since the phase began; else the reason why they are not known. */
static const char *count(const struct snapshot *since, enum nio_side side, struct nio_sums *sums)
{
	*sums = since->sums[side];
	if (!since->sockets_nr[side])
		return "the sockets of this side are on another machine";
	if (sums->sockets < since->sockets_nr[side])
		return "a watched socket was gone when the sockets were read";
	if (sums->closed)
		return "a watched socket was closed when the sockets were read";
	return sums->backward ? "a counter of a watched socket went backward" : NULL;
}

/* The same. Of sockets that kTLS serves, the bytes are those of the plaintext. */
static const char *sum_side(const struct plan *plan, const struct snapshot *since,
			    enum nio_side side, struct nio_sums *sums)
{
	const char *why = count(since, side, sums);
	struct records_sum records = records_of(sums, side);

	if (why)
		return why;
	if (records.reason)
		return mode__has(plan->mode, MODE_ENCRYPTS) ? records.reason : NULL;
	if (side == NIO_SIDE_SENDER)
		sums->queued -= records.overhead;
	else
		sums->taken -= records.overhead;
	/* A record that is under way while bytes move is a small error of a moment's figures. */
	return side == NIO_SIDE_SENDER && sums->partial && !since->moving ? half_sent : NULL;
}

/* One direction of kTLS. here: its sockets are on this machine. */
static void book_records(struct run_result *r, enum nio_side side, bool here,
			 const struct records_sum *records, const struct num *bytes)
{
	struct stage_result *s = &r->stages[NIO_STAGE_TLS_COPY];

	if (bytes->known) {
		r->sequence.tls[side] = (struct tls_result){*bytes, num__known(records->records),
							    num__known(records->overhead)};
		s->bytes += bytes->value;
		s->events += records->records;
		return;
	}
	numbers__forget(tls__numbers, &r->sequence.tls[side], bytes->reason);
	if (!here)
		return;
	s->quality = QUALITY_UNAVAILABLE;
	s->reason = bytes->reason;
}

/* The cipher copies at both ends: it reads the plaintext or writes it. No other mode encrypts. */
static void book_tls(struct run_result *r, const struct plan *plan, const struct snapshot *since,
		     const struct nio_sums sums[NIO_SIDE_NR])
{
	const struct num *bytes[NIO_SIDE_NR] = {&r->sequence.tx_bytes, &r->sequence.rx_bytes};
	const struct num none = num__known(0);

	set_bytes(&r->stages[NIO_STAGE_TLS_COPY], 0, QUALITY_EXACT, NULL, NULL);
	r->stages[NIO_STAGE_TLS_COPY].events = 0;
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct records_sum records = records_of(&sums[side], side);

		r->sequence.tls[side] = (struct tls_result){none, none, none};
		if (mode__has(plan->mode, MODE_ENCRYPTS) || !records.reason)
			book_records(r, side, since->sockets_nr[side], &records, bytes[side]);
	}
}

void ledger_bytes__book(struct run_result *r, const struct plan *plan, const struct snapshot *since)
{
	struct nio_sums sums[NIO_SIDE_NR];
	const struct nio_sums *tx = &sums[NIO_SIDE_SENDER], *rx = &sums[NIO_SIDE_RECEIVER];
	const char *no_tx = sum_side(plan, since, NIO_SIDE_SENDER, &sums[NIO_SIDE_SENDER]);
	const char *no_rx = sum_side(plan, since, NIO_SIDE_RECEIVER, &sums[NIO_SIDE_RECEIVER]);
	bool encrypts = mode__has(plan->mode, MODE_ENCRYPTS);

	r->health.coverage = (struct real){0};
	r->health.covered_bytes = r->health.coverable_bytes = 0;
	numbers__forget(sequence__numbers, &r->sequence, no_tx);
	r->sequence.rx_bytes = num__unknown(no_rx);
	r->sequence.source = no_tx && no_rx ? NULL : "iter/task_file";
	r->unclassified = num__unknown(no_tx);
	r->health.attached_ns = since->attached_ns;
	r->health.phase_ns = since->phase_ns;
	if (!no_tx)
		book_sending(r, plan, tx, since->moving);
	else if (encrypts || run_result__sampled_events(r, NIO_STAGE_TX_COPY))
		leave_unknown(r, STAGE_SENT, encrypts ? no_tx : in_slices);
	if (!no_rx)
		book_receiving(r, plan, rx, since);
	else if (encrypts || run_result__sampled_events(r, NIO_STAGE_RX_COPY))
		leave_unknown(r, STAGE_RECEIVED, encrypts ? no_rx : in_slices);
	book_tls(r, plan, since, sums);
	if (no_tx && no_rx)
		r->health.coverage.reason = no_tx;
	close_coverage(&r->health);
	bound_deferred(r, plan, since);
}

/* One direction of the replies: counted by the sockets, seen by the events. */
static void book_replies(struct run_result *r, enum nio_stage stage, uint64_t counted,
			 const struct nio_cell *cell)
{
	struct stage_result *s = &r->stages[stage];

	if (s->quality == QUALITY_UNAVAILABLE)
		return;
	s->bytes += counted - cell->bytes;
	if (s->no_events)
		s->events = 0;
	else
		cover(&r->health, cell->bytes, counted);
}

void ledger_bytes__replies(struct run_result *r, const struct snapshot *since)
{
	struct nio_sums senders, receivers;
	const char *none = count(since, NIO_SIDE_SENDER, &senders);

	if (!none)
		none = count(since, NIO_SIDE_RECEIVER, &receivers);
	if (none) {
		/* Each direction has bytes of both sides: one side alone does not show them. */
		r->sequence.source = NULL;
		r->sequence.tx_bytes = r->sequence.rx_bytes = num__unknown(none);
		return;
	}
	r->sequence.tx_bytes.value += receivers.queued;
	r->sequence.rx_bytes.value += senders.taken;
	r->sequence.tx_retrans.value += receivers.retrans;
	book_replies(r, NIO_STAGE_TX_COPY, receivers.queued,
		     &since->cells[NIO_SIDE_RECEIVER][NIO_STAGE_TX_COPY]);
	book_replies(r, NIO_STAGE_RX_COPY, senders.taken,
		     &since->cells[NIO_SIDE_SENDER][NIO_STAGE_RX_COPY]);
	close_coverage(&r->health);
}

uint64_t ledger_bytes__open(const struct run_result *r)
{
	const struct stage_result *deferred = &r->stages[NIO_STAGE_DEFERRED_COPY];
	const struct stage_result *received = &r->stages[NIO_STAGE_RX_COPY];
	uint64_t open = r->unclassified.known ? r->unclassified.value : 0;

	if (r->open_copies.known)
		return r->open_copies.value;
	if (deferred->quality != QUALITY_UNAVAILABLE && deferred->open_bytes.known &&
	    deferred->open_bytes.value > open)
		open = deferred->open_bytes.value;
	if (received->quality != QUALITY_UNAVAILABLE && received->open_bytes.known)
		open += received->open_bytes.value;
	return open + r->device_copies;
}
