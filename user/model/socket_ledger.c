/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger of sockets; see socket_ledger.h. Pure. */
#include <string.h>

#include "socket_ledger_internal.h"

/* The bytes sent that a stage has. */
static uint64_t staged_of(const struct socket_ledger *ledger)
{
	return ledger->stages[NIO_STAGE_TX_COPY].bytes + ledger->stages[NIO_STAGE_TX_PIN].bytes +
	       ledger->stages[NIO_STAGE_TX_SPLICE].bytes;
}

/* The bytes read that a known call took without a copy. */
static uint64_t uncopied_of(const struct socket_ledger *ledger)
{
	return ledger->stages[NIO_STAGE_RX_MAP].bytes + ledger->stages[NIO_STAGE_RX_DISCARD].bytes +
	       ledger->stages[NIO_STAGE_RX_SPLICE].bytes;
}

uint64_t socket_ledger__booked(const struct socket_ledger *ledger, enum nio_side side)
{
	uint64_t uncovered = u64__sum((const uint64_t *)ledger->uncovered[side], NIO_UNCOVERED_NR);

	uncovered += ledger->tls[side].copied + ledger->tls[side].overhead;
	if (side == NIO_SIDE_SENDER)
		return staged_of(ledger) + uncovered;
	/*
	 * Peeked bytes were copied but not taken; each is in rx_copy and in the uncovered. Bytes of
	 * kTLS that were also copied to the application are in rx_copy and in tls_copy.
	 */
	return u64__minus(ledger->stages[NIO_STAGE_RX_COPY].bytes + uncopied_of(ledger) + uncovered,
			  ledger->uncovered[side][NIO_UNCOVERED_PEEKED] * 2 +
				  ledger->tls[side].copied_again);
}

uint64_t socket_ledger__payload(const struct socket_ledger *ledger, enum nio_side side)
{
	return socket_ledger__booked(ledger, side) - ledger->tls[side].overhead;
}

/* How the events of a connection are scaled to its bytes. */
enum scaling {
	SCALE_ALL,   /* bytes and counts */
	SCALE_BYTES, /* of calls in progress: no count */
	SCALE_NONE,  /* bytes and counts are those of the events, by the weights of windows */
};

static uint64_t scaled(uint64_t value, uint64_t to, uint64_t from)
{
	return (uint64_t)((unsigned __int128)value * to / from);
}

/* Scales the parts of a sum so that they add up to `to`; the largest takes the rest. */
static void divide(__u64 **parts, size_t n, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;
	size_t largest = 0;

	for (size_t i = 1; i < n; i++)
		if (*parts[i] > *parts[largest])
			largest = i;
	for (size_t i = 0; i < n; i++) {
		*parts[i] = scaled(*parts[i], to, from);
		sum += *parts[i];
	}
	*parts[largest] += to - sum;
}

/* A call that was seen counts, however few of its bytes belong to the socket. */
static uint64_t scaled_count(uint64_t count, uint64_t to, uint64_t from)
{
	uint64_t events = scaled(count, to, from);

	return count && to && !events ? 1 : events;
}

static void scale_events(struct nio_amount *amounts, size_t n, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < n; i++)
		amounts[i].events = scaled_count(amounts[i].events, to, from);
}

/*
 * Margins of a part of `to` bytes, of which those seen have `weighted` bytes by the weights of
 * windows, and the part had `part` of these; now it is `value`. `added`: bytes that the weights
 * added. The bytes seen of a part are at least part - added; no byte that was seen of another part
 * is of this one.
 */
static struct byte_margin margin_of(uint64_t part, uint64_t weighted, uint64_t added, uint64_t to,
				    uint64_t value)
{
	uint64_t least = u64__minus(part, added);
	uint64_t others = u64__minus(u64__minus(weighted, part), added);

	return (struct byte_margin){u64__minus(value, u64__least(least, to)),
				    u64__minus(u64__minus(to, others), value)};
}

/* With the bytes of requests that book_requests() gives to a stage. */
static uint64_t bytes_with_requests(const struct socket_ledger *d, enum nio_stage stage)
{
	bool takes = stage == NIO_STAGE_TX_PIN && d->calls[NIO_CALL_IO_URING].events;

	return d->stages[stage].bytes +
	       (takes ? d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING] : 0);
}

/* The stages of one side, of which `parts` has the bytes. added: by weights, of `from`. */
static void divide_stages(struct socket_ledger *d, enum nio_stage first, enum nio_stage last,
			  __u64 **parts, size_t n, uint64_t from, uint64_t to, uint64_t added,
			  enum scaling how)
{
	uint64_t before[NIO_STAGE_NR];

