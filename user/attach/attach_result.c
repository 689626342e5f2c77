/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows, qualities and names for attach's writers; see attach_result.h. Pure. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attach_result.h"
#include "base/address.h"
#include "base/printable.h"

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
static const char *bound_by_calls(const struct attach_result *r, const struct socket_ledger *b,
				  enum nio_stage stage)
{
	if (stage == NIO_STAGE_TX_COPY && !r->sees_kinds)
		return "an upper bound: this kernel's hooks cannot distinguish sendfile and "
		       "splice, which copy nothing, from sends that copy";
	if (stage >= NIO_STAGE_RX_MAP && stage <= NIO_STAGE_RX_SPLICE &&
	    !b->divided[NIO_SIDE_RECEIVER] && b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_UNSEEN])
		return "a lower bound: " SOCKET_LEDGER_UNKNOWN_CALL;
	return NULL;
}

bool attach_result__hides_pins(const struct socket_ledger *b)
{
	return b->pins_hidden && !socket_ledger__pins(b);
}

static bool hides_stage(const struct socket_ledger *b, enum nio_stage stage)
{
	return (stage == NIO_STAGE_TX_PIN || stage == NIO_STAGE_DEFERRED_COPY) &&
	       !b->stages[stage].bytes && attach_result__hides_pins(b);
}

static enum quality quality_of(const struct attach_result *r, const struct socket_ledger *b,
			       enum nio_stage stage, const char **reason)
{
	const struct plan_row *row = row_of(r, probes[stage]);
	bool sends = stage == NIO_STAGE_TX_COPY || stage == NIO_STAGE_TX_PIN ||
		     stage == NIO_STAGE_TX_SPLICE;
	bool deferred = stage == NIO_STAGE_DEFERRED_COPY;
	const char *bound = bound_by_calls(r, b, stage);

	if (stage == NIO_STAGE_USER_GATHER)
		return because(QUALITY_UNAVAILABLE,
			       "user space is not watched: netiotrace follow finds the copies "
			       "that a program makes of what it receives and sends",
			       reason);
	if (!row)
		return because(QUALITY_UNAVAILABLE, "no hook of attach sees it", reason);
	if (b->left_out)
		return because(QUALITY_UNAVAILABLE, SOCKET_LEDGER_LEFT_OUT, reason);
	if (deferred && b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_FOREIGN])
		return because(QUALITY_UNAVAILABLE,
			       "pages that io_uring sends (SEND_ZC) may be copied later, and this "
			       "kernel's hooks do not show which connection they belong to",
			       reason);
	if (hides_stage(b, stage))
		return because(QUALITY_SAMPLED, ATTACH_RINGS, reason);
	if (bound && row->quality != QUALITY_UNAVAILABLE)
		return because(QUALITY_DERIVED, bound, reason);
	if (!deferred &&
	    socket_ledger__unclassified(b, sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER))
		return because(QUALITY_DERIVED,
			       "a lower bound: the calls of some bytes were not seen (uncovered)",
			       reason);
	if (!deferred && b->layer_open[sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER])
		return because(QUALITY_DERIVED,
			       "a lower bound: another layer than TCP served some sockets part of "
			       "the time, and not every call was seen",
			       reason);
	if (!deferred && b->divided[sends ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER])
		return because(
			QUALITY_SAMPLED,
			"not every call of some connections was seen: their bytes, which are "
			"exact, are divided by the calls that were seen",
			reason);
	if (deferred && b->under_xdp)
		return because(QUALITY_DERIVED,
			       "a lower bound: native XDP on a veth device of this machine copies "
			       "zero-copy packets before they arrive, and the kernel reports their "
			       "sends as not copied",
			       reason);
	if (deferred && socket_ledger__hides_requests(b) && socket_ledger__arrivals_missed(b))
		return because(QUALITY_DERIVED,
			       "a lower bound: no program saw some packets of io_uring arrive, or "
			       "requests were not seen, have not ended, or have no report of "
			       "copies (IORING_SEND_ZC_REPORT_USAGE)",
			       reason);
	if (deferred && row->quality == QUALITY_DERIVED && socket_ledger__arrivals_missed(b))
		return because(QUALITY_DERIVED,
			       "a lower bound: the kernel reports every send of a connection as "
			       "copied, yet fewer bytes were seen to arrive than it pinned: they "
			       "were copied on the way out, or in events that no program saw",
			       reason);
	return because(row->quality, row->reason, reason);
}

