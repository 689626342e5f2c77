/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries of the ledger of sockets: names, places, refusals, copies, what is unknown; see
 * socket_ledger.h. Pure. */
#include <string.h>

#include "socket_ledger.h"

#define CALL_KEY(id, key, text)     [NIO_CALL_##id] = key,
#define REFUSAL_KEY(id, key, name)  [NIO_REFUSAL_##id] = key,
#define REFUSAL_NAME(id, key, name) [NIO_REFUSAL_##id] = name,

#define WORDS(function, LIST, ROW)                              \
	const char *socket_ledger__##function(unsigned int i)   \
	{                                                       \
		static const char *const words[] = {LIST(ROW)}; \
                                                                \
		return words[i];                                \
	}

WORDS(call_key, NIO_SEND_KINDS, CALL_KEY)
WORDS(refusal_key, NIO_REFUSALS, REFUSAL_KEY)
WORDS(refusal_name, NIO_REFUSALS, REFUSAL_NAME)

struct num socket_ledger__would_block(const struct socket_ledger *ledger)
{
	if (ledger->inner_eagain)
		return num__unknown(SOCKET_LEDGER_INNER_EAGAIN);
	return socket_ledger__count(ledger, ledger->refused[NIO_REFUSAL_EAGAIN]);
}

uint64_t socket_ledger__refused(const struct socket_ledger *ledger)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < NIO_REFUSAL_NR; i++)
		sum += i == NIO_REFUSAL_EAGAIN ? 0 : ledger->refused[i];
	return sum;
}

bool socket_ledger__pins(const struct socket_ledger *ledger)
{
	return ledger->ids || ledger->calls[NIO_CALL_IO_URING].events;
}

uint64_t socket_ledger__ended_copied(const struct socket_ledger *ledger)
{
	return ledger->copied + ledger->requests[NIO_REQUEST_COPIED];
}

uint64_t socket_ledger__ended(const struct socket_ledger *ledger)
{
	return ledger->completed + ledger->requests[NIO_REQUEST_COPIED] +
	       ledger->requests[NIO_REQUEST_NOT_COPIED];
}

uint64_t socket_ledger__requests(const struct socket_ledger *ledger)
{
	return ledger->requests[NIO_REQUEST_COPIED] + ledger->requests[NIO_REQUEST_NOT_COPIED] +
	       ledger->requests[NIO_REQUEST_UNREPORTED];
}

bool socket_ledger__hides_requests(const struct socket_ledger *ledger)
{
	return ledger->requests[NIO_REQUEST_UNREPORTED] ||
	       (ledger->calls[NIO_CALL_IO_URING].events &&
		(ledger->unwatched || !socket_ledger__requests(ledger)));
}

bool socket_ledger__misses_requests(const struct socket_ledger *ledger)
{
	return ledger->unwatched &&
	       (ledger->pins_hidden || ledger->calls[NIO_CALL_IO_URING].events ||
		socket_ledger__requests(ledger));
}

struct num socket_ledger__requests_ended(const struct socket_ledger *ledger, uint64_t seen)
{
	return !seen && socket_ledger__misses_requests(ledger)
		       ? num__unknown(SOCKET_LEDGER_NOT_SEEN)
		       : num__known(seen);
}

static bool is_loopback(uint16_t family, const uint8_t address[16])
{
	static const uint8_t loopback6[16] = {[15] = 1};
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (family == 2)
		return address[0] == 127;
	return !memcmp(address, loopback6, sizeof(loopback6)) ||
	       (!memcmp(address, mapped, sizeof(mapped)) && address[12] == 127);
}

bool socket_ledger__is_local(const struct sock_state *s)
{
	return is_loopback(s->family, s->remote) || !memcmp(s->local, s->remote, sizeof(s->local));
}

