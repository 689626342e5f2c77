/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The document of attach, netiotrace.attach/3, and its CSV: docs/reference/attach.md.
 * Pure.
 */
#include <errno.h>
#include <time.h>

#include "attach_result.h"
#include "common/address.h"
#include "model/result.h"
#include "write/csv.h"
#include "write/field.h"
#include "write/target_json.h"
#include "write/output.h"

/* The total, or a row with its verdict. */
struct block {
	const struct attach_result *r;
	const struct socket_ledger *ledger;
	struct attach_verdict verdict;
};

/* null, if the sizes are unknown. */
static json_t *sizes_json(const struct socket_ledger *ledger, enum nio_side side)
{
	bool unknown = socket_ledger__no_sizes(ledger, side);
	const uint64_t *sizes = socket_ledger__sizes(ledger, side);
	json_t *list = unknown ? json_null() : json_array();

	for (int i = 0; !unknown && i < NIO_SIZES; i++)
		if (sizes[i])
			json_array_append_new(list, json_pack("[oo]", json_value__u64(1ULL << i),
							      json_value__u64(sizes[i])));
	return list;
}

static const char *no_socket(const struct socket_ledger *ledger)
{
	if (ledger->unmeasured)
		return "another layer than TCP serves a socket";
	return ledger->left_out ? SOCKET_LEDGER_LEFT_OUT : NULL;
}

static const char *no_completions(const struct attach_result *r)
{
	return r->sees_completions ? NULL : "completions are not reported: see plan";
}

static const char *no_requests(const struct attach_result *r)
{
	return r->sees_requests ? NULL : "requests of io_uring are not seen: see plan";
}

static const char *no_reports(const struct attach_result *r)
{
	if (!r->sees_requests || r->reports_requests)
		return no_requests(r);
	return "this kernel has no report of copies (IORING_SEND_ZC_REPORT_USAGE, Linux 6.2)";
}

/* A number of requests of io_uring. unknown: why no hook shows it; NULL: one does. */
static struct num requests_of(const struct socket_ledger *ledger, const char *unknown,
			      uint64_t seen)
{
	return unknown ? num__unknown(unknown) : socket_ledger__requests_ended(ledger, seen);
}

static struct real seconds_since(const struct attach_result *r, uint64_t ns)
{
	return (struct real){
		.value = ns > r->begun_ns ? (double)(ns - r->begun_ns) / 1e9 : 0,
		.known = ns != 0,
		.reason = "nothing was sent or received",
	};
}

/* A figure with its interval. */
static void json_put_amount(json_t *o, const struct amount *a)
{
	bool bounded = !(a->doubt & DOUBT_UNBOUNDED);

	json_put_bare(o, "bytes", num_if(amount__is_known(a), a->value));
	json_put_bare(o, "bytes_at_least", num_if(bounded, a->least));
	json_put_bare(o, "bytes_at_most", num_if(bounded && !(a->doubt & DOUBT_OPEN), a->most));
}

#define NO_LOOKS "no open connection was met at a refresh outside a send or receive call"

/* clang-format off */
#define SOCKET_FIELDS(X)                                                                    \
	X(num, "tx_bytes",        "bytes", num__unless(no_socket(ledger), ledger->socket_tx)) \
	X(num, "rx_bytes",        "bytes", num__unless(no_socket(ledger), ledger->socket_rx)) \
	X(num, "rx_received",     "bytes", num__unless(no_socket(ledger), ledger->received)) \
	X(u64, "tx_retrans",      "bytes", ledger->retrans)                                 \
	X(u64, "tx_zerocopy_ids", "count", ledger->ids)                                     \
	X(u64, "tx_looks",        "count", ledger->looks)                                   \
	X(num, "tx_tail_waits",   "count", num__unless(ledger->looks ? NULL : NO_LOOKS, ledger->tail_waits))
FIELDS(socket, (const struct socket_ledger *ledger), SOCKET_FIELDS)

