/* SPDX-License-Identifier: GPL-2.0-only */
/* The books of watched connections; see books.h. Pure. */
#include <string.h>

#include "books.h"

/*
 * How far a 32-bit sequence number went between two looks, in 64 bits: the low half is exact, the
 * high half is that of an amount which is not further off than 2^31.
 */
static uint64_t distance(uint32_t from, uint32_t to, uint64_t about)
{
	int64_t off = (int32_t)(to - from - (uint32_t)about);

	return (int64_t)about + off < 0 ? 0 : about + off;
}

static uint64_t sum_of(const __u64 *values, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static uint64_t sent_by_events(const struct nio_amount *stages, const __u64 *uncovered)
{
	return stages[NIO_STAGE_TX_COPY].bytes + stages[NIO_STAGE_TX_PIN].bytes +
	       stages[NIO_STAGE_TX_SPLICE].bytes + sum_of(uncovered, NIO_UNCOVERED_NR);
}

/* What was looked at only was copied, and not taken. */
static uint64_t received_by_events(const struct nio_amount *stages, const __u64 *uncovered)
{
	uint64_t taken = stages[NIO_STAGE_RX_COPY].bytes + sum_of(uncovered, NIO_UNCOVERED_NR);
	uint64_t looked = uncovered[NIO_UNCOVERED_PEEKED] * 2;

	return taken > looked ? taken - looked : 0;
}

/* Is it closed, and known what its numbers were then? Of MPTCP's, which are no tcp_sock, they are
 * not. */
static bool has_last_numbers(const struct nio_stream *s)
{
	return s->closed_ns && (s->flags & NIO_STREAM_NOW);
}

/* Can nothing more be sent on it, and is it known where that ended? */
static bool has_ended(const struct nio_stream *s)
{
	return (s->flags & NIO_STREAM_ENDED) || has_last_numbers(s);
}

/*
 * Of a socket on which nothing more can be sent, up to its end; of others less what calls in
 * progress have queued so far, since they are booked as they return.
 */
static uint64_t socket_sent(const struct nio_stream *s)
{
	uint64_t booked = sent_by_events(s->stages, s->uncovered_bytes[NIO_SIDE_SENDER]);
	bool ended = has_ended(s);
	bool acked = ended && (s->flags & NIO_STREAM_NOW);
	uint64_t about = acked ? s->now.bytes_acked - s->base_tx.bytes_acked : booked;

	if (!(s->flags & NIO_STREAM_TX_BASE))
		return 0;
	return distance(s->base_tx.sent, ended ? s->now.sent : s->sent_seen - s->call.queued,
			about);
}

static uint64_t socket_taken(const struct nio_stream *s)
{
	uint64_t booked = received_by_events(s->stages, s->uncovered_bytes[NIO_SIDE_RECEIVER]);
	uint32_t end = has_last_numbers(s) ? s->now.taken : s->taken_seen;

	if (!(s->flags & NIO_STREAM_RX_BASE))
		return 0;
	return distance(s->base_rx.taken, end, booked);
}

/*
 * What was taken, or looked at, after the last copy that was seen, up to the end. Of a socket that
 * is no tcp_sock (MPTCP) the end has no number.
 */
static void close_taken(struct books *b, const struct nio_stream *s)
{
	int32_t further = (int32_t)(s->now.taken - s->taken_seen);

	if (!has_last_numbers(s) || !(s->flags & NIO_STREAM_RX_BASE))
		return;
	if (further > 0)
		b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] += further;
	else
		b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED] += -(int64_t)further;
}

/*
 * What was sent after the last event that told of it, up to the end, and by calls whose return was
 * none: their events were missed. Where the kernel is not known to have refused any, it is nothing
 * that would explain it, and stays unaccounted.
 */
static void close_sent(struct books *b, const struct nio_stream *s)
{
	int32_t further = (int32_t)(s->now.sent - s->sent_seen);

	if (!s->refused || !has_ended(s) || !(s->flags & NIO_STREAM_TX_BASE) || s->uncovered ||
	    s->untold)
		return;
	b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] +=
		(further > 0 ? (uint32_t)further : 0) + s->call.queued;
}

/*
 * Of calls that several threads make on one socket at a time, by a trampoline: what one queued in a
 * part of it whose end was refused is in the next look at another, and which of them returned
 * unseen shows in what is left over only.
 */
static void close_crowd(struct books *b, const struct nio_stream *s, uint64_t missed_before)
{
	__u64 *missed = &b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED];
	uint64_t told = sent_by_events(s->stages, s->uncovered_bytes[NIO_SIDE_SENDER]) -
			s->uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED];
	uint64_t booked = told + *missed - missed_before;

	if (s->refused == NIO_REFUSED_SOME && s->crowd && !s->uncovered && !s->untold &&
	    socket_sent(s) > booked)
		*missed += socket_sent(s) - booked;
}