uint64_t socket_ledger__copied_in_calls(const struct socket_ledger *d, const struct sock_state *s)
{
	uint64_t bytes = 0;

	if (s->stages[NIO_STAGE_TX_PIN].bytes || d->stages[NIO_STAGE_TX_PIN].bytes)
		return 0;
	if (d->ids && s->copied)
		bytes += d->calls[NIO_CALL_ZEROCOPY].bytes;
	if (d->requests[NIO_REQUEST_COPIED] ||
	    (d->requests[NIO_REQUEST_UNREPORTED] && !d->unwatched))
		bytes += d->calls[NIO_CALL_IO_URING].bytes;
	return bytes < d->socket_tx ? bytes : d->socket_tx;
}

void socket_ledger__mark_unknown_by_xdp(struct socket_ledger *d)
{
	uint64_t pinned = d->stages[NIO_STAGE_TX_PIN].bytes +
			  d->stage_margin[NIO_STAGE_TX_PIN].above + d->retrans;
	uint64_t seen = d->stages[NIO_STAGE_DEFERRED_COPY].bytes;
	uint64_t open = u64__minus(pinned, seen);
	uint64_t ended = socket_ledger__ended(d);

	if (!socket_ledger__pins(d) || (ended && socket_ledger__ended_copied(d) == ended &&
					!d->requests[NIO_REQUEST_UNREPORTED]))
		return;
	d->under_xdp = 1;
	d->unseen = u64__most(open, d->unseen);
}

struct real socket_ledger__copied_fraction(const struct socket_ledger *ledger)
{
	uint64_t ended = socket_ledger__ended(ledger);

	if (ledger->left_out)
		return real__unknown(SOCKET_LEDGER_LEFT_OUT);
	if (ledger->requests[NIO_REQUEST_UNREPORTED])
		return real__unknown("requests of io_uring ended without a report of copies "
				     "(zerocopy.requests_unreported)");
	if (!ended)
		return real__unknown(socket_ledger__pins(ledger)
					     ? "no zero-copy send was seen to complete"
					     : "no zero-copy sends");
	if (ledger->under_xdp)
		return real__unknown("native XDP on a veth device copies zero-copy packets, and "
				     "the kernel reports their sends as not copied");
	return real__known((double)socket_ledger__ended_copied(ledger) / (double)ended);
}

uint64_t socket_ledger__copied_bytes(const struct socket_ledger *ledger)
{
	return ledger->stages[NIO_STAGE_TX_COPY].bytes +
	       ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes +
	       ledger->stages[NIO_STAGE_RX_COPY].bytes + ledger->tls[NIO_SIDE_SENDER].copied +
	       ledger->tls[NIO_SIDE_RECEIVER].copied;
}

struct num socket_ledger__count(const struct socket_ledger *ledger, uint64_t seen)
{
	if (ledger->left_out)
		return num__unknown(SOCKET_LEDGER_LEFT_OUT);
	return !seen && ledger->unwatched ? num__unknown(SOCKET_LEDGER_NOT_SEEN) : num__known(seen);
}

struct num socket_ledger__read_bytes(const struct socket_ledger *ledger,
				     enum nio_uncovered_kind kind)
{
	uint64_t bytes = ledger->uncovered[NIO_SIDE_RECEIVER][kind];

	if (!bytes && socket_ledger__is_estimate(ledger, NIO_SIDE_RECEIVER))
		return num__unknown(SOCKET_LEDGER_NOT_SEEN);
	return num__known(bytes);
}

const uint64_t *socket_ledger__sizes(const struct socket_ledger *ledger, enum nio_side side)
{
	if (ledger->unwatched)
		return ledger->weighted_sizes[side];
	return side == NIO_SIDE_SENDER ? ledger->tx_sizes : ledger->rx_sizes;
}

const char *socket_ledger__no_sizes(const struct socket_ledger *ledger, enum nio_side side)
{
	const uint64_t *sizes = socket_ledger__sizes(ledger, side);

	for (int i = 0; i < NIO_SIZES; i++)
		if (sizes[i])
			return NULL;
	return socket_ledger__is_estimate(ledger, side) ? SOCKET_LEDGER_NOT_SEEN : NULL;
}