	for (enum nio_stage i = first; i <= last; i++)
		before[i] = bytes_with_requests(d, i);
	divide(parts, n, from, to);
	for (enum nio_stage i = first; i <= last; i++) {
		d->stage_margin[i] =
			margin_of(before[i], from, added, to, bytes_with_requests(d, i));
		if (how == SCALE_ALL)
			scale_events(&d->stages[i], 1, from, to);
	}
}

static void divide_calls(struct socket_ledger *d, uint64_t seen, uint64_t sent, uint64_t added)
{
	__u64 *calls[NIO_CALL_NR], before[NIO_CALL_NR], sum = 0;

	for (size_t i = 0; i < NIO_CALL_NR; i++) {
		calls[i] = &d->calls[i].bytes;
		before[i] = d->calls[i].bytes;
		sum += before[i];
	}
	if (sum)
		divide(calls, NIO_CALL_NR, sum, sent);
	for (size_t i = 0; i < NIO_CALL_NR; i++)
		d->call_margin[i] = margin_of(before[i], sum, added, sent, *calls[i]);
	scale_events(d->calls, NIO_CALL_NR, seen, sent);
}

/*
 * Zero-copy ids without a seen call, such as those before attach: the bytes they pinned are a
 * range. The minimum is one byte per id; the rest of the unseen bytes stays unclassified. If some
 * calls were seen, they are a sample of the others instead. true: they were booked.
 */
static bool book_unseen_ids(struct socket_ledger *d, uint64_t unseen)
{
	struct nio_amount *pins = &d->stages[NIO_STAGE_TX_PIN];
	uint64_t least = u64__least(d->ids, unseen);

	if (!least || pins->bytes || pins->events)
		return false;
	*pins = (struct nio_amount){least, d->ids};
	d->calls[NIO_CALL_ZEROCOPY].bytes += least;
	d->calls[NIO_CALL_ZEROCOPY].events += d->ids;
	d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] += unseen - least;
	d->pinned_open = unseen - least;
	return true;
}

/* Scales how calls sent `from` bytes so that they sent `to` bytes. added: by weights, of `from`. */
static void scale_sent(struct socket_ledger *d, uint64_t from, uint64_t to, uint64_t added,
		       enum scaling how)
{
	__u64 *parts[] = {&d->stages[NIO_STAGE_TX_COPY].bytes, &d->stages[NIO_STAGE_TX_PIN].bytes,
			  &d->stages[NIO_STAGE_TX_SPLICE].bytes,
			  &d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING]};

	divide_stages(d, NIO_STAGE_TX_COPY, NIO_STAGE_TX_SPLICE, parts, 4, from, to, added, how);
	if (how != SCALE_ALL)
		return;
	divide_calls(d, from, to, added);
	for (size_t i = 0; i < NIO_REFUSAL_NR; i++)
		d->refused[i] = scaled_count(d->refused[i], to, from);
#define SCALE(member, in_windows) \
	d->member = in_windows ? scaled_count(d->member, to, from) : d->member;
	NIO_SOCK_COUNTS(SCALE)
}

/* Divides the bytes that a socket sent as the calls that were seen, by the weights of windows. */
static void divide_sent(struct socket_ledger *d, uint64_t added, enum scaling how)
{
	uint64_t weighted = staged_of(d) + d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING];
	uint64_t seen = u64__minus(weighted, added), sent = d->socket_tx;

	d->seen_tx = seen < sent ? seen : sent;
	if (!weighted) {
		if (how == SCALE_NONE)
			d->divided[NIO_SIDE_SENDER] = sent;
		if (how == SCALE_ALL && !book_unseen_ids(d, sent))
			d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = sent;
		return;
	}
	if (seen < sent && d->ids && !d->stages[NIO_STAGE_TX_PIN].events) {
		d->divided[NIO_SIDE_SENDER] = added ? sent : 0;
		if (added && how == SCALE_ALL)
			scale_sent(d, weighted, seen, added, how);
		if (how == SCALE_ALL)
			book_unseen_ids(d, sent - seen);
		return;
	}
	if (weighted == sent && !added)
		return;
	d->divided[NIO_SIDE_SENDER] = sent;
	if (how != SCALE_NONE)
		scale_sent(d, weighted, sent, added, how);
}