#define CALLS_FIELDS(X)                                                                     \
	X(bare, "calls", "count", num_if(!(a.doubt & (DOUBT_UNKNOWN | DOUBT_PIECES)), a.events)) \
	X(bare, "bytes", "bytes", num_if(amount__is_known(&a), a.value))                    \
	X(u64,  "calls_at_least", "count", calls.least)                                     \
	X(bare, "calls_at_most",  "count", num_if(amount__is_known(&a), calls.most))        \
	X(u64,  "bytes_at_least", "bytes", a.least)                                         \
	X(u64,  "bytes_at_most",  "bytes", a.most)
FIELDS(calls, (struct amount a, struct amount calls), CALLS_FIELDS)

#define SENDS_FIELDS(X)                                                                     \
	X(members, "<way>", calls, NIO_CALL_NR, socket_ledger__call_key,                    \
	  attach_result__calls(k->ledger, i), attach_result__call_count(k->ledger, i))
FIELDS(sends, (const struct block *k), SENDS_FIELDS)

#define NO_RETURNS "kprobes see calls begin, not what they return"
#define CALLS_UNWATCHED                                                                       \
	"calls were not watched all the time: counts stand for those that were; --count-calls " \
	"watches them all"

static struct num refused_of(const struct socket_ledger *ledger, unsigned int i, bool returns)
{
	if (!returns || (i == NIO_REFUSAL_EAGAIN && ledger->inner_eagain))
		return (struct num){0};
	return socket_ledger__count(ledger, ledger->refused[i]);
}

/* Of counts of calls that no byte counter confirms. */
static enum quality calls_quality(const struct socket_ledger *ledger, bool returns)
{
	if (!returns || ledger->left_out)
		return QUALITY_UNAVAILABLE;
	return ledger->unwatched ? QUALITY_SAMPLED : QUALITY_EXACT;
}

/* Why they are less than exact. */
static const char *calls_reason(const struct socket_ledger *ledger, bool returns)
{
	if (!returns)
		return NO_RETURNS;
	if (ledger->left_out)
		return SOCKET_LEDGER_LEFT_OUT;
	return ledger->unwatched ? CALLS_UNWATCHED : NULL;
}

/* A count of calls that sent nothing. */
static struct num unsent(const struct socket_ledger *ledger, uint64_t seen, bool returns)
{
	return returns ? socket_ledger__count(ledger, seen) : num__unknown(NO_RETURNS);
}

/* Send calls that were seen to fail, by error. */
#define REFUSED_FIELDS(X)                                                                   \
	X(member_values, "<error>", "count", bare, NIO_REFUSAL_NR, socket_ledger__refusal_key, \
	  refused_of(ledger, i, returns))                                                   \
	X(text, "quality", "text", quality__name(calls_quality(ledger, returns)))           \
	X(text, "reason", "text", calls_reason(ledger, returns))
FIELDS(refused, (const struct socket_ledger *ledger, bool returns), REFUSED_FIELDS)

#define WOULD_BLOCK_FIELDS(X)                                                               \
	X(num, "calls", "count", returns ? socket_ledger__would_block(ledger) : num__unknown(NO_RETURNS)) \
	X(num, "inner_tries", "count", unsent(ledger, ledger->inner_eagain, returns))       \
	X(text, "quality", "text", quality__name(calls_quality(ledger, returns)))           \
	X(text, "reason", "text", calls_reason(ledger, returns))
FIELDS(would_block, (const struct socket_ledger *ledger, bool returns), WOULD_BLOCK_FIELDS)

#define RECEIVES_FIELDS(X)                                                                  \
	X(bare, "copies",  "count", num_if(read.known, ledger->stages[NIO_STAGE_RX_COPY].events)) \
	X(bare, "copied",  "bytes", read)                                                   \
	X(num, "peeked",   "bytes", socket_ledger__read_bytes(ledger, NIO_UNCOVERED_PEEKED)) \
	X(num, "uncopied", "bytes", socket_ledger__read_bytes(ledger, NIO_UNCOVERED_UNSEEN))
FIELDS(receives, (const struct socket_ledger *ledger, struct num read), RECEIVES_FIELDS)

#define FIELD_ROW_amount(...)                                                               \
	FIELD_ROW_VALUE("bytes", "bytes")                                                   \
	FIELD_ROW_VALUE("bytes_at_least", "bytes") FIELD_ROW_VALUE("bytes_at_most", "bytes")
