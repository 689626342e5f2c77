/* SPDX-License-Identifier: GPL-2.0-only */
/* Amounts, qualities and bounds for attach's writers; see attach_result.h. Pure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attach_result.h"

/* The probe that feeds a stage. */
static const char *const probes[NIO_STAGE_NR] = {
	[NIO_STAGE_TX_COPY] = "send_return", [NIO_STAGE_TX_PIN] = "send_return",
	[NIO_STAGE_TX_SPLICE] = "message",   [NIO_STAGE_DEFERRED_COPY] = "deferred_copy",
	[NIO_STAGE_RX_COPY] = "rx_copy",     [NIO_STAGE_RX_MAP] = "taken",
	[NIO_STAGE_RX_DISCARD] = "taken",    [NIO_STAGE_RX_SPLICE] = "taken",
};

static const struct plan_row *row_of(const struct attach_result *r, const char *probe)
{
	for (size_t i = 0; probe && i < r->plan_nr; i++)
		if (!strcmp(r->plan[i].probe, probe))
			return &r->plan[i];
	return NULL;
}

static enum quality because(enum quality quality, const char *text, const char **reason)
{
	*reason = text;
	return quality;
}

/* Why the bytes of a stage are a bound where hooks cannot tell calls apart; NULL: they are none. */
static const char *bound_by_calls(const struct attach_result *r, const struct socket_ledger *ledger,
				  enum nio_stage stage)
{
	if (stage == NIO_STAGE_TX_COPY && !r->sees_kinds)
		return "an upper bound: this kernel's hooks cannot distinguish sendfile and "
		       "splice, which copy nothing, from sends that copy";
	if (stage >= NIO_STAGE_RX_COPY && stage <= NIO_STAGE_RX_SPLICE &&
	    !ledger->divided[NIO_SIDE_RECEIVER] &&
	    ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN])
		return "a lower bound: " SOCKET_LEDGER_UNKNOWN_CALL;
	return NULL;
}

bool attach_result__hides_pins(const struct socket_ledger *ledger)
{
	return ledger->pins_hidden && !socket_ledger__pins(ledger);
}

#define REFUSED_PEEKS                                                                       \
	"the kernel refused some runs of netiotrace's programs (health.missed); copies by " \
	"MSG_PEEK in them would be in no counter, so there is no upper bound"

#define HIDDEN_PEEKS                                                                         \
	"not every copy of some connections was seen: the bytes that they read, which are "  \
	"exact, are divided as the copies that were seen; copies by MSG_PEEK that were not " \
	"seen are in no counter, so there is no upper bound (--count-calls watches them all)"

/* Why copies by MSG_PEEK may be in no counter; NULL: they are in rx_copy. */
static const char *hidden_peeks(const struct socket_ledger *ledger)
{
	if (!ledger->readable)
		return NULL;
	return ledger->unwatched ? HIDDEN_PEEKS : ledger->refused_runs ? REFUSED_PEEKS : NULL;
}

static bool hides_stage(const struct socket_ledger *ledger, enum nio_stage stage)
{
	return (stage == NIO_STAGE_TX_PIN || stage == NIO_STAGE_DEFERRED_COPY) &&
	       !ledger->stages[stage].bytes && attach_result__hides_pins(ledger);
}

/* Did another layer than TCP move bytes of the side, or may it have? Its stages are minima. */
static bool of_layers(const struct socket_ledger *ledger, enum nio_side side)
{
	return socket_ledger__of_layers(ledger, side) || socket_ledger__is_least(ledger, side);
}

static enum quality quality_of(const struct attach_result *r, const struct socket_ledger *ledger,
			       enum nio_stage stage, const char **reason)
{
	const struct plan_row *row = row_of(r, probes[stage]);
	bool sends = stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_PIN ||
		     stage == NIO_STAGE_TX_SPLICE;
	bool deferred = stage == NIO_STAGE_DEFERRED_COPY;
	const char *bound = bound_by_calls(r, ledger, stage);

