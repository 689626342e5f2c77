/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds of the copies that no event shows; see socket_ledger.h and unseen_copies.h. Pure. */
#include "socket_ledger_internal.h"

/*
 * Arrivals are no copies: a packet may be dropped before it is copied, leave the machine again, or
 * be counted at two devices. Returns what was copied at least.
 */
static uint64_t copied_of_arrivals(const struct socket_ledger *d, enum deferred_doubt *doubt)
{
	uint64_t seen = d->stages[NIO_STAGE_DEFERRED_COPY].bytes, ended = socket_ledger__ended(d);
	uint64_t pinned =
		(!d->divided[NIO_SIDE_SENDER] && !socket_ledger__unclassified(d, NIO_SIDE_SENDER))
			? d->stages[NIO_STAGE_TX_PIN].bytes
			: 0;

	if (ended && socket_ledger__ended_copied(d) < ended) {
		*doubt = socket_ledger__ended_copied(d) ? DOUBT_DEFERRED_MIXED
							: DOUBT_DEFERRED_UNCOPIED;
		return 0;
	}
	if (seen > d->socket_tx + d->retrans) {
		*doubt = DOUBT_DEFERRED_TWICE;
		return 0;
	}
	*doubt = DOUBT_DEFERRED_AGAIN;
	return u64__most(u64__minus(seen, d->retrans), u64__least(seen, pinned));
}

/* Why pinned bytes that were not seen to be copied may have been; DOUBT_DEFERRED_NR: they were not.
 */
static enum deferred_doubt doubt_of_unseen(const struct socket_ledger *d, uint8_t path)
{
	uint64_t ended = socket_ledger__ended(d), copied = socket_ledger__ended_copied(d);

	if (path & (NIO_PATH_NO_CHECKSUM | NIO_PATH_NO_GATHER | NIO_PATH_IPSEC))
		return DOUBT_DEFERRED_DEVICE;
	if (copied && copied < ended)
		return DOUBT_DEFERRED_MIXED;
	if (socket_ledger__hides_requests(d) || copied ||
	    (!ended && d->stages[NIO_STAGE_DEFERRED_COPY].bytes))
		return DOUBT_DEFERRED_MISSED;
	return DOUBT_DEFERRED_NR;
}

/*
 * The copies of pinned bytes as a range: the stage is what was copied at least. whole: the socket
 * was watched from its beginning.
 */
static void bound_by_arrivals(struct socket_ledger *d, uint8_t path, bool whole)
{
	struct nio_amount *stage = &d->stages[NIO_STAGE_DEFERRED_COPY];
	uint64_t pinned = d->stages[NIO_STAGE_TX_PIN].bytes, seen = stage->bytes;
	uint64_t pinned_most = pinned + d->stage_margin[NIO_STAGE_TX_PIN].above;
	uint64_t least = seen, most = seen, sent = d->socket_tx + d->retrans;
	enum deferred_doubt doubt = DOUBT_DEFERRED_NR;

	if (!socket_ledger__pins(d))
		return;
	if (seen < pinned_most)
		doubt = doubt_of_unseen(d, path);
	if (doubt < DOUBT_DEFERRED_NR)
		most = pinned_most + d->retrans;
	if (seen && (path & NIO_PATH_ARRIVALS)) {
		enum deferred_doubt low;

		least = copied_of_arrivals(d, &low);
		if (least < seen && (doubt == DOUBT_DEFERRED_NR || !least))
			doubt = low;
		/* What was queued before watching began may arrive as well. */
		if (seen > sent && whole)
			most = sent;
	}
	stage->bytes = least;
	d->unseen = most - least;
	if (d->unseen && doubt < DOUBT_DEFERRED_NR)
		d->deferred_doubts[doubt]++;
	d->deferred_again = u64__least(u64__minus(least, pinned), d->retrans);
}

/* Taps and timestamps copy pinned pages once more. */
static void bound_pins(struct socket_ledger *d, const struct sock_state *s)
{
	uint64_t copied = socket_ledger__at_most(d, NIO_STAGE_TX_PIN) + d->retrans;

	if (!(s->path & NIO_PATH_ARRIVALS) || !(socket_ledger__pins(d) || d->pins_hidden))
		return;
	d->may_copy[UNSEEN_TAP] = copied;
	d->tapped = (s->path & NIO_PATH_TAP) ? copied : 0;
	d->may_copy[UNSEEN_STAMPS] = s->stamps * copied;
}

void socket_ledger__hide_pins(struct socket_ledger *d, const struct sock_state *s)
{
	d->pins_hidden = d->unwatched;
	if (d->pins_hidden && !socket_ledger__pins(d))
		d->hidden_pins =
			u64__minus(socket_ledger__at_most(d, NIO_STAGE_TX_PIN) + d->retrans,
				   d->stages[NIO_STAGE_DEFERRED_COPY].bytes);
	bound_pins(d, s);
}