/*
 * No call took a zero-copy id, so no call pinned: the calls that a kprobe saw begin were refused
 * (ENOBUFS) and sent nothing. Calls with MSG_ZEROCOPY without SO_ZEROCOPY copy, and stay.
 */
static void drop_refused_pins(struct socket_ledger *d)
{
	struct nio_amount *pins = &d->stages[NIO_STAGE_TX_PIN];
	struct nio_amount *calls = &d->calls[NIO_CALL_ZEROCOPY];

	calls->bytes = u64__minus(calls->bytes, pins->bytes);
	calls->events = u64__minus(calls->events, pins->events);
	*pins = (struct nio_amount){0};
}

/* Several threads sent in turns, their messages unseen: it is unknown which calls took an id. */
static void leave_unclassified(struct socket_ledger *d, enum scaling how)
{
	memset(d->calls, 0, sizeof(d->calls));
	for (int i = NIO_STAGE_TX_COPY; i <= NIO_STAGE_TX_SPLICE; i++)
		d->stages[i] = (struct nio_amount){0};
	d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING] = 0;
	if (how == SCALE_ALL)
		d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_MISSED] = d->socket_tx;
	d->pinned_open = d->socket_tx;
}

/* Scales how calls took `from` bytes so that they took `to` bytes. added: by weights, of `from`. */
static void scale_read(struct socket_ledger *d, uint64_t from, uint64_t to, uint64_t added)
{
	__u64 *peeked = &d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED];
	uint64_t least_peeked = u64__minus(*peeked, added);
	struct nio_amount *copy = &d->stages[NIO_STAGE_RX_COPY];
	__u64 *parts[] = {&copy->bytes, &d->stages[NIO_STAGE_RX_MAP].bytes,
			  &d->stages[NIO_STAGE_RX_DISCARD].bytes,
			  &d->stages[NIO_STAGE_RX_SPLICE].bytes,
			  &d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN]};

	/* Bytes that were peeked at were copied but not taken. */
	copy->bytes = u64__minus(copy->bytes, *peeked);
	divide_stages(d, NIO_STAGE_RX_COPY, NIO_STAGE_RX_SPLICE, parts, 5, from, to, added,
		      SCALE_ALL);
	*peeked = scaled(*peeked, to, from);
	copy->bytes += *peeked;
	d->stage_margin[NIO_STAGE_RX_COPY].below += u64__minus(*peeked, least_peeked);
}

/* The bytes that an application read from a socket: copied, peeked first, or without a copy. */
static void divide_read(struct socket_ledger *d, const struct sock_state *s, uint64_t added,
			enum scaling how)
{
	__u64 *peeked = &d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED];
	__u64 *unseen = &d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN];
	struct nio_amount *copy = &d->stages[NIO_STAGE_RX_COPY];
	/* Taken since the last seen copy: more than the copy, or fewer (peeked). */
	int64_t further = (int64_t)(s->now.read - s->read_seen);
	uint64_t taken, seen, read = d->socket_rx;

	if (sock_state_saw_all(s)) {
		if (further > 0)
			*unseen += further;
		else
			*peeked += -further;
		d->seen_rx = u64__minus(read, *unseen);
		if (added && how == SCALE_NONE)
			d->divided[NIO_SIDE_RECEIVER] = read;
		return;
	}
	taken = u64__minus(copy->bytes, *peeked) + uncopied_of(d);
	seen = taken + *unseen;
	d->seen_rx = u64__minus(taken, added) < read ? u64__minus(taken, added) : read;
	if (!seen && how == SCALE_ALL)
		d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_MISSED] = read;
	/* Nothing was taken: each copy only looked. */
	if (!read)
		*peeked = copy->bytes;
	if ((!seen && how == SCALE_ALL) || !read)
		return;
	d->divided[NIO_SIDE_RECEIVER] = read;
	if (how == SCALE_ALL)
		scale_read(d, seen, read, added);
}

/* Bytes of a layer are those that were seen: they have no total to be scaled to. */
static void subtract_added(struct socket_ledger *d, const uint64_t added[NIO_SIDE_NR],
			   enum scaling how)
{
	uint64_t sent = staged_of(d) + d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING];
	uint64_t read = d->stages[NIO_STAGE_RX_COPY].bytes + uncopied_of(d);

	if (added[NIO_SIDE_SENDER] && sent)
		scale_sent(d, sent, u64__minus(sent, added[NIO_SIDE_SENDER]),
			   added[NIO_SIDE_SENDER], how);
	for (int i = NIO_STAGE_RX_COPY; i <= NIO_STAGE_RX_SPLICE && read; i++) {
		struct nio_amount *a = &d->stages[i];
		uint64_t left = u64__minus(read, added[NIO_SIDE_RECEIVER]), seen = a->bytes;

		if (how == SCALE_ALL)
			scale_events(a, 1, read, left);
		a->bytes = scaled(a->bytes, left, read);
		d->stage_margin[i] =
			margin_of(seen, read, added[NIO_SIDE_RECEIVER], left, a->bytes);
	}
}