	if (stage == NIO_STAGE_USER_GATHER)
		return because(QUALITY_UNAVAILABLE,
			       "user space is not watched: netiotrace follow finds the copies "
			       "that a program makes of what it receives and sends",
			       reason);
	if (!row)
		return because(QUALITY_UNAVAILABLE, "no hook of attach sees it", reason);
	if (ledger->left_out)
		return because(QUALITY_UNAVAILABLE, SOCKET_LEDGER_LEFT_OUT, reason);
	if (deferred && ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_IO_URING])
		return because(QUALITY_UNAVAILABLE,
			       "pages that io_uring sends (SEND_ZC) may be copied later, and this "
			       "kernel's hooks do not show which connection they belong to",
			       reason);
	if (hides_stage(ledger, stage))
		return because(QUALITY_SAMPLED, ATTACH_RINGS, reason);
	if (bound && row->quality != QUALITY_UNAVAILABLE)
		return because(QUALITY_DERIVED, bound, reason);
	if (!deferred &&
	    socket_ledger__unclassified(ledger, sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER))
		return because(QUALITY_DERIVED,
			       "a lower bound: the calls of some bytes were not seen (uncovered)",
			       reason);
	if (!deferred && stage != NIO_STAGE_TX_PIN && of_layers(ledger, stage__side(stage)))
		return because(QUALITY_DERIVED, "a lower bound: " SOCKET_LEDGER_OF_LAYERS, reason);
	if (!deferred && ledger->layer_open[sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER])
		return because(QUALITY_DERIVED,
			       "a lower bound: another layer than TCP served some sockets part of "
			       "the time, and not every call was seen",
			       reason);
	if (stage == NIO_STAGE_RX_COPY && hidden_peeks(ledger))
		return because(QUALITY_SAMPLED, hidden_peeks(ledger), reason);
	if (!deferred && ledger->divided[sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER])
		return because(
			QUALITY_SAMPLED,
			"not every call of some connections was seen: their bytes, which are "
			"exact, are divided by the calls that were seen",
			reason);
	if (deferred && ledger->under_xdp)
		return because(QUALITY_DERIVED,
			       "a lower bound: native XDP on a veth device of this machine copies "
			       "zero-copy packets before they arrive, and the kernel reports their "
			       "sends as not copied",
			       reason);
	if (deferred && socket_ledger__hides_requests(ledger) &&
	    socket_ledger__arrivals_missed(ledger))
		return because(QUALITY_DERIVED,
			       "a lower bound: no program saw some packets of io_uring arrive, or "
			       "requests were not seen, have not ended, or have no report of "
			       "copies (IORING_SEND_ZC_REPORT_USAGE)",
			       reason);
	if ((deferred || stage == NIO_STAGE_TX_SPLICE) &&
	    socket_ledger__unseen_reason(ledger, stage))
		return because(QUALITY_DERIVED, socket_ledger__unseen_reason(ledger, stage),
			       reason);
	if (deferred && socket_ledger__deferred_reason(ledger))
		return because(QUALITY_DERIVED, socket_ledger__deferred_reason(ledger), reason);
	return because(row->quality, row->reason, reason);
}

static enum quality tls_quality(const struct socket_ledger *ledger, const char **reason)
{
	struct num bytes = socket_ledger__tls_copy(ledger);

	if (!bytes.known)
		return because(QUALITY_UNAVAILABLE, bytes.reason, reason);
	if (ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] ||
	    ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS])
		return because(QUALITY_DERIVED,
			       "a lower bound: not all records of kTLS were counted (uncovered)",
			       reason);
	if (ledger->tls[NIO_SIDE_SENDER].open || ledger->tls[NIO_SIDE_RECEIVER].open)
		return because(QUALITY_DERIVED,
			       "an upper bound: bytes that a connection moved before kTLS had its "
			       "key are included if their calls were not seen; --count-calls "
			       "watches them all",
			       reason);
	return because(QUALITY_EXACT, NULL, reason);
}

struct sampled_share attach_result__sent_share(const struct attach_result *r,
					       enum nio_send_call kind)
{
	/* Without pauses in watching, shares are of the bytes seen. */
	return sampled_share__of(&r->events.seen.calls, 1U << kind, SEEN_CALLS,
				 r->events.sampled ? (double)r->table.total.socket_tx : 0);
}

/* The windows are a sample of the bytes of a row: they narrow its ranges. */
static void narrow(struct amount *a, uint64_t bytes, const struct sampled_share *share)
{
	uint64_t low = (uint64_t)(share->low * (double)bytes);
	uint64_t high = (uint64_t)(share->high * (double)bytes) + 1;

	if (!share->known)
		return;
	low = low < a->value ? low : a->value;
	high = high > a->value ? high : a->value;
	a->least = low > a->least ? low : a->least;
	a->most = high < a->most ? high : a->most;
}