static enum quality tls_quality(const struct socket_ledger *b, const char **reason)
{
	struct num bytes = socket_ledger__tls_copy(b);

	if (!bytes.known)
		return because(QUALITY_UNAVAILABLE, bytes.reason, reason);
	if (b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] ||
	    b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS])
		return because(QUALITY_DERIVED,
			       "a lower bound: not all records of kTLS were counted (uncovered)",
			       reason);
	if (b->tls[NIO_SIDE_SENDER].open || b->tls[NIO_SIDE_RECEIVER].open)
		return because(QUALITY_DERIVED,
			       "an upper bound: bytes that a connection moved before kTLS had its "
			       "key are included if their calls were not seen; --count-calls "
			       "watches them all",
			       reason);
	return because(QUALITY_EXACT, NULL, reason);
}

#define ALL_CALLS ((1U << NIO_CALL_NR) - 1)
#define ALL_WAYS                                                                     \
	(1U << NIO_MOVED_COPIED | 1U << NIO_MOVED_PINNED | 1U << NIO_MOVED_SPLICED | \
	 1U << NIO_MOVED_FOREIGN)

/* Without pauses in watching, shares are of the bytes seen. */
static double bytes_of(const struct attach_result *r, enum nio_side side)
{
	const struct socket_ledger *b = &r->table.total;

	if (!r->events.sampled)
		return 0;
	return (double)(side == NIO_SIDE_SENDER ? b->socket_tx : b->socket_rx);
}

struct sampled_share attach_result__sent_share(const struct attach_result *r,
					       enum nio_send_call kind)
{
	return sampled_share__of(&r->events.calls, 1U << kind, ALL_CALLS,
				 bytes_of(r, NIO_SIDE_SENDER));
}

/*
 * The windows are a sample of the bytes of all sockets: they narrow the range of a row that has
 * all of these bytes.
 */
static void narrow(struct amount *a, const struct attach_result *r, uint64_t bytes,
		   enum nio_side side, const struct sampled_share *share)
{
	uint64_t low = (uint64_t)(share->low * (double)bytes);
	uint64_t high = (uint64_t)(share->high * (double)bytes) + 1;

	if (!r->events.sampled || !share->known || (double)bytes != bytes_of(r, side))
		return;
	low = low < a->value ? low : a->value;
	high = high > a->value ? high : a->value;
	a->least = low > a->least ? low : a->least;
	a->most = high < a->most ? high : a->most;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static void set_range(struct amount *a, const struct attach_result *r,
		      const struct socket_ledger *b, enum nio_stage stage)
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
	struct sampled_share share;
	uint32_t mask = ways[stage];

	a->least = less(a->value, b->stage_margin[stage].below);
	a->most = socket_ledger__at_most(b, stage);
	if (!mask || !b->divided[side])
		return;
	/* Requests of io_uring whose messages are seen pin pages. */
	if (stage == NIO_STAGE_TX_PIN && r->sees_kinds)
		mask |= 1U << NIO_MOVED_FOREIGN;
	share = side == NIO_SIDE_SENDER
			? sampled_share__of(&r->events.ways, mask, ALL_WAYS, bytes_of(r, side))
			: sampled_share__of(&r->events.reads, mask, NIO_MOVED_READS,
					    bytes_of(r, side));
	narrow(a, r, side == NIO_SIDE_SENDER ? b->socket_tx : b->socket_rx, side, &share);
}

/* known: of the interval; seen: of the figure. */
static unsigned int doubt_of(bool known, bool seen)
{
	return (!known || !seen ? DOUBT_UNKNOWN : 0) | (known ? 0 : DOUBT_UNBOUNDED);
}

struct amount attach_result__stage(const struct attach_result *r, const struct socket_ledger *b,
				   enum nio_stage stage)
{
	struct amount a = {.value = b->stages[stage].bytes, .events = b->stages[stage].events};