bool books__is_loopback(uint16_t family, const uint8_t address[16])
{
	static const uint8_t loopback6[16] = {[15] = 1};
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (family == 2)
		return address[0] == 127;
	return !memcmp(address, loopback6, sizeof(loopback6)) ||
	       (!memcmp(address, mapped, sizeof(mapped)) && address[12] == 127);
}

/* A connection to an address that is also its own does not leave the machine. */
static bool is_local(const struct nio_stream *s)
{
	return books__is_loopback(s->family, s->remote) ||
	       !memcmp(s->local, s->remote, sizeof(s->local));
}

static void add_amounts(struct nio_amount *to, const struct nio_amount *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i].bytes += from[i].bytes;
		to[i].events += from[i].events;
	}
}

static void add_uncovered(__u64 *to, const __u64 *from)
{
	for (size_t kind = 0; kind < NIO_UNCOVERED_NR; kind++)
		to[kind] += from[kind];
}

/* Where no events were refused, bytes that none tells of are no missed ones: see close_sent(). */
static void add_uncovered_of(struct books *b, const struct nio_stream *s)
{
	for (size_t side = 0; side < NIO_SIDE_NR; side++)
		add_uncovered(b->uncovered[side], s->uncovered_bytes[side]);
	if (!s->refused)
		b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] -=
			s->uncovered_bytes[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED];
}

static void add_values(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

static void add_times(struct books *b, uint64_t first_ns, uint64_t last_ns)
{
	if (first_ns && (!b->first_ns || first_ns < b->first_ns))
		b->first_ns = first_ns;
	if (last_ns > b->last_ns)
		b->last_ns = last_ns;
}

static void add_sizes(struct books *b, const struct nio_stream *s)
{
	for (size_t i = 0; i < NIO_SIZES; i++) {
		b->tx_sizes[i] += s->tx_sizes[i];
		b->rx_sizes[i] += s->rx_sizes[i];
	}
}

static uint64_t retransmitted(const struct nio_stream *s)
{
	uint64_t base = (s->flags & NIO_STREAM_TX_BASE) ? s->base_tx.bytes_retrans
							: s->base_rx.bytes_retrans;

	return (s->flags & NIO_STREAM_NOW) && s->now.bytes_retrans > base
		       ? s->now.bytes_retrans - base
		       : 0;
}

/*
 * Copies of pinned pages that nobody saw, at most: where every zero-copy send of a connection
 * completed, copied, and fewer bytes were seen to be than were pinned. What was sent again is
 * copied again.
 */
static uint64_t unseen_copies(const struct nio_stream *s)
{
	uint64_t pinned = s->stages[NIO_STAGE_TX_PIN].bytes;
	uint64_t seen = s->stages[NIO_STAGE_DEFERRED_COPY].bytes;
	uint32_t ids = s->zckey - s->zckey_base;

	if (!ids || s->completed != ids || s->copied != ids || seen >= pinned)
		return 0;
	return pinned + retransmitted(s) - seen;
}

void books__add_stream(struct books *b, const struct nio_stream *s)
{
	bool pins = s->stages[NIO_STAGE_TX_PIN].events || s->zckey != s->zckey_base;
	uint64_t missed_before = books__missed_sends(b);

	b->connections++;
	b->unmeasured += s->uncovered != 0;
	b->untold += s->untold;
	b->untold_pins += s->untold && pins;
	b->socket_tx += socket_sent(s);
	b->socket_rx += socket_taken(s);
	b->retrans += retransmitted(s);
	add_amounts(b->calls, s->calls, NIO_CALL_NR);
	add_amounts(b->stages, s->stages, NIO_STAGE_NR);
	b->spliced += s->spliced;
	add_uncovered_of(b, s);
	close_taken(b, s);
	close_sent(b, s);
	close_crowd(b, s, missed_before);
	b->ids += (uint32_t)(s->zckey - s->zckey_base);
	b->completed += s->completed;
	b->copied += s->copied;
	b->unseen += unseen_copies(s);
	add_sizes(b, s);
	b->local += is_local(s);
	b->zerocopy += pins;
	b->zerocopy_local += pins && is_local(s);
	add_times(b, s->first_ns, s->last_ns);
}

void books__add(struct books *b, const struct books *other)
{
	b->connections += other->connections;
	b->unmeasured += other->unmeasured;
	b->untold += other->untold;
	b->untold_pins += other->untold_pins;
	b->socket_tx += other->socket_tx;
	b->socket_rx += other->socket_rx;
	b->retrans += other->retrans;
	add_amounts(b->calls, other->calls, NIO_CALL_NR);
	add_amounts(b->stages, other->stages, NIO_STAGE_NR);
	b->spliced += other->spliced;
	for (size_t side = 0; side < NIO_SIDE_NR; side++)
		add_uncovered(b->uncovered[side], other->uncovered[side]);
	b->ids += other->ids;
	b->completed += other->completed;
	b->copied += other->copied;
	b->unseen += other->unseen;
	add_values(b->tx_sizes, other->tx_sizes, NIO_SIZES);
	add_values(b->rx_sizes, other->rx_sizes, NIO_SIZES);
	b->local += other->local;
	b->zerocopy += other->zerocopy;
	b->zerocopy_local += other->zerocopy_local;
	add_times(b, other->first_ns, other->last_ns);
}

uint64_t books__booked(const struct books *b, enum nio_side side)
{
	return side == NIO_SIDE_SENDER ? sent_by_events(b->stages, b->uncovered[side])
				       : received_by_events(b->stages, b->uncovered[side]);
}

struct real books__unaccounted(const struct books *b, enum nio_side side)
{
	uint64_t socket = side == NIO_SIDE_SENDER ? b->socket_tx : b->socket_rx;

	if (b->unmeasured)
		return (struct real){.reason = "sockets that another layer than TCP serves: their "
					       "numbers count what that layer sends"};
	if (b->untold && side == NIO_SIDE_SENDER)
		return (struct real){.reason = BOOKS_UNTOLD};
	return (struct real){.value = (double)(int64_t)(socket - books__booked(b, side)),
			     .known = true};
}

struct num books__spliced(const struct books *b, bool seen)
{
	if (seen || !b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN])
		return (struct num){.value = b->spliced, .known = true};
	return (struct num){.reason = "only programs on functions tell splice from other ways "
				      "to take bytes without a copy"};
}