static void set_range(struct amount *a, const struct attach_result *r,
		      const struct socket_ledger *ledger, enum nio_stage stage)
{
	static const uint32_t ways[NIO_STAGE_NR] = {
		[NIO_STAGE_TX_COPY] = 1U << NIO_MOVED_COPIED,
		[NIO_STAGE_TX_PIN] = 1U << NIO_MOVED_PINNED,
		[NIO_STAGE_TX_SPLICE] = 1U << NIO_MOVED_SPLICED,
		[NIO_STAGE_RX_COPY] = 1U << NIO_MOVED_READ,
		[NIO_STAGE_RX_MAP] = 1U << NIO_MOVED_MAPPED,
		[NIO_STAGE_RX_DISCARD] = 1U << NIO_MOVED_DISCARDED,
		[NIO_STAGE_RX_SPLICE] = 1U << NIO_MOVED_READ_SPLICED,
	};
	enum nio_side side = stage__side(stage);
	uint64_t bytes = side == NIO_SIDE_SENDER ? ledger->socket_tx : ledger->socket_rx;
	struct sampled_share share;
	uint32_t mask = ways[stage];

	a->least = u64__minus(a->value, ledger->stage_margin[stage].below);
	a->most = socket_ledger__at_most(ledger, stage);
	/* See bound_by_calls(). */
	if (stage == NIO_STAGE_TX_COPY && !r->sees_kinds)
		a->least = 0;
	if (!mask || !ledger->divided[side] || !ledger->seen)
		return;
	/* Requests of io_uring whose messages are seen pin pages. */
	if (stage == NIO_STAGE_TX_PIN && r->sees_kinds)
		mask |= 1U << NIO_MOVED_FOREIGN;
	share = side == NIO_SIDE_SENDER
			? sampled_share__of(&ledger->seen->ways, mask, SEEN_WAYS, (double)bytes)
			: sampled_share__of(&ledger->seen->reads, mask, SEEN_READS, (double)bytes);
	/* What unknown calls took may have been moved in any of these ways. */
	if (side == NIO_SIDE_RECEIVER)
		share.high =
			sampled_share__of(&ledger->seen->reads, mask | 1U << NIO_MOVED_UNCOPIED,
					  SEEN_READS, (double)bytes)
				.high;
	narrow(a, bytes, &share);
}

/*
 * Pinned bytes are copied later once, again with each retransmission, and by taps and timestamps.
 * The windows narrow what was pinned. What was seen may share packets with pinned bytes.
 */
static uint64_t deferred_most(const struct attach_result *r, const struct socket_ledger *ledger)
{
	uint64_t seen = ledger->stages[NIO_STAGE_DEFERRED_COPY].bytes;

	return seen + attach_result__stage(r, ledger, NIO_STAGE_TX_PIN).most + ledger->retrans +
	       socket_ledger__may_copy_pins(ledger);
}

/* known: of the interval; seen: of the figure. */
static unsigned int doubt_of(bool known, bool seen)
{
	return (!known || !seen ? DOUBT_UNKNOWN : 0) | (known ? 0 : DOUBT_UNBOUNDED);
}

struct amount attach_result__stage(const struct attach_result *r,
				   const struct socket_ledger *ledger, enum nio_stage stage)
{
	struct amount a = {.value = ledger->stages[stage].bytes,
			   .events = ledger->stages[stage].events};

	set_range(&a, r, ledger, stage);
	if (stage == NIO_STAGE_DEFERRED_COPY)
		a.most = u64__least(a.most, deferred_most(r, ledger));
	a.quality = quality_of(r, ledger, stage, &a.reason);
	a.doubt = doubt_of(a.quality != QUALITY_UNAVAILABLE || !a.reason,
			   socket_ledger__stage_bytes(ledger, stage).known);
	if ((stage == NIO_STAGE_RX_COPY && hidden_peeks(ledger)) ||
	    (stage != NIO_STAGE_DEFERRED_COPY && stage != NIO_STAGE_TX_PIN &&
	     socket_ledger__is_least(ledger, stage__side(stage))))
		a.doubt |= DOUBT_OPEN;
	return a;
}