#define FIELD_PUT_amount(...) json_put_amount(o, __VA_ARGS__);

#define STAGE_FIELDS(X)                                                                     \
	X(text,   "quality", "text",  quality__name(a.quality))                             \
	X(reason, "reason",  a.reason)                                                      \
	X(amount, &a)                                                                       \
	X(bare,   "events",  "count", num_if(!(a.doubt & (DOUBT_UNKNOWN | DOUBT_PIECES)), a.events)) \
	X(json,   "ns",      "ns",    json_null())
FIELDS(stage, (struct amount a), STAGE_FIELDS)

#define LEDGER_FIELDS(X)                                                                    \
	X(members, "<stage>", stage, NIO_STAGE_TLS_COPY, stage__key,                        \
	  attach_result__stage(k->r, k->ledger, i))                                         \
	X(object, "tls_copy", stage, attach_result__tls_copy(k->ledger))                    \
	X(whole, "unaccounted_tx",          "bytes", socket_ledger__unaccounted(k->ledger, NIO_SIDE_SENDER)) \
	X(whole, "unaccounted_rx",          "bytes", socket_ledger__unaccounted(k->ledger, NIO_SIDE_RECEIVER)) \
	X(real,  "copies_per_byte",         "ratio", socket_ledger__copies_per_byte(k->ledger)) \
	X(real,  "copies_per_byte_at_least", "ratio", attach_result__copies_at_least(k->r, k->ledger)) \
	X(real,  "copies_per_byte_at_most", "ratio", attach_result__copies_at_most(k->r, k->ledger)) \
	X(reason, "copies_per_byte_at_most_reason", attach_result__copies_at_most(k->r, k->ledger).reason)
FIELDS(ledger, (const struct block *k), LEDGER_FIELDS)

#define TLS_FIELDS(X)                                                                       \
	X(num, "bytes",    "bytes", socket_ledger__of_records(ledger, side, ledger->tls[side].copied)) \
	X(num, "records",  "count", socket_ledger__of_records(ledger, side, ledger->tls[side].records)) \
	X(num, "overhead", "bytes", socket_ledger__of_records(ledger, side, ledger->tls[side].overhead))
FIELDS(tls, (const struct socket_ledger *ledger, enum nio_side side), TLS_FIELDS)

#define UNCOVERED_FIELDS(X)                                                                 \
	X(text, "kind",      "text",  uncovered__key(kind))                                 \
	X(text, "direction", "text",  side ? "rx" : "tx")                                   \
	X(num,  "bytes",     "bytes", bytes)                                                \
	X(text, "quality",   "text",  quality__name(quality))
FIELDS(uncovered,
       (enum nio_side side, enum nio_uncovered_kind kind, struct num bytes, enum quality quality),
       UNCOVERED_FIELDS)
/* clang-format on */

static enum quality uncovered_quality(const struct socket_ledger *ledger, enum nio_side side,
				      enum nio_uncovered_kind kind)
{
	if (!socket_ledger__uncovered(ledger, side, kind).known)
		return QUALITY_UNAVAILABLE;
	if (kind == NIO_UNCOVERED_MPTCP && side == NIO_SIDE_RECEIVER)
		return QUALITY_DERIVED;
	return socket_ledger__is_divided(ledger, side, kind) ? QUALITY_SAMPLED : QUALITY_EXACT;
}