/* Scales the events of a connection so that they add up to its bytes. */
static void split(struct socket_ledger *d, const struct sock_state *s,
		  const uint64_t added[NIO_SIDE_NR], enum scaling how)
{
	uint64_t of_layer[NIO_SIDE_NR] = {0};

	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (socket_ledger__is_of_layer(s, side))
			of_layer[side] = added[side];
	if (s->uncovered) {
		subtract_added(d, of_layer, how);
		socket_ledger__split_layer(d, s);
	}
	if (!socket_ledger__is_of_layer(s, NIO_SIDE_SENDER)) {
		if (!d->ids)
			drop_refused_pins(d);
		if (s->several > 1 && d->ids)
			leave_unclassified(d, how);
		else
			divide_sent(d, added[NIO_SIDE_SENDER], how);
	}
	if (!socket_ledger__is_of_layer(s, NIO_SIDE_RECEIVER))
		divide_read(d, s, added[NIO_SIDE_RECEIVER], how);
}

/*
 * Requests of io_uring whose messages were seen pin their pages. Others may also be its SEND, which
 * copies: their bytes are in no stage.
 */
static void book_requests(struct socket_ledger *d)
{
	__u64 *requests = &d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING];
	struct nio_amount *pins = &d->stages[NIO_STAGE_TX_PIN];

	if (!d->calls[NIO_CALL_IO_URING].events)
		return;
	pins->bytes += *requests;
	pins->events += *requests ? d->calls[NIO_CALL_IO_URING].events : 0;
	*requests = 0;
}

/* A state is made at the first call seen: in a later window than the first, calls came before. */
static bool saw_whole_life(const struct sock_state *s)
{
	return sock_state_saw_all(s) && s->born_window == 1;
}

/* MPTCP sockets have no numbers, and exist for the ledger from their first use on. */
static bool was_connected(const struct sock_state *s)
{
	return s->begun || s->uncovered || s->last_ns || s->now.sent != s->base.sent ||
	       s->now.received != s->base.received;
}

/* All of the connection was seen in one window: each event counts once. */
static void apply_weight(struct socket_ledger *d, uint64_t weight)
{
	__u64 *sides[] = {&d->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING],
			  &d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_PEEKED],
			  &d->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN]};
	struct nio_amount *amounts[NIO_CALL_NR + NIO_STAGE_NR];
	size_t nr = 0;

	for (size_t i = 0; i < NIO_CALL_NR; i++)
		amounts[nr++] = &d->calls[i];
	for (size_t i = 0; i < NIO_STAGE_NR; i++)
		if (i != NIO_STAGE_DEFERRED_COPY)
			amounts[nr++] = &d->stages[i];
	for (size_t i = 0; i < nr; i++) {
		amounts[i]->bytes /= weight;
		amounts[i]->events /= weight;
	}
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
		*sides[i] /= weight;
	for (size_t i = 0; i < NIO_REFUSAL_NR; i++)
		d->refused[i] /= weight;
	for (size_t i = 0; i < NIO_SIZES; i++) {
		d->tx_sizes[i] /= weight;
		d->rx_sizes[i] /= weight;
	}
	d->tx_sizes_sum /= weight;
	d->rx_sizes_sum /= weight;
#define UNDO_WEIGHT(member, in_windows) d->member /= in_windows ? weight : 1;
	NIO_SOCK_COUNTS(UNDO_WEIGHT)
}