struct amount attach_result__tls_copy(const struct socket_ledger *ledger)
{
	const struct tls_ledger *tx = &ledger->tls[NIO_SIDE_SENDER],
				*rx = &ledger->tls[NIO_SIDE_RECEIVER];
	uint64_t bytes = tx->copied + rx->copied;
	struct amount a = {
		.value = bytes,
		.events = tx->records + rx->records,
		.least = bytes - tx->open - rx->open,
		.most = bytes + ledger->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] +
			ledger->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS],
		.doubt = doubt_of(!ledger->left_out, socket_ledger__tls_copy(ledger).known),
	};

	a.quality = tls_quality(ledger, &a.reason);
	return a;
}

struct amount attach_result__calls(const struct socket_ledger *ledger, enum nio_send_call kind)
{
	struct amount a = {.value = ledger->calls[kind].bytes,
			   .events = ledger->calls[kind].events};
	struct sampled_share share;

	a.doubt = socket_ledger__call_bytes(ledger, kind).known ? 0 : DOUBT_UNKNOWN;
	if (kind == NIO_CALL_SPLICE && a.events)
		a.doubt |= DOUBT_PIECES;
	a.least = u64__minus(a.value, ledger->call_margin[kind].below);
	a.most = a.value + ledger->call_margin[kind].above +
		 socket_ledger__unclassified(ledger, NIO_SIDE_SENDER);
	if (!ledger->divided[NIO_SIDE_SENDER] || !ledger->seen)
		return a;
	share = sampled_share__of(&ledger->seen->calls, 1U << kind, SEEN_CALLS,
				  (double)ledger->socket_tx);
	narrow(&a, ledger->socket_tx, &share);
	return a;
}

/* count * bytes / of. */
static uint64_t in_proportion(uint64_t count, uint64_t bytes, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)count * bytes / of) : 0;
}

struct amount attach_result__call_count(const struct socket_ledger *ledger, enum nio_send_call kind)
{
	struct amount bytes = attach_result__calls(ledger, kind);
	uint64_t count = bytes.events, few = count, many = count;

	/*
	 * Calls were scaled as their bytes. Where the windows stand for other bytes than the
	 * sockets counted, large calls were missed or counted too often, and the small ones need no
	 * scaling.
	 */
	if (ledger->divided[NIO_SIDE_SENDER]) {
		uint64_t unscaled = in_proportion(count, ledger->tx_sizes_sum, ledger->socket_tx);

		few = unscaled < few ? unscaled : few;
		many = unscaled > many ? unscaled : many;
	}
	return (struct amount){
		.value = count,
		.least = bytes.doubt & DOUBT_PIECES ? bytes.least != 0
						    : in_proportion(few, bytes.least, bytes.value),
		/* A call that was not seen may have sent one byte. */
		.most = many + u64__minus(bytes.most, bytes.least),
	};
}

/* Copies per byte, if `copied` bytes were copied. */
static struct real copies_of(const struct socket_ledger *ledger, uint64_t copied)
{
	struct real copies = socket_ledger__copies_per_byte_at_most(ledger);

	if (copies.known)
		copies.value = (double)copied / (double)socket_ledger__bytes(ledger);
	return copies;
}

struct real attach_result__copies_at_least(const struct attach_result *r,
					   const struct socket_ledger *ledger)
{
	return copies_of(ledger,
			 attach_result__stage(r, ledger, NIO_STAGE_TX_COPY).least +
				 attach_result__stage(r, ledger, NIO_STAGE_DEFERRED_COPY).least +
				 attach_result__stage(r, ledger, NIO_STAGE_RX_COPY).least +
				 attach_result__tls_copy(ledger).least);
}

/* Without peeks that no window showed. The windows narrow what the ledger of sockets leaves open.
 */
static struct real copies_most(const struct attach_result *r, const struct socket_ledger *ledger)
{
	static const enum nio_stage copies[] = {NIO_STAGE_TX_COPY, NIO_STAGE_RX_COPY};
	uint64_t most = socket_ledger__copied_bytes(ledger) + socket_ledger__copies_open(ledger);

	for (int i = 0; i < 2; i++)
		most -= socket_ledger__at_most(ledger, copies[i]) -
			attach_result__stage(r, ledger, copies[i]).most;
	return copies_of(ledger, most);
}