struct num socket_ledger__call_bytes(const struct socket_ledger *ledger, enum nio_send_call kind)
{
	if (!ledger->calls[kind].bytes && socket_ledger__is_estimate(ledger, NIO_SIDE_SENDER))
		return num__unknown(SOCKET_LEDGER_NOT_SEEN);
	return num__known(ledger->calls[kind].bytes);
}

struct num socket_ledger__zerocopy_sends(const struct socket_ledger *ledger)
{
	return socket_ledger__count(ledger, ledger->calls[NIO_CALL_ZEROCOPY].events);
}

bool socket_ledger__is_divided(const struct socket_ledger *ledger, enum nio_side side,
			       enum nio_uncovered_kind kind)
{
	if (kind == NIO_UNCOVERED_MPTCP)
		return side == NIO_SIDE_RECEIVER;
	return ledger->divided[side] &&
	       (kind == NIO_UNCOVERED_IO_URING || kind == NIO_UNCOVERED_PEEKED ||
		kind == NIO_UNCOVERED_UNSEEN);
}

struct real socket_ledger__unaccounted(const struct socket_ledger *ledger, enum nio_side side)
{
	uint64_t socket = side == NIO_SIDE_SENDER ? ledger->socket_tx : ledger->socket_rx;

	if (ledger->unmeasured)
		return real__unknown("sockets that another layer than TCP serves: their "
				     "numbers count what that layer sends");
	if (ledger->left_out)
		return real__unknown(SOCKET_LEDGER_LEFT_OUT);
	return real__known((double)(int64_t)(socket - socket_ledger__booked(ledger, side)));
}

struct num socket_ledger__uncovered(const struct socket_ledger *ledger, enum nio_side side,
				    enum nio_uncovered_kind kind)
{
	if (kind == NIO_UNCOVERED_MPTCP && ledger->partly_seen)
		return num__unknown("MPTCP calls were not watched all the time; --count-calls "
				    "watches them all");
	if (kind == NIO_UNCOVERED_MPTCP && side == NIO_SIDE_RECEIVER && ledger->mptcp &&
	    !ledger->uncovered[side][kind])
		return num__unknown("no copy to the application was seen, and no hook of attach "
				    "shows what MPTCP takes without one");
	if (kind == NIO_UNCOVERED_SOCKMAP && ledger->sockmap_open[side])
		return num__unknown("a sockmap moves bytes that TCP does not count, and no hook of "
				    "attach sees all its calls");
	return num__known(ledger->uncovered[side][kind]);
}

bool socket_ledger__is_least(const struct socket_ledger *ledger, enum nio_side side)
{
	return ledger->partly_seen || ledger->sockmap_open[side] ||
	       (side == NIO_SIDE_RECEIVER && ledger->mptcp);
}

struct real socket_ledger__coverage(const struct socket_ledger *ledger)
{
	uint64_t socket = ledger->socket_tx + ledger->socket_rx;

	if (ledger->unmeasured)
		return real__unknown("not all bytes went through TCP alone");
	if (ledger->left_out)
		return real__unknown(SOCKET_LEDGER_LEFT_OUT);
	if (!socket)
		return real__unknown("nothing was sent or received");
	return real__known((double)(ledger->seen_tx + ledger->seen_rx) / (double)socket);
}

bool socket_ledger__is_estimate(const struct socket_ledger *ledger, enum nio_side side)
{
	return ledger->divided[side] || socket_ledger__unclassified(ledger, side);
}

uint64_t socket_ledger__bytes(const struct socket_ledger *ledger)
{
	return socket_ledger__payload(ledger, NIO_SIDE_SENDER) +
	       socket_ledger__payload(ledger, NIO_SIDE_RECEIVER);
}