bool books__tells(const struct books *b, enum nio_stage stage)
{
	return !b->untold_pins || (stage != NIO_STAGE_TX_COPY && stage != NIO_STAGE_TX_PIN);
}

uint64_t books__zerocopy_sends(const struct books *b)
{
	return b->untold_pins ? b->ids : b->calls[NIO_CALL_ZEROCOPY].events;
}

uint64_t books__copied_bytes(const struct books *b)
{
	return b->stages[NIO_STAGE_TX_COPY].bytes + b->stages[NIO_STAGE_DEFERRED_COPY].bytes +
	       b->stages[NIO_STAGE_RX_COPY].bytes;
}

uint64_t books__bytes(const struct books *b)
{
	return books__booked(b, NIO_SIDE_SENDER) + books__booked(b, NIO_SIDE_RECEIVER);
}

uint64_t books__missed_sends(const struct books *b)
{
	return b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED];
}

bool books__arrivals_missed(const struct books *b)
{
	return b->unseen && !b->untold_pins;
}

struct real books__copies_per_byte(const struct books *b)
{
	uint64_t bytes = books__bytes(b);

	if (b->unmeasured || b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_FOREIGN])
		return (struct real){.reason =
					     "copies of bytes that no stage covers are not known"};
	if (b->untold_pins)
		return (struct real){.reason = BOOKS_UNTOLD_PINS};
	if (!bytes)
		return (struct real){.reason = "nothing was sent or received"};
	return (struct real){.value = (double)books__copied_bytes(b) / (double)bytes,
			     .known = true};
}

struct real books__copies_per_byte_at_most(const struct books *b)
{
	struct real most = books__copies_per_byte(b);

	if (most.known)
		most.value +=
			(double)(b->unseen + books__missed_sends(b)) / (double)books__bytes(b);
	return most;
}

struct real books__coverage(const struct books *b)
{
	uint64_t missed =
		b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN] + books__missed_sends(b);
	uint64_t socket = b->socket_tx + b->socket_rx, seen = books__bytes(b) - missed;

	if (b->unmeasured)
		return (struct real){.reason = "not all bytes went through TCP alone"};
	if (b->untold)
		return (struct real){.reason = BOOKS_UNTOLD};
	if (!socket)
		return (struct real){.reason = "nothing was sent or received"};
	return (struct real){.value = (double)seen / (double)socket, .known = true};
}

struct real books__copied_fraction(const struct books *b)
{
	if (!b->completed)
		return (struct real){.reason = b->ids ? "no zero-copy send was seen to complete"
						      : "no zero-copy sends"};
	return (struct real){.value = (double)b->copied / (double)b->completed, .known = true};
}