struct real attach_result__copies_at_most(const struct attach_result *r,
					  const struct socket_ledger *ledger)
{
	struct real most = copies_most(r, ledger);

	if (most.known && hidden_peeks(ledger))
		return real__unknown(hidden_peeks(ledger));
	if (most.known)
		most.reason = socket_ledger__copies_reason(ledger);
	return most;
}

static bool unbalanced(const struct socket_ledger *ledger, enum nio_side side)
{
	struct real bytes = socket_ledger__unaccounted(ledger, side);

	return bytes.known && bytes.value != 0;
}

bool attach_result__unbalanced(const struct attach_result *r)
{
	const struct socket_ledger *ledger = &r->table.total;

	return unbalanced(ledger, NIO_SIDE_SENDER) || unbalanced(ledger, NIO_SIDE_RECEIVER);
}

static enum nio_stage stage_of(enum row_value v)
{
	static const enum nio_stage stages[VALUE_NR] = {
		[VALUE_COPIED] = NIO_STAGE_TX_COPY,    [VALUE_PINNED] = NIO_STAGE_TX_PIN,
		[VALUE_SPLICED] = NIO_STAGE_TX_SPLICE, [VALUE_DEFERRED] = NIO_STAGE_DEFERRED_COPY,
		[VALUE_RX_COPIED] = NIO_STAGE_RX_COPY,
	};

	return stages[v];
}

/* Below this part of all bytes, those whose kind is unknown change no digit that is shown. */
#define OPEN_PART 1000

static bool is_open(const struct socket_ledger *ledger, enum nio_side side)
{
	const __u64 *uncovered = ledger->uncovered[side];

	return ledger->layer_open[side] ||
	       uncovered[NIO_UNCOVERED_MISSED] + uncovered[NIO_UNCOVERED_UNSEEN] >
		       socket_ledger__booked(ledger, side) / OPEN_PART;
}

/*
 * An interval that is too wide for a figure: of windows, where the row has all bytes, else of what
 * was seen of its sockets.
 */
static bool is_wide(const struct socket_ledger *ledger, enum nio_side side, const struct amount *a)
{
	uint64_t bytes = side == NIO_SIDE_SENDER ? ledger->socket_tx : ledger->socket_rx;

	return bytes && a->most > a->least &&
	       (double)(a->most - a->least) >= SAMPLED_WIDE * (double)bytes;
}

uint64_t row_value__of(enum row_value v, const struct socket_ledger *ledger)
{
	if (v == VALUE_SENT)
		return socket_ledger__payload(ledger, NIO_SIDE_SENDER);
	if (v == VALUE_RECEIVED)
		return socket_ledger__payload(ledger, NIO_SIDE_RECEIVER);
	return ledger->stages[stage_of(v)].bytes;
}

/* A stage that calls move bytes of, not all of which were seen. */
static void doubt_divided(struct amount *a, enum nio_stage stage, const struct attach_result *r,
			  const struct socket_ledger *ledger)
{
	struct amount s = attach_result__stage(r, ledger, stage);

	a->doubt |= DOUBT_ESTIMATE;
	if (amount__is_known(a) && is_wide(ledger, stage__side(stage), &s))
		a->doubt |= DOUBT_WIDE | DOUBT_LEAST;
	if (!(a->doubt & DOUBT_LEAST))
		return;
	a->value = s.least;
	a->doubt |= s.least ? 0 : DOUBT_UNKNOWN;
}

struct amount row_value__amount(enum row_value v, const struct attach_result *r,
				const struct socket_ledger *ledger)
{
	enum nio_side side = v >= VALUE_RECEIVED ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	bool all = v == VALUE_SENT || v == VALUE_RECEIVED, deferred = v == VALUE_DEFERRED;
	bool least = all        ? socket_ledger__is_least(ledger, side)
		     : deferred ? socket_ledger__arrivals_missed(ledger)
				: is_open(ledger, side) ||
					  (v != VALUE_PINNED && of_layers(ledger, side));
	struct amount a = {.value = row_value__of(v, ledger), .doubt = least ? DOUBT_LEAST : 0};

	if (all) {
		/* Of MPTCP, copies to the application: peeks count again, other bytes do not. */
		if (v == VALUE_RECEIVED && ledger->mptcp)
			a.doubt = DOUBT_ESTIMATE;
		if (a.doubt && !a.value)
			a.doubt |= DOUBT_UNKNOWN;
		return a;
	}
	if (!socket_ledger__stage_bytes(ledger, stage_of(v)).known)
		a.doubt |= DOUBT_UNKNOWN;
	if (!deferred && ledger->divided[side])
		doubt_divided(&a, stage_of(v), r, ledger);
	return a;
}