static struct socket_ledger ledger_of(const struct sock_state *s, enum scaling how)
{
	bool in_window = sock_state_saw_all(s) && s->weight > 1;
	uint64_t added[NIO_SIDE_NR] = {0};
	bool pins = s->stages[NIO_STAGE_TX_PIN].events || s->zc_ids ||
		    s->calls[NIO_CALL_IO_URING].events ||
		    u64__sum((const uint64_t *)s->requests, NIO_REQUEST_NR);
	bool local = socket_ledger__is_local(s);
	struct socket_ledger d = {
		.connections = was_connected(s),
		.unconnected = !was_connected(s),
		.unmeasured = s->uncovered != 0,
		.unwatched = !sock_state_saw_all(s) || (in_window && how != SCALE_ALL),
		.mptcp = s->uncovered == NIO_UNCOVERED_MPTCP + 1,
		.partly_seen = s->uncovered == NIO_UNCOVERED_MPTCP + 1 && !saw_whole_life(s),
		.socket_tx = s->now.sent - s->base.sent,
		.socket_rx = s->now.read - s->base.read,
		.received = s->now.received - s->base.received,
		.readable = u64__minus(s->now.received, s->base.read),
		.retrans = u64__minus(s->now.retrans, s->base.retrans),
		.looks = s->looks,
		.tail_waits = s->tail_waits,
		.ids = s->zc_ids,
		.local = local,
		.zerocopy = pins,
		.zerocopy_local = pins && local,
		.first_ns = s->first_ns,
		.last_ns = s->last_ns,
	};

#define TAKE(member, ...) d.member = s->member;
	NIO_SOCK_COUNTS(TAKE)
	memcpy(d.calls, s->calls, sizeof(d.calls));
	memcpy(d.stages, s->stages, sizeof(d.stages));
	memcpy(d.requests, s->requests, sizeof(d.requests));
	memcpy(d.uncovered, s->uncovered_bytes, sizeof(d.uncovered));
	for (size_t i = 0; i < NIO_REFUSAL_NR; i++)
		d.refused[i] = s->refused[i];
	memcpy(d.tx_sizes, s->tx_sizes, sizeof(d.tx_sizes));
	memcpy(d.rx_sizes, s->rx_sizes, sizeof(d.rx_sizes));
	memcpy(d.weighted_sizes[NIO_SIDE_SENDER], s->tx_sizes, sizeof(d.tx_sizes));
	memcpy(d.weighted_sizes[NIO_SIDE_RECEIVER], s->rx_sizes, sizeof(d.rx_sizes));
	for (size_t i = 0; i < NIO_CALL_NR; i++)
		d.tx_sizes_sum += i == NIO_CALL_SPLICE ? 0 : s->calls[i].bytes;
	d.rx_sizes_sum = s->stages[NIO_STAGE_RX_COPY].bytes;
	if (in_window && how == SCALE_ALL)
		apply_weight(&d, s->weight);
	else
		memcpy(added, s->added, sizeof(added));
	split(&d, s, added, how);
	/* A call with MSG_ZEROCOPY takes one id, if the socket has SO_ZEROCOPY. */
	if (d.ids && (!sock_state_saw_all(s) || (in_window && how != SCALE_ALL)))
		d.calls[NIO_CALL_ZEROCOPY].events = d.ids + d.zc_without_option;
	book_requests(&d);
	d.shared = (s->flags & SOCK_STATE_SHARED) ? d.socket_tx + d.socket_rx : 0;
	socket_ledger__bound_copies(&d, s);
	return d;
}

struct socket_ledger socket_ledger__of(const struct sock_state *s)
{
	return ledger_of(s, SCALE_ALL);
}

struct socket_ledger socket_ledger__weighted(const struct sock_state *s)
{
	return ledger_of(s, sock_state_saw_all(s) && s->weight <= 1 ? SCALE_BYTES : SCALE_NONE);
}

void socket_ledger__add(struct socket_ledger *ledger, const struct socket_ledger *other)
{
	num__add_counts(ledger, other, offsetof(struct socket_ledger, first_ns));
	if (other->first_ns && (!ledger->first_ns || other->first_ns < ledger->first_ns))
		ledger->first_ns = other->first_ns;
	if (other->last_ns > ledger->last_ns)
		ledger->last_ns = other->last_ns;
}

/* Pinned bytes have ids, which are counted without events, but for io_uring's. */
struct num socket_ledger__stage_bytes(const struct socket_ledger *ledger, enum nio_stage stage)
{
	bool sends = stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_SPLICE ||
		     (stage == NIO_STAGE_TX_PIN && (ledger->ids || ledger->pins_hidden));
	bool reads = stage >= NIO_STAGE_RX_COPY && stage <= NIO_STAGE_RX_SPLICE;
	enum nio_side side = sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER;