/* Bytes that no stage has, by kind and direction; those that occurred. */
static json_t *uncovered_list(const struct socket_ledger *ledger)
{
	json_t *list = json_array();

	for (enum nio_side side = 0; side < NIO_SIDE_NR; side++)
		for (enum nio_uncovered_kind kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (ledger->uncovered[side][kind] ||
			    !socket_ledger__uncovered(ledger, side, kind).known)
				json_array_append_new(
					list,
					uncovered_json(side, kind,
						       socket_ledger__uncovered(ledger, side, kind),
						       uncovered_quality(ledger, side, kind)));
	return list;
}

/* clang-format off */
#define FIELD_ROW_uncovered(key_, ...) {.key = key_, .fields = uncovered_fields, .is_list = true},
#define FIELD_PUT_uncovered(key, ...)  json_put(o, key, uncovered_list(__VA_ARGS__));

#define ZEROCOPY_FIELDS(X)                                                                   \
	X(num, "sends",      "count", socket_ledger__zerocopy_sends(ledger))                 \
	X(num, "completed",  "count", num__unless(unknown, ledger->completed))               \
	X(num, "copied",     "count", num__unless(unknown, ledger->copied))                  \
	X(num, "not_copied", "count", num__unless(unknown, ledger->completed - ledger->copied)) \
	X(num, "requests_reported", "count", requests_of(ledger, no_reports, ledger->requests[NIO_REQUEST_COPIED] + \
							 ledger->requests[NIO_REQUEST_NOT_COPIED])) \
	X(num, "requests_copied", "count", requests_of(ledger, no_reports, ledger->requests[NIO_REQUEST_COPIED])) \
	X(num, "requests_misreported", "count", requests_of(ledger, no_reports, ledger->requests[NIO_REQUEST_MISREPORTED])) \
	X(num, "requests_unreported", "count", requests_of(ledger, no_requests, ledger->requests[NIO_REQUEST_UNREPORTED]))
FIELDS(zerocopy, (const struct socket_ledger *ledger, const char *unknown, const char *no_requests,
		  const char *no_reports),
       ZEROCOPY_FIELDS)

#define VERDICT_FIELDS(X)                                                                    \
	X(real, "copied_fraction", "0..1", verdict->copied_fraction)                         \
	X(text, "cause",           "text", verdict->cause)                                   \
	X(text, "text",            "text", verdict->text)                                    \
	X(text, "advice",          "text", verdict->advice)
FIELDS(verdict, (const struct attach_verdict *verdict), VERDICT_FIELDS)

#define BLOCK_FIELDS(X)                                                                      \
	X(real,   "first_s",   "s", seconds_since(k->r, k->ledger->first_ns))                \
	X(real,   "last_s",    "s", seconds_since(k->r, k->ledger->last_ns))                 \
	X(object, "socket",    socket, k->ledger)                                            \
	X(object, "sends",     sends, k)                                                     \
	X(object, "refused",   refused, k->ledger, attach_result__sees_returns(k->r))        \
	X(object, "would_block", would_block, k->ledger, attach_result__sees_returns(k->r))  \
	X(num,    "empty_sends", "count", unsent(k->ledger, k->ledger->empty, attach_result__sees_returns(k->r))) \
	X(u64,    "unconnected", "count", k->ledger->unconnected)                            \
	X(object, "receives",  receives, k->ledger,                                          \
	  socket_ledger__stage_bytes(k->ledger, NIO_STAGE_RX_COPY))                          \
	X(json,   "tx_sizes",  "bytes, count",                                               \
	  sizes_json(k->ledger, NIO_SIDE_SENDER))                                            \
	X(reason, "tx_sizes_reason", socket_ledger__no_sizes(k->ledger, NIO_SIDE_SENDER))    \
	X(json,   "rx_sizes",  "bytes, count",                                               \
	  sizes_json(k->ledger, NIO_SIDE_RECEIVER))                                          \
	X(reason, "rx_sizes_reason", socket_ledger__no_sizes(k->ledger, NIO_SIDE_RECEIVER))  \
	X(object, "ledger",    ledger, k)                                                    \
	X(object, "tls_tx",    tls, k->ledger, NIO_SIDE_SENDER)                              \
	X(object, "tls_rx",    tls, k->ledger, NIO_SIDE_RECEIVER)                            \
	X(uncovered, "uncovered", k->ledger)                                                 \
	X(object, "zerocopy",  zerocopy, k->ledger, no_completions(k->r), no_requests(k->r), \
	  no_reports(k->r))                                                                  \
	X(object, "verdict",   verdict, &k->verdict)
/* clang-format on */

/* CPU time by class. */

/* Unknown where nothing was sampled. */
static struct cpu_part part_of(const struct cpu_split *c, unsigned int i)
{
	return c ? cpu_split__part(c, cpu_split__class(i)) : (struct cpu_part){0};
}

static struct real bound_of(const struct cpu_split *c, unsigned int i, bool upper)
{
	struct cpu_part part = part_of(c, i);

	return real_if(part.share.known, upper ? part.high : part.low);
}

/* clang-format off */
/* c is NULL where nothing was sampled. */
#define SPLIT_FIELDS(X)                                                                       \
	X(bare,   "samples", "count", num_if(c, c ? c->samples.samples : 0))                  \
	X(bare,   "shifted", "count", num_if(c, c ? c->samples.shifted : 0))                  \
	X(values, "share", "<class>", "0..1", bare_real, CPU_SPLIT_NR, cpu_split__key, part_of(c, i).share) \
	X(values, "low",   "<class>", "0..1", bare_real, CPU_SPLIT_NR, cpu_split__key, bound_of(c, i, false)) \
	X(values, "high",  "<class>", "0..1", bare_real, CPU_SPLIT_NR, cpu_split__key, bound_of(c, i, true))
FIELDS(split, (const struct cpu_split *c), SPLIT_FIELDS)

#define SAMPLING_FIELDS(X)                                                                   \
	CPU_SOURCE_FIELDS(X)                                                                 \
	X(bare,      "lost",      "count", num_if(c->known, c->by[NIO_SAMPLE_TASK].lost))
FIELDS(sampling, (const struct cpu_result *c), SAMPLING_FIELDS)
/* clang-format on */

static struct real started_s(uint64_t started)
{
	return real_if(started, (double)started / NIO_TICKS_PER_S);
}

static json_t *address_json(const struct sock_state *s, const uint8_t address[16], uint16_t port)
{
	char text[ADDRESS_TEXT_MAX];

	if (!(s->flags & SOCK_STATE_PLACED))
		return json_null();
	attach_result__address(text, sizeof(text), s->family, address, port);
	return json_value__text(text);
}

/* Since the last byte or, without a byte, since the connection is watched; until its end, or now.
 */
static double idle_s(const struct attach_result *r, const struct sock_state *s)
{
	uint64_t from = s->last_ns ? s->last_ns : s->first_ns;
	uint64_t to = s->closed_ns ? s->closed_ns : r->ended_ns;

	return to > from ? (double)(to - from) / 1e9 : 0;
}

static const struct cpu_split *sampled(const struct attach_result *r, const struct cpu_split *cpu)
{
	return r->cpu.known ? cpu : NULL;
}

/* clang-format off */
#define TOTAL_FIELDS(X)                                                                      \
	X(u64,     "connections", "count", k->ledger->connections)                           \
	X(object,  "cpu", split, sampled(k->r, &k->r->cpu_total))                            \
	BLOCK_FIELDS(X)
FIELDS(total, (const struct block *k), TOTAL_FIELDS)

#define PROCESS_FIELDS(X)                                                                    \
	X(or_null,   "pid",         "count", p->tgid)                                        \
	X(bare_real, "started_s",   "s",     started_s(p->started))                          \
	X(or_null,   "parent",      "count", p->parent)                                      \
	X(json,      "comm",        "text",  target_json__comm(p->comm))                     \
	X(bool,      "exited",      "true/false", p->exited)                                 \
	X(u64,       "connections", "count", p->ledger.connections)                          \
	X(object,    "cpu",         split, sampled(k->r, &p->cpu))                           \
	BLOCK_FIELDS(X)
FIELDS(process, (const struct process *p, const struct block *k), PROCESS_FIELDS)

#define CONNECTION_FIELDS(X)                                                                 \
	X(or_null,   "pid",       "count", s->tgid)                                          \
	X(bare_real, "started_s", "s",     started_s(s->started))                            \
	X(json,      "comm",      "text",  target_json__comm(s->comm))                       \
	X(json,      "local",     "text",  address_json(s, s->local, s->local_port))         \
	X(json,      "remote",    "text",  address_json(s, s->remote, s->remote_port))       \
	X(or_null,   "port",      "count", group__id(GROUP_PORT, s))                         \
	X(u64,       "netns",     "count", s->netns)                                         \
	X(text,      "cgroup",    "text",  attach_result__cgroup(k->r, s))                   \
	X(bool,      "open",      "true/false", !s->closed_ns)                               \
	X(bool,      "shared",    "true/false", s->flags & SOCK_STATE_SHARED)                \
	X(or_null,   "shared_with", "count", s->shared_with)                                 \
	X(bare_real, "idle_s",    "s",     real_if(true, idle_s(k->r, s)))                   \
	BLOCK_FIELDS(X)
FIELDS(connection, (const struct sock_state *s, const struct block *k), CONNECTION_FIELDS)

#define PORT_FIELDS(X)                                                                       \
	X(or_null,   "port",        "count", g->id)                                          \
	X(u64,       "connections", "count", k->ledger->connections)                         \
	BLOCK_FIELDS(X)
FIELDS(port, (const struct group *g, const struct block *k), PORT_FIELDS)

#define CGROUP_FIELDS(X)                                                                     \
	X(or_null,   "id",          "count", g->id)                                          \
	X(text,      "path",        "text",  g->name)                                        \
	X(u64,       "connections", "count", k->ledger->connections)                         \
	BLOCK_FIELDS(X)
FIELDS(cgroup, (const struct group *g, const struct block *k), CGROUP_FIELDS)
/* clang-format on */

static json_t *row_json(const struct attach_result *r, const struct attach_row *row)
{
	struct block k = {.r = r, .ledger = &row->ledger};

	attach_result__verdict(&k.verdict, r, row);
	switch (row->by) {
	case BY_PROCESS:
		return process_json(row->process, &k);
	case BY_CONNECTION:
		return connection_json(row->socket, &k);
	case BY_PORT:
		return port_json(row->group, &k);
	case BY_CGROUP:
		return cgroup_json(row->group, &k);
	default:
		return total_json(&k);
	}
}

/* All rows, but of connections those that --top allows. */
static json_t *rows_json(const struct attach_result *r, enum by by)
{
	json_t *list = json_array();
	struct attach_row row;

	for (size_t i = 0; by != BY_CONNECTION || i < r->o->top; i++) {
		if (!attach_row__at(&row, r, by, i))
			break;
		json_array_append_new(list, row_json(r, &row));
	}
	return list;
}

static json_t *whole_json(const struct attach_result *r)
{
	const struct attach_row total = attach_row__total(r);

	return row_json(r, &total);
}

/* clang-format off */
#define TARGETS_FIELDS(X)                                                                    \
	TARGET_FIELDS(X, &q->target)                                                         \
	X(text, "cgroup",   "text",          q->cgroup)
FIELDS(targets, (const struct attach_options *q), TARGETS_FIELDS)

#define TOOL_FIELDS(X) OWN_TOOL_FIELDS(X, q)
FIELDS(tool, (const struct attach_options *q), TOOL_FIELDS)

#define SENT_FIELDS(X)                                                                       \
	X(bare_real, "share", "0..1", real_if(s.known, s.share))                             \
	X(bare_real, "low",   "0..1", real_if(s.known, s.low))                               \
	X(bare_real, "high",  "0..1", real_if(s.known, s.high))
FIELDS(sent, (struct sampled_share s), SENT_FIELDS)

/* Whether all send calls and receive copies were seen, or a sample. */
#define EVENTS_FIELDS(X)                                                                     \
	X(text,      "quality",    "text",  quality__name(e->sampled ? QUALITY_SAMPLED : QUALITY_EXACT)) \
	X(bare_real, "time_share", "0..1",                                                   \
	  real_if(e->all_ns, e->all_ns ? (double)e->seen_ns / (double)e->all_ns : 0))        \
	X(u64,       "periods",    "count", e->seen.calls.windows)                           \
	X(bare_real, "cpu_share",  "0..1",                                                   \
	  real_if(e->all_ns, e->all_ns ? e->spent_ns / (double)e->all_ns : 0))               \
	X(family,    "sent", "<way>", sent, NIO_CALL_NR, socket_ledger__call_key, attach_result__sent_share(r, i))
FIELDS(events, (const struct attach_result *r, const struct attach_events *e), EVENTS_FIELDS)

#define HEALTH_FIELDS(X)                                                                     \
	X(num,  "missed",               "count", r->missed)                                  \
	X(real, "coverage",             "0..1",  socket_ledger__coverage(&t->total))         \
	X(u64,  "sockets_left_out",     "count", r->loss.sockets_full)                       \
	X(u64,  "tasks_left_out",       "count", r->loss.tasks_full)                         \
	X(u64,  "ends_missed",          "count", r->loss.ends_missed)                        \
	X(u64,  "connections_left_out", "count", t->closed_left_out)                         \
	X(u64,  "processes_left_out",   "count", t->processes_left_out)                      \
	X(u64,  "ports_left_out",       "count", groups__left_out(&t->groups[GROUP_PORT]))   \
	X(u64,  "cgroups_left_out",     "count", groups__left_out(&t->groups[GROUP_CGROUP]))
FIELDS(health, (const struct attach_result *r, const struct table *t), HEALTH_FIELDS)

static struct real duration(const struct attach_result *r)
{
	return real__known((double)(r->ended_ns - r->begun_ns) / 1e9);
}

/* To the millisecond, in UTC. */
static json_t *time_json(uint64_t now)
{
	time_t s = (time_t)(now / 1000000000);
	char text[32] = "";
	struct tm utc;

	if (!gmtime_r(&s, &utc) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc))
		return json_null();
	return json_sprintf("%s.%03uZ", text, (unsigned int)(now / 1000000 % 1000));
}

