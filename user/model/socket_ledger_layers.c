/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections in the ledger that another layer than TCP serves: kTLS, MPTCP, a sockmap. Pure. */
#include "socket_ledger_internal.h"

/* Books the bytes of a side that no call was seen to move to the layer: TCP may have moved some. */
static void book_layer(struct socket_ledger *d, enum nio_side side, size_t kind, uint64_t moved)
{
	d->uncovered[side][kind] += u64__minus(moved, socket_ledger__booked(d, side));
}

/*
 * Divides `bytes` of records into plaintext and what the records add. The numbers of the records
 * were read when the socket had moved `from->at` bytes: the rest stays. False: not counted.
 */
static bool count_records(struct tls_ledger *to, const struct nio_tls_side *from, __u64 *bytes,
			  uint64_t moved, uint64_t overhead)
{
	uint64_t after = moved - from->at;
	uint64_t records = from->next - from->first;

	if ((from->how != NIO_TLS_STARTED && from->how != NIO_TLS_ADOPTED) || after > *bytes ||
	    records * overhead > *bytes - after)
		return false;
	*to = (struct tls_ledger){.records = records,
				  .copied = *bytes - after - records * overhead,
				  .overhead = records * overhead};
	*bytes = after;
	return true;
}

bool socket_ledger__is_of_layer(const struct sock_state *s, enum nio_side side)
{
	return s->uncovered &&
	       (s->uncovered != NIO_UNCOVERED_KTLS + 1 || s->tls.side[side].how != NIO_TLS_NO_KEY);
}

/* The bytes of records are those that the socket moved and no stage has. */
static void split_records(struct socket_ledger *d, const struct sock_state *s, enum nio_side side)
{
	bool sends = side == NIO_SIDE_SENDER, saw_all = sock_state_saw_all(s);
	__u64 *bytes = &d->uncovered[side][NIO_UNCOVERED_KTLS], seen = *bytes;
	struct tls_ledger *to = &d->tls[side];

	if (!socket_ledger__is_of_layer(s, side))
		return;
	*bytes = 0;
	*bytes = u64__minus(sends ? d->socket_tx : d->socket_rx, socket_ledger__booked(d, side));
	if (!count_records(to, &s->tls.side[side], bytes, sends ? s->now.sent : s->now.read,
			   s->tls.overhead)) {
		if (!sends || !saw_all)
			d->layer_open[side] += u64__minus(*bytes, seen);
		return;
	}
	if (s->tls.side[side].how == NIO_TLS_STARTED && !saw_all)
		to->open = to->copied;
	d->layer_open[side] += to->open;
}

/*
 * TLS 1.3 decrypts into new memory, from which the application's call copies, except for splice.
 * TLS 1.2, and 1.3 with TLS_RX_EXPECT_NO_PAD, decrypt into the application's memory if its buffer
 * takes a whole record, and else also copy. spliced: plaintext that splice calls were seen to take.
 */
static void copy_decrypted(struct socket_ledger *d, const struct sock_state *s, uint64_t spliced)
{
	struct tls_ledger *rx = &d->tls[NIO_SIDE_RECEIVER];
	bool saw_all = sock_state_saw_all(s);
	uint64_t copied = saw_all ? u64__minus(rx->copied, spliced) : rx->copied;

	if (s->tls.direct || (spliced && !saw_all)) {
		d->layer_open[NIO_SIDE_RECEIVER] += u64__minus(copied, rx->open);
		return;
	}
	if (!copied)
		return;
	rx->copied_again = copied;
	d->stages[NIO_STAGE_RX_COPY].bytes += copied;
	d->stages[NIO_STAGE_RX_COPY].events += (unsigned __int128)rx->records * copied / rx->copied;
}

static void split_tls(struct socket_ledger *d, const struct sock_state *s)
{
	uint64_t spliced = d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS];

	split_records(d, s, NIO_SIDE_SENDER);
	split_records(d, s, NIO_SIDE_RECEIVER);
	copy_decrypted(d, s, spliced);
	d->unmeasured = d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] ||
			d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS];
	d->seen_tx = d->socket_tx - d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS];
	d->seen_rx = d->socket_rx - d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS];
}

/*
 * A socket that another layer serves: TCP counts what that layer sends and takes. A sockmap may
 * give a socket bytes that TCP does not count, send bytes past TCP, and count bytes as read twice.
 */
void socket_ledger__split_layer(struct socket_ledger *d, const struct sock_state *s)
{
	size_t kind = (size_t)s->uncovered - 1;
	bool sockmap = kind == NIO_UNCOVERED_SOCKMAP, saw_all = sock_state_saw_all(s);

	if (kind == NIO_UNCOVERED_KTLS) {
		split_tls(d, s);
		return;
	}
	d->sockmap_open[NIO_SIDE_SENDER] = sockmap && !saw_all;
	d->sockmap_open[NIO_SIDE_RECEIVER] = sockmap;
	if (!saw_all)
		book_layer(d, NIO_SIDE_SENDER, kind, d->socket_tx);
	if (!sockmap && !saw_all)
		book_layer(d, NIO_SIDE_RECEIVER, kind, d->socket_rx);
	if (sockmap && !saw_all)
		d->layer_open[NIO_SIDE_RECEIVER] =
			u64__minus(d->received, socket_ledger__booked(d, NIO_SIDE_RECEIVER));
}

/* Records were counted, or there were none. */
static bool has_records(const struct socket_ledger *ledger, enum nio_side side)
{
	return ledger->tls[side].records || !ledger->uncovered[side][NIO_UNCOVERED_KTLS];
}

static struct num known_if(const struct socket_ledger *ledger, bool counted, uint64_t number)
{
	if (ledger->left_out)
		return num__unknown(SOCKET_LEDGER_LEFT_OUT);
	return counted ? num__known(number) : num__unknown(SOCKET_LEDGER_NO_RECORDS);
}

struct num socket_ledger__of_records(const struct socket_ledger *ledger, enum nio_side side,
				     uint64_t number)
{
	return known_if(ledger, has_records(ledger, side), number);
}

struct num socket_ledger__tls_copy(const struct socket_ledger *ledger)
{
	const struct tls_ledger *tx = &ledger->tls[NIO_SIDE_SENDER],
				*rx = &ledger->tls[NIO_SIDE_RECEIVER];
	bool counted =
		tx->records || rx->records ||
		(has_records(ledger, NIO_SIDE_SENDER) && has_records(ledger, NIO_SIDE_RECEIVER));

	return known_if(ledger, counted, tx->copied + rx->copied);
}