	if (!ledger->stages[stage].bytes && (sends || reads) &&
	    socket_ledger__is_estimate(ledger, side))
		return num__unknown(SOCKET_LEDGER_NOT_SEEN);
	if (!ledger->stages[stage].bytes && reads &&
	    ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN])
		return num__unknown(SOCKET_LEDGER_UNKNOWN_CALL);
	if (!ledger->stages[stage].bytes && (sends || reads) && stage != NIO_STAGE_TX_PIN &&
	    (socket_ledger__of_layers(ledger, side) || socket_ledger__is_least(ledger, side)))
		return num__unknown(SOCKET_LEDGER_OF_LAYERS);
	if (stage == NIO_STAGE_DEFERRED_COPY && !ledger->stages[stage].bytes &&
	    socket_ledger__at_most(ledger, stage))
		return num__unknown("none was seen, and not all could be");
	return num__known(ledger->stages[stage].bytes);
}

uint64_t socket_ledger__unclassified(const struct socket_ledger *ledger, enum nio_side side)
{
	uint64_t missed = ledger->uncovered[side][NIO_UNCOVERED_MISSED];

	if (side == NIO_SIDE_RECEIVER && ledger->refused_runs)
		missed += ledger->uncovered[side][NIO_UNCOVERED_UNSEEN];
	return missed;
}

uint64_t socket_ledger__of_layers(const struct socket_ledger *ledger, enum nio_side side)
{
	const __u64 *uncovered = ledger->uncovered[side];

	return uncovered[NIO_UNCOVERED_MPTCP] + uncovered[NIO_UNCOVERED_SOCKMAP] +
	       uncovered[NIO_UNCOVERED_OTHER];
}

/*
 * Bytes that unknown calls took without a visible copy: urgent data, and some readers in the
 * kernel, are copied without an event. (With refused runs they are unclassified.)
 */
static uint64_t uncopied_unknown(const struct socket_ledger *ledger)
{
	return ledger->refused_runs ? 0
				    : ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN];
}

/* Unseen bytes that a stage may have besides those it has. No layer pins pages of applications. */
static uint64_t open_of(const struct socket_ledger *ledger, enum nio_side side,
			enum nio_stage stage)
{
	return ledger->stage_margin[stage].above + socket_ledger__unclassified(ledger, side) +
	       (stage == NIO_STAGE_TX_PIN ? 0 : socket_ledger__of_layers(ledger, side));
}

uint64_t socket_ledger__at_most(const struct socket_ledger *ledger, enum nio_stage stage)
{
	uint64_t bytes = ledger->stages[stage].bytes;

	switch (stage) {
	case NIO_STAGE_TX_PIN:
		/* Nothing is pinned without an id or a request. */
		if (!socket_ledger__pins(ledger) && !ledger->pins_hidden)
			return bytes + socket_ledger__unclassified(ledger, NIO_SIDE_SENDER);
		/* fall through */
	case NIO_STAGE_TX_COPY:
	case NIO_STAGE_TX_SPLICE:
		return bytes + open_of(ledger, NIO_SIDE_SENDER, stage) +
		       ledger->layer_open[NIO_SIDE_SENDER];
	case NIO_STAGE_RX_MAP:
	case NIO_STAGE_RX_DISCARD:
	case NIO_STAGE_RX_SPLICE:
		if (!ledger->refused_runs)
			bytes += ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN];
		/* fall through */
	case NIO_STAGE_RX_COPY:
		if (stage == NIO_STAGE_RX_COPY)
			bytes += uncopied_unknown(ledger);
		return bytes + open_of(ledger, NIO_SIDE_RECEIVER, stage) +
		       ledger->layer_open[NIO_SIDE_RECEIVER];
	case NIO_STAGE_DEFERRED_COPY:
		/* What requests that no window met pinned may have been copied. */
		return bytes + ledger->hidden_pins + ledger->unseen + ledger->pinned_open +
		       socket_ledger__may_copy_pins(ledger);
	default:
		return bytes;
	}
}

bool socket_ledger__arrivals_missed(const struct socket_ledger *ledger)
{
	return socket_ledger__at_most(ledger, NIO_STAGE_DEFERRED_COPY) >
	       ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes;
}

uint64_t socket_ledger__copies_open(const struct socket_ledger *ledger)
{
	return ledger->unseen + ledger->pinned_open + socket_ledger__copied_unseen(ledger) +
	       uncopied_unknown(ledger) + ledger->layer_open[NIO_SIDE_SENDER] +
	       ledger->layer_open[NIO_SIDE_RECEIVER] +
	       open_of(ledger, NIO_SIDE_SENDER, NIO_STAGE_TX_COPY) +
	       open_of(ledger, NIO_SIDE_RECEIVER, NIO_STAGE_RX_COPY);
}