void socket_ledger__bound_copies(struct socket_ledger *d, const struct sock_state *s)
{
	uint64_t pinned = d->stages[NIO_STAGE_TX_PIN].bytes, sent = d->socket_tx + d->retrans;
	uint64_t spliced = d->stages[NIO_STAGE_TX_SPLICE].bytes;
	uint64_t *may = d->may_copy;
	uint8_t path = s->path;

	bound_by_arrivals(d, path, s->begun == 2);
	if (socket_ledger__at_most(d, NIO_STAGE_TX_SPLICE))
		spliced += d->retrans;
	if (path & NIO_PATH_NO_GATHER)
		may[UNSEEN_GATHER] = u64__minus(sent, pinned);
	else if (path & NIO_PATH_NO_CHECKSUM)
		may[UNSEEN_CHECKSUM] = spliced;
	if (path & NIO_PATH_ONWARD) {
		may[UNSEEN_ONWARD_CHECKSUM] = spliced;
		may[UNSEEN_ONWARD_GATHER] = sent;
	}
	/* Software segmentation copies into segments, and encryption a packet that is shared. */
	if (path & NIO_PATH_IPSEC)
		may[UNSEEN_IPSEC] = 2 * sent + d->received;
	bound_pins(d, s);
	may[UNSEEN_XDP] = sent + d->received;
	may[UNSEEN_COLLAPSE] = d->readable;
}

uint64_t socket_ledger__may_copy(const struct socket_ledger *ledger, enum unseen_copy copy)
{
	const struct copy_evidence *e = &ledger->evidence;
	uint64_t bytes = ledger->may_copy[copy];

	switch (copy) {
	case UNSEEN_ONWARD_CHECKSUM:
		return u64__least(bytes, e->no_checksum_bytes);
	case UNSEEN_ONWARD_GATHER:
		return u64__least(bytes, e->no_gather_bytes);
	case UNSEEN_TAP:
		return u64__most(bytes * e->tap_devices, ledger->tapped);
	case UNSEEN_XDP:
		return e->xdp ? bytes : 0;
	case UNSEEN_COLLAPSE:
		return e->collapsed ? bytes : 0;
	default:
		return bytes;
	}
}

uint64_t socket_ledger__may_copy_pins(const struct socket_ledger *ledger)
{
	return socket_ledger__may_copy(ledger, UNSEEN_TAP) +
	       socket_ledger__may_copy(ledger, UNSEEN_STAMPS);
}

uint64_t socket_ledger__copied_unseen(const struct socket_ledger *ledger)
{
	uint64_t sum = 0;

	for (enum unseen_copy i = 0; i < UNSEEN_NR; i++)
		sum += socket_ledger__may_copy(ledger, i);
	return sum;
}

static const char *const unseen_reasons[UNSEEN_NR] = {
#define X(id, text) text,
	UNSEEN_COPIES(X)
#undef X
};

const char *socket_ledger__unseen_reason(const struct socket_ledger *ledger, enum nio_stage stage)
{
	for (enum unseen_copy i = 0; i < UNSEEN_NR; i++) {
		bool pins = i == UNSEEN_TAP || i == UNSEEN_STAMPS, reads = i == UNSEEN_COLLAPSE;
		bool splices = i == UNSEEN_CHECKSUM || i == UNSEEN_ONWARD_CHECKSUM;

		if (!socket_ledger__may_copy(ledger, i) ||
		    (stage == NIO_STAGE_TX_SPLICE && (pins || reads)) ||
		    (stage == NIO_STAGE_DEFERRED_COPY && !pins) ||
		    (stage == NIO_STAGE_TX_COPY && (pins || reads || splices)))
			continue;
		return unseen_reasons[i];
	}
	return NULL;
}

const char *socket_ledger__deferred_reason(const struct socket_ledger *ledger)
{
	static const char *const texts[DOUBT_DEFERRED_NR] = {
#define X(id, text) text,
		DEFERRED_DOUBTS(X)
#undef X
	};

	for (enum deferred_doubt i = 0; i < DOUBT_DEFERRED_NR; i++)
		if (ledger->deferred_doubts[i])
			return texts[i];
	return NULL;
}

/* Copies per byte, if as many more copies were made as `more`. */
static struct real copies_with(const struct socket_ledger *ledger, uint64_t more)
{
	uint64_t bytes = socket_ledger__bytes(ledger);

	if (ledger->left_out)
		return real__unknown(SOCKET_LEDGER_LEFT_OUT);
	if (ledger->unmeasured || ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING])
		return real__unknown("copies of bytes that no stage covers are unknown");
	if (!bytes)
		return real__unknown("nothing was sent or received");
	return real__known((double)(socket_ledger__copied_bytes(ledger) + more) / (double)bytes);
}

const char *socket_ledger__copies_reason(const struct socket_ledger *ledger)
{
	const char *why = socket_ledger__unseen_reason(ledger, NIO_STAGE_NR);

	if (!why)
		why = socket_ledger__deferred_reason(ledger);
	if (!why && !ledger->refused_runs &&
	    ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN])
		why = SOCKET_LEDGER_UNKNOWN_CALL;
	return why;
}

struct real socket_ledger__copies_per_byte(const struct socket_ledger *ledger)
{
	const char *why = socket_ledger__copies_reason(ledger);
	struct real copies = copies_with(ledger, 0);

	if (copies.known && !socket_ledger__copied_bytes(ledger) &&
	    socket_ledger__copies_open(ledger))
		return real__unknown(why ? why : SOCKET_LEDGER_NOT_SEEN);
	return copies;
}

/*
 * A byte of an unseen call may be copied in the call. If its socket also pins, a packet with pinned
 * bytes may hold it, and the kernel copies all of that packet later.
 */
struct real socket_ledger__copies_per_byte_at_most(const struct socket_ledger *ledger)
{
	return copies_with(ledger, socket_ledger__copies_open(ledger));
}