/* Above this part of the bytes a bound says nothing. */
#define BOUND_USEFUL 0.9

bool row_value__bound(enum row_value v, const struct attach_result *r,
		      const struct socket_ledger *ledger, char buf[UNITS_BUF])
{
	enum nio_side side = v >= VALUE_RECEIVED ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	struct amount a;
	char text[UNITS_BUF];

	if (v == VALUE_SENT || v == VALUE_RECEIVED)
		return false;
	a = attach_result__stage(r, ledger, stage_of(v));
	if (a.doubt & (DOUBT_UNBOUNDED | DOUBT_OPEN) ||
	    (double)a.most > BOUND_USEFUL * (double)socket_ledger__payload(ledger, side))
		return false;
	/* "<" is strict. */
	format_bytes_most(text, sizeof(text), (double)a.most + 1);
	snprintf(buf, UNITS_BUF, "<%.*s", UNITS_BUF - 2, text);
	return true;
}

char *copies_per_byte__text(char buf[UNITS_BUF], const struct attach_result *r,
			    const struct socket_ledger *ledger)
{
	bool wide = row_value__amount(VALUE_COPIED, r, ledger).doubt & DOUBT_WIDE ||
		    row_value__amount(VALUE_RX_COPIED, r, ledger).doubt & DOUBT_WIDE;
	bool estimate = ledger->divided[NIO_SIDE_SENDER] || ledger->divided[NIO_SIDE_RECEIVER] ||
			hidden_peeks(ledger);
	bool doubts = ledger->unseen || ledger->pinned_open ||
		      socket_ledger__unseen_reason(ledger, NIO_STAGE_NR) ||
		      is_open(ledger, NIO_SIDE_SENDER) || is_open(ledger, NIO_SIDE_RECEIVER) ||
		      of_layers(ledger, NIO_SIDE_SENDER) || of_layers(ledger, NIO_SIDE_RECEIVER);
	struct real copies = socket_ledger__copies_per_byte(ledger);
	double most = copies_most(r, ledger).value;
	bool least = wide || (most > copies.value + 1.0 / OPEN_PART && (doubts || !estimate));

	if (least)
		copies.value = attach_result__copies_at_least(r, ledger).value;
	/* ">=0.00" says nothing. */
	if (!copies.known || (least && copies.value < 0.01)) {
		struct real bound = attach_result__copies_at_most(r, ledger);

		if (bound.known && bound.value < BOUND_USEFUL)
			snprintf(buf, UNITS_BUF, "<%.2f", round_least(bound.value, 2) + 0.01);
		else
			strcpy(buf, "n/a");
	} else
		snprintf(buf, UNITS_BUF, "%s%.2f",
			 least      ? ">="
			 : estimate ? "~"
				    : "",
			 least ? round_least(copies.value, 2) : copies.value);
	return buf;
}

bool attach_result__sees_returns(const struct attach_result *r)
{
	const struct plan_row *row = row_of(r, "send_return");

	return row && row->backend && strcmp(row->backend, "kprobe") != 0;
}

const char *amount__mark(const struct amount *a)
{
	return a->doubt & DOUBT_LEAST ? ">=" : a->doubt & DOUBT_ESTIMATE ? "~" : "";
}

char *amount__format(char buf[UNITS_BUF], const struct amount *a, double bytes)
{
	return a->doubt & DOUBT_LEAST ? format_bytes_least(buf, UNITS_BUF, bytes)
				      : format_bytes_si(buf, UNITS_BUF, bytes);
}

char *amount__bytes(char buf[UNITS_BUF], const struct amount *a)
{
	char bytes[UNITS_BUF];

	if (a->doubt & DOUBT_UNKNOWN)
		return strcpy(buf, "unknown");
	snprintf(buf, UNITS_BUF, "%s%.*s", a->value ? amount__mark(a) : "", UNITS_BUF - 3,
		 amount__format(bytes, a, (double)a->value));
	return buf;
}