	set_range(&a, r, b, stage);
	a.quality = quality_of(r, b, stage, &a.reason);
	a.doubt = doubt_of(a.quality != QUALITY_UNAVAILABLE || !a.reason,
			   socket_ledger__stage_bytes(b, stage).known);
	return a;
}

struct amount attach_result__tls_copy(const struct socket_ledger *b)
{
	const struct tls_ledger *tx = &b->tls[NIO_SIDE_SENDER], *rx = &b->tls[NIO_SIDE_RECEIVER];
	uint64_t bytes = tx->copied + rx->copied;
	struct amount a = {
		.value = bytes,
		.events = tx->records + rx->records,
		.least = bytes - tx->open - rx->open,
		.most = bytes + b->uncovered[NIO_SIDE_SENDER][NIO_UNCOVERED_KTLS] +
			b->uncovered[NIO_SIDE_RECEIVER][NIO_UNCOVERED_KTLS],
		.doubt = doubt_of(!b->left_out, socket_ledger__tls_copy(b).known),
	};

	a.quality = tls_quality(b, &a.reason);
	return a;
}

struct amount attach_result__calls(const struct attach_result *r, const struct socket_ledger *b,
				   enum nio_send_call kind)
{
	struct amount a = {.value = b->calls[kind].bytes, .events = b->calls[kind].events};
	struct sampled_share share = attach_result__sent_share(r, kind);

	a.doubt = socket_ledger__call_bytes(b, kind).known ? 0 : DOUBT_UNKNOWN;
	if (kind == NIO_CALL_SPLICE && a.events)
		a.doubt |= DOUBT_PIECES;
	a.least = less(a.value, b->call_margin[kind].below);
	a.most = a.value + b->call_margin[kind].above +
		 socket_ledger__unclassified(b, NIO_SIDE_SENDER);
	if (!b->divided[NIO_SIDE_SENDER])
		return a;
	narrow(&a, r, b->socket_tx, NIO_SIDE_SENDER, &share);
	return a;
}

/* count * bytes / of. */
static uint64_t in_proportion(uint64_t count, uint64_t bytes, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)count * bytes / of) : 0;
}

struct amount attach_result__call_count(const struct attach_result *r,
					const struct socket_ledger *b, enum nio_send_call kind)
{
	struct amount bytes = attach_result__calls(r, b, kind);
	uint64_t count = bytes.events, few = count, many = count;

	/*
	 * Calls were scaled as their bytes. Where the windows stand for other bytes than the
	 * sockets counted, large calls were missed or counted too often, and the small ones need no
	 * scaling.
	 */
	if (b->divided[NIO_SIDE_SENDER]) {
		uint64_t unscaled = in_proportion(count, b->tx_sizes_sum, b->socket_tx);

		few = unscaled < few ? unscaled : few;
		many = unscaled > many ? unscaled : many;
	}
	return (struct amount){
		.value = count,
		.least = bytes.doubt & DOUBT_PIECES ? bytes.least != 0
						    : in_proportion(few, bytes.least, bytes.value),
		/* A call that was not seen may have sent one byte. */
		.most = many + less(bytes.most, bytes.least),
	};
}

/* Copies per byte, if `copied` bytes were copied. */
static struct real copies_of(const struct socket_ledger *b, uint64_t copied)
{
	struct real copies = socket_ledger__copies_per_byte_at_most(b);

	if (copies.known)
		copies.value = (double)copied / (double)socket_ledger__bytes(b);
	return copies;
}

struct real attach_result__copies_at_least(const struct attach_result *r,
					   const struct socket_ledger *b)
{
	return copies_of(b, attach_result__stage(r, b, NIO_STAGE_TX_COPY).least +
				    attach_result__stage(r, b, NIO_STAGE_DEFERRED_COPY).least +
				    attach_result__stage(r, b, NIO_STAGE_RX_COPY).least +
				    attach_result__tls_copy(b).least);
}

/* The windows narrow what the ledger of the sockets leaves open. */
struct real attach_result__copies_at_most(const struct attach_result *r,
					  const struct socket_ledger *b)
{
	static const enum nio_stage copies[] = {NIO_STAGE_TX_COPY, NIO_STAGE_RX_COPY};
	uint64_t most = socket_ledger__copied_bytes(b) + socket_ledger__copies_open(b);

	for (int i = 0; i < 2; i++)
		most -= socket_ledger__at_most(b, copies[i]) -
			attach_result__stage(r, b, copies[i]).most;
	return copies_of(b, most);
}