#define FIELD_ROW_blocks(key_, name, ...) {.key = key_, .fields = name##_fields, .is_list = true},
#define FIELD_PUT_blocks(key, name, by)  json_put(o, key, rows_json(r, by));
#define whole_fields total_fields

#define ATTACH_FIELDS(X)                                                                     \
	X(text,      "schema",      "text", "netiotrace.attach/3")                           \
	X(object,    "tool",        tool, r->o)                                              \
	X(document,  "environment", environment, &r->env)                                    \
	X(object,    "settings",    targets, r->o)                                           \
	X(documents, "plan",        plan_row, r->plan_nr, &r->plan[i])                       \
	X(bare_real, "duration_s",  "s", duration(r))                                        \
	X(u64,       "restarts",    "count", r->restarts)                                    \
	X(bool,      "interrupted", "true/false", r->interrupted)                            \
	X(object,    "sampling",    sampling, &r->cpu)                                       \
	X(object,    "events",      events, r, &r->events)                                   \
	X(object,    "total",       whole, r)                                                \
	X(blocks,    "processes",   process, BY_PROCESS)                                     \
	X(blocks,    "connections", connection, BY_CONNECTION)                               \
	X(blocks,    "ports",       port, BY_PORT)                                           \
	X(blocks,    "cgroups",     cgroup, BY_CGROUP)                                       \
	X(object,    "health",      health, r, &r->table)
FIELDS(attach, (const struct attach_result *r), ATTACH_FIELDS)
/* clang-format on */

json_t *attach_result__document(const struct attach_result *r)
{
	return attach_json(r);
}

json_t *attach_result__line(const struct attach_result *r, uint64_t now)
{
	return json_pack("{so so sI so}", "time", time_json(now), "duration_s",
			 json_value__real(duration(r).value), "restarts", (json_int_t)r->restarts,
			 "total", whole_json(r));
}

const struct field *attach_result__fields(void)
{
	return attach_fields;
}

int attach_result__write_csv(FILE *f, const struct attach_result *r, const json_t *document)
{
	static const char *const lists[BY_NR] = {"processes", "connections", "ports", "cgroups"};
	const json_t *list = json_object_get(document, lists[r->o->by]);
	const json_t *first = json_array_get(list, 0);
	struct csv csv = {.f = f, .between = "."};

	errno = 0;
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!i) {
			csv.header = true;
			csv__put_object(&csv, first, NULL, "");
			csv__end_row(&csv);
			csv.header = false;
		}
		csv__put_object(&csv, first, json_array_get(list, i), "");
		csv__end_row(&csv);
	}
	return output__flush(f);
}