static bool unbalanced(const struct socket_ledger *b, enum nio_side side)
{
	struct real bytes = socket_ledger__unaccounted(b, side);

	return bytes.known && bytes.value != 0;
}

bool attach_result__unbalanced(const struct attach_result *r)
{
	const struct socket_ledger *b = &r->table.total;

	return unbalanced(b, NIO_SIDE_SENDER) || unbalanced(b, NIO_SIDE_RECEIVER);
}

const char *row_value__head(enum row_value v)
{
	static const char *const heads[VALUE_NR] = {"sent",     "copied",   "pinned",   "spliced",
						    "deferred", "received", "rx copied"};

	return heads[v];
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

static bool is_open(const struct socket_ledger *b, enum nio_side side)
{
	return b->layer_open[side] ||
	       socket_ledger__unclassified(b, side) > socket_ledger__booked(b, side) / OPEN_PART;
}

struct amount row_value__amount(enum row_value v, const struct socket_ledger *b)
{
	enum nio_side side = v >= VALUE_RECEIVED ? NIO_SIDE_RECEIVER : NIO_SIDE_SENDER;
	bool all = v == VALUE_SENT || v == VALUE_RECEIVED, deferred = v == VALUE_DEFERRED;
	bool least = all        ? socket_ledger__is_least(b, side)
		     : deferred ? socket_ledger__arrivals_missed(b)
				: is_open(b, side);

	return (struct amount){
		.value = all ? socket_ledger__payload(b, side) : b->stages[stage_of(v)].bytes,
		.doubt = (least ? DOUBT_LEAST : 0) |
			 (!all && !deferred && b->divided[side] ? DOUBT_ESTIMATE : 0) |
			 (!all && !socket_ledger__stage_bytes(b, stage_of(v)).known ? DOUBT_UNKNOWN
										    : 0),
	};
}

char *copies_per_byte__text(char buf[UNITS_BUF], const struct socket_ledger *b)
{
	struct real copies = socket_ledger__copies_per_byte(b);
	struct real at_most = socket_ledger__copies_per_byte_at_most(b);
	bool estimate = b->divided[NIO_SIDE_SENDER] || b->divided[NIO_SIDE_RECEIVER];
	bool least = b->unseen || b->pinned_open ||
		     socket_ledger__unclassified(b, NIO_SIDE_SENDER) ||
		     socket_ledger__unclassified(b, NIO_SIDE_RECEIVER);
	bool bounded = at_most.value <= copies.value + 1.0 / OPEN_PART;

	if (copies.known)
		snprintf(buf, UNITS_BUF, "%s%.2f",
			 !bounded && least      ? ">="
			 : !bounded || estimate ? "~"
						: "",
			 copies.value);
	else
		snprintf(buf, UNITS_BUF, "n/a");
	return buf;
}

char *attach_result__address(char *buf, size_t len, uint16_t family, const uint8_t address[16],
			     uint16_t port)
{
	char host[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, address, host, sizeof(host));
	return address__format(buf, len, host, port);
}

const char *attach_result__cgroup(const struct attach_result *r, const struct sock_state *s)
{
	const struct group *g = groups__find(&r->table.groups[GROUP_CGROUP], s->cgroup);

	return g ? g->name : NULL;
}

char *attach_result__owner(char buf[OWNER_LEN], const char comm[16], uint32_t tgid)
{
	char whole[17], name[40];

	memcpy(whole, comm, 16);
	whole[16] = '\0';
	printable(name, sizeof(name), whole);
	if (tgid)
		snprintf(buf, OWNER_LEN, "%s %u", name[0] ? name : "?", tgid);
	else
		snprintf(buf, OWNER_LEN, "(unknown)");
	return buf;
}

static const struct groups *groups_of(const struct attach_result *r, enum by by)
{
	return &r->table.groups[by == BY_PORT ? GROUP_PORT : GROUP_CGROUP];
}

static bool process_at(struct attach_row *row, const struct table *t, size_t i)
{
	const struct process *p = &t->processes[i];

	if (i >= t->processes_nr || !process__is_listed(p))
		return false;
	row->process = p;
	row->id = p->started << 32 | p->tgid;
	row->ledger = p->ledger;
	return true;
}

static bool group_at(struct attach_row *row, const struct groups *groups, size_t i)
{
	if (i >= groups->nr)
		return false;
	row->group = &groups->list[i];
	row->id = row->group->id;
	row->ledger = row->group->ledger;
	return true;
}

static bool connection_at(struct attach_row *row, const struct table *t, size_t i)
{
	row->socket = table__connection(t, i);
	if (!row->socket)
		return false;
	row->id = row->socket->key ^ row->socket->first_ns;
	row->ledger = table__ledger_of(t, row->socket);
	row->ledger.refused_runs = t->total.refused_runs;
	return true;
}

bool attach_row__at(struct attach_row *row, const struct attach_result *r, enum by by, size_t i)
{
	const struct table *t = &r->table;

	*row = (struct attach_row){.by = by};
	if (by == BY_PROCESS)
		return process_at(row, t, i);
	if (by == BY_CONNECTION)
		return connection_at(row, t, i);
	return group_at(row, groups_of(r, by), i);
}

struct attach_row attach_row__total(const struct attach_result *r)
{
	return (struct attach_row){.by = BY_NR, .ledger = r->table.total};
}

static void name_connection(char buf[ROW_NAME_LEN], const struct sock_state *s, bool brief)
{
	char local[ADDRESS_TEXT_MAX], remote[ADDRESS_TEXT_MAX], owner[OWNER_LEN];

	attach_result__address(local, sizeof(local), s->family, s->local, s->local_port);
	attach_result__address(remote, sizeof(remote), s->family, s->remote, s->remote_port);
	if (brief)
		snprintf(local, sizeof(local), ":%u", s->local_port);
	snprintf(buf, ROW_NAME_LEN, "%s %s > %s", attach_result__owner(owner, s->comm, s->tgid),
		 local, remote);
}

/* "nginx 42", "nginx 42 (no. 2)" if it is the second process of this PID, "port 80", "/a/b". */
static void name_subject(char buf[ROW_NAME_LEN], const struct attach_result *r,
			 const struct attach_row *row)
{
	size_t nth = row->process ? table__ordinal(&r->table, row->process) : 0;
	char owner[OWNER_LEN];

	if (row->by == BY_PORT && row->id)
		snprintf(buf, ROW_NAME_LEN, "port %u", (uint16_t)row->id);
	else if (row->by != BY_PROCESS)
		snprintf(buf, ROW_NAME_LEN, "%.500s",
			 row->group->name ? row->group->name : "(unknown)");
	else if (nth)
		snprintf(buf, ROW_NAME_LEN, "%s (no. %zu)",
			 attach_result__owner(owner, row->process->comm, row->process->tgid), nth);
	else
		attach_result__owner(buf, row->process->comm, row->process->tgid);
}

char *attach_row__name(char buf[ROW_NAME_LEN], const struct attach_result *r,
		       const struct attach_row *row, bool brief)
{
	size_t nr = row->ledger.connections, len;

	if (row->by == BY_CONNECTION) {
		name_connection(buf, row->socket, brief);
		return buf;
	}
	name_subject(buf, r, row);
	len = strlen(buf);
	if (brief)
		snprintf(buf + len, ROW_NAME_LEN - len, " (%zu)", nr);
	else
		snprintf(buf + len, ROW_NAME_LEN - len, ", %zu connection%s", nr, plural(nr));
	return buf;
}

size_t attach_result__rows(const struct attach_result *r, enum by by)
{
	const struct table *t = &r->table;
	size_t nr = 0;

	if (by == BY_CONNECTION)
		return t->ranked_nr;
	if (by != BY_PROCESS)
		return groups_of(r, by)->nr;
	for (size_t i = 0; i < t->processes_nr; i++)
		nr += t->processes[i].ledger.connections || t->processes[i].ledger.unconnected;
	return nr;
}

bool attach_result__sees_returns(const struct attach_result *r)
{
	const struct plan_row *row = row_of(r, "send_return");

	return row && row->quality == QUALITY_EXACT;
}
