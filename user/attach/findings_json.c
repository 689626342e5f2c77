/* SPDX-License-Identifier: GPL-2.0-only */
/* The document of attach, netiotrace.attach/1: docs/OUTPUT.md, "attach". Knows nothing of files. */
#include <string.h>

#include "findings.h"
#include "base/address.h"
#include "base/printable.h"
#include "cpu_json.h"
#include "model/uncovered.h"
#include "write/json.h"

static const char *const call_keys[NIO_CALL_NR] = {
#define X(id, key, text) [NIO_CALL_##id] = key,
	NIO_SEND_KINDS(X)
#undef X
};

static struct num known_u64(uint64_t value, const char *unknown)
{
	return (struct num){.value = value, .known = !unknown, .reason = unknown};
}

static json_t *calls_json(const struct books *b)
{
	json_t *o = json_object();
	int err = 0;

	for (int i = 0; i < NIO_CALL_NR; i++) {
		json_t *kind = json_object();

		err |= json_put_num(kind, "calls", known_u64(b->calls[i].events, NULL));
		err |= json_put_num(kind, "bytes", known_u64(b->calls[i].bytes, NULL));
		err |= json_put(o, call_keys[i], kind);
	}
	return json_finish(o, err);
}

/* Send calls that failed, by error; those that were seen. */
static json_t *refused_json(const struct findings *r, const struct books *b)
{
	static const char *const keys[NIO_REFUSAL_NR] = {
#define X(id, key) [NIO_REFUSAL_##id] = key,
		NIO_REFUSALS(X)
#undef X
	};
	bool returns = findings__sees_returns(r);
	json_t *o = json_object();
	int err = 0;

	for (int i = 0; i < NIO_REFUSAL_NR; i++)
		err |= json_put(o, keys[i],
				returns ? json_integer((json_int_t)b->refused[i]) : json_null());
	err |= json_put(
		o, "reason",
		json_value__text(returns ? NULL : "kprobes see calls begin, not what they return"));
	return json_finish(o, err);
}

static json_t *receives_json(const struct findings *r, const struct books *b)
{
	const __u64 *uncovered = b->uncovered[NIO_SIDE_RECEIVER];
	json_t *o = json_object();
	int err = 0;

	err |= json_put_u64(o, "copies", b->stages[NIO_STAGE_RX_COPY].events);
	err |= json_put_u64(o, "copied", b->stages[NIO_STAGE_RX_COPY].bytes);
	err |= json_put_num(o, "spliced", books__spliced(b, r->splices));
	err |= json_put_u64(o, "peeked", uncovered[NIO_UNCOVERED_PEEKED]);
	err |= json_put_u64(o, "uncopied", uncovered[NIO_UNCOVERED_UNSEEN]);
	return json_finish(o, err);
}

static json_t *sizes_json(const uint64_t sizes[NIO_SIZES])
{
	json_t *list = json_array();
	int err = 0;

	for (int i = 0; i < NIO_SIZES; i++) {
		json_t *bucket;

		if (!sizes[i])
			continue;
		bucket = json_array();
		err |= json_array_append_new(bucket, json_value__u64(1ULL << i));
		err |= json_array_append_new(bucket, json_value__u64(sizes[i]));
		err |= json_array_append_new(list, bucket);
	}
	return json_finish(list, err);
}

static json_t *socket_json(const struct books *b)
{
	const char *unknown = b->unmeasured ? "another layer than TCP serves a socket"
			      : b->left_out ? BOOKS_LEFT_OUT
					    : NULL;
	json_t *o = json_object();
	int err = 0;

	err |= json_put_num(o, "tx_bytes", known_u64(b->socket_tx, unknown));
	err |= json_put_num(o, "rx_bytes", known_u64(b->socket_rx, unknown));
	err |= json_put_num(o, "rx_received", known_u64(b->received, unknown));
	err |= json_put_u64(o, "tx_retrans", b->retrans);
	err |= json_put_u64(o, "tx_zerocopy_ids", b->ids);
	return json_finish(o, err);
}

static json_t *stage_json(const struct findings *r, const struct books *b, enum nio_stage stage)
{
	const char *reason;
	enum quality quality = findings__quality(r, b, stage, &reason);
	const char *unknown = quality == QUALITY_UNAVAILABLE ? reason : NULL;
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "quality", json_value__text(quality__name(quality)));
	if (reason)
		err |= json_put(o, "reason", json_value__text(reason));
	err |= json_put(o, "bytes",
			unknown ? json_null() : json_value__u64(b->stages[stage].bytes));
	err |= json_put(o, "bytes_at_most",
			unknown ? json_null() : json_value__u64(books__at_most(b, stage)));
	err |= json_put(o, "events",
			unknown ? json_null() : json_value__u64(b->stages[stage].events));
	err |= json_put(o, "ns", json_null());
	return json_finish(o, err);
}

/* Bytes, of either sign. */
static int put_unaccounted(json_t *o, const char *key, struct real bytes)
{
	if (!bytes.known)
		return json_put_real(o, key, bytes);
	return json_put(o, key, json_integer((json_int_t)bytes.value));
}

static json_t *ledger_json(const struct findings *r, const struct books *b)
{
	json_t *o = json_object();
	int err = 0;

	for (int i = 0; i < NIO_STAGE_NR; i++)
		err |= json_put(o, stage__key((enum nio_stage)i),
				stage_json(r, b, (enum nio_stage)i));
	err |= put_unaccounted(o, "unaccounted_tx", books__unaccounted(b, NIO_SIDE_SENDER));
	err |= put_unaccounted(o, "unaccounted_rx", books__unaccounted(b, NIO_SIDE_RECEIVER));
	err |= json_put_real(o, "copies_per_byte", books__copies_per_byte(b));
	err |= json_put_real(o, "copies_per_byte_at_most", books__copies_per_byte_at_most(b));
	return json_finish(o, err);
}

/* Bytes that no stage has, by kind and direction; those there are. */
static json_t *uncovered_json(const struct books *b)
{
	json_t *list = json_array();
	int err = 0;

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			json_t *o;

			if (!b->uncovered[side][kind])
				continue;
			o = json_object();
			err |= json_put(
				o, "kind",
				json_value__text(uncovered__key((enum nio_uncovered_kind)kind)));
			err |= json_put(o, "direction", json_value__text(side ? "rx" : "tx"));
			err |= json_put_u64(o, "bytes", b->uncovered[side][kind]);
			err |= json_array_append_new(list, o);
		}
	}
	return json_finish(list, err);
}

static json_t *zerocopy_json(const struct findings *r, const struct books *b)
{
	const char *untold = r->notices ? NULL : "completions are not told: see plan";
	json_t *o = json_object();
	int err = 0;

	err |= json_put_u64(o, "sends", books__zerocopy_sends(b));
	err |= json_put_num(o, "completed", known_u64(b->completed, untold));
	err |= json_put_num(o, "copied", known_u64(b->copied, untold));
	err |= json_put_num(o, "not_copied", known_u64(b->completed - b->copied, untold));
	return json_finish(o, err);
}

static json_t *verdict_json(const struct findings *r, const struct findings_row *row)
{
	struct judgement j;
	json_t *o = json_object();
	int err = 0;

	findings__judge(&j, r, row);
	err |= json_put_real(o, "copied_fraction", j.copied_fraction);
	err |= json_put(o, "cause", json_value__text(j.cause));
	err |= json_put(o, "text", json_value__text(j.text));
	err |= json_put(o, "advice", json_value__text(j.advice));
	return json_finish(o, err);
}

static struct real seconds_since(const struct findings *r, uint64_t ns)
{
	return (struct real){
		.value = ns > r->begun_ns ? (double)(ns - r->begun_ns) / 1e9 : 0,
		.known = ns != 0,
		.reason = "nothing was sent or received",
	};
}

/* What every block has: of the total, of a process, of a connection. */
static int put_books(json_t *o, const struct findings *r, const struct findings_row *row)
{
	const struct books *b = row->books;
	int err = 0;

	err |= json_put_real(o, "first_s", seconds_since(r, b->first_ns));
	err |= json_put_real(o, "last_s", seconds_since(r, b->last_ns));
	err |= json_put(o, "socket", socket_json(b));
	err |= json_put(o, "sends", calls_json(b));
	err |= json_put(o, "refused", refused_json(r, b));
	err |= json_put(o, "receives", receives_json(r, b));
	err |= json_put(o, "tx_sizes", sizes_json(b->tx_sizes));
	err |= json_put(o, "rx_sizes", sizes_json(b->rx_sizes));
	err |= json_put(o, "ledger", ledger_json(r, b));
	err |= json_put(o, "uncovered", uncovered_json(b));
	err |= json_put(o, "zerocopy", zerocopy_json(r, b));
	err |= json_put(o, "verdict", verdict_json(r, row));
	return err;
}

static json_t *comm_json(const char comm[16])
{
	char text[17];

	memcpy(text, comm, 16);
	text[16] = '\0';
	return json_value__text(printable__in_place(text));
}

static int put_identity(json_t *o, uint32_t tgid, uint64_t started)
{
	json_t *started_s =
		started ? json_value__real((double)started / NIO_TICKS_PER_S) : json_null();

	return json_put(o, "pid", tgid ? json_integer(tgid) : json_null()) |
	       json_put(o, "started_s", started_s);
}

static json_t *process_json(const struct findings *r, const struct process *p)
{
	const struct findings_row row = {.books = &p->books, .process = p};
	json_t *o = json_object();
	int err = 0;

	err |= put_identity(o, p->tgid, p->started);
	err |= json_put(o, "parent", p->parent ? json_integer(p->parent) : json_null());
	err |= json_put(o, "comm", comm_json(p->comm));
	err |= json_put(o, "exited", json_boolean(p->exited));
	err |= json_put_u64(o, "connections", p->books.connections);
	err |= json_put(o, "cpu", json_cpu_split(r, &p->cpu));
	err |= put_books(o, r, &row);
	return json_finish(o, err);
}

static int put_address(json_t *o, const char *key, const struct sock_state *s, bool remote)
{
	char text[ADDRESS_TEXT_MAX];

	if (!(s->flags & SOCK_STATE_PLACED))
		return json_put(o, key, json_null());
	findings__address(text, sizeof(text), s->family, remote ? s->remote : s->local,
			  remote ? s->remote_port : s->local_port);
	return json_put(o, key, json_value__text(text));
}

static json_t *connection_json(const struct findings *r, const struct sock_state *s)
{
	const struct group *group = groups__find(&r->table.groups[GROUP_CGROUP], s->cgroup);
	uint64_t port = group__id(GROUP_PORT, s);
	json_t *o = json_object();
	struct books b = {0};
	const struct findings_row row = {.books = &b, .socket = s};
	int err = 0;

	books__add_socket(&b, s);
	err |= put_identity(o, s->tgid, s->started);
	err |= json_put(o, "comm", comm_json(s->comm));
	err |= put_address(o, "local", s, false);
	err |= put_address(o, "remote", s, true);
	err |= json_put(o, "port", port ? json_value__u64(port) : json_null());
	err |= json_put_u64(o, "netns", s->netns);
	err |= json_put(o, "cgroup", json_value__text(group ? group->name : NULL));
	err |= json_put(o, "open", json_boolean(!s->closed_ns));
	err |= json_put(o, "shared", json_boolean(s->flags & SOCK_STATE_SHARED));
	err |= put_books(o, r, &row);
	return json_finish(o, err);
}

static json_t *group_json(const struct findings *r, enum group_kind kind, const struct group *g)
{
	const struct findings_row row = {.books = &g->books, .group = g, .kind = kind};
	json_t *o = json_object(), *id = g->id ? json_value__u64(g->id) : json_null();
	int err = json_put(o, kind == GROUP_PORT ? "port" : "id", id);

	if (kind == GROUP_CGROUP)
		err |= json_put(o, "path", json_value__text(g->name));
	err |= json_put_u64(o, "connections", g->books.connections);
	err |= put_books(o, r, &row);
	return json_finish(o, err);
}

static json_t *groups_json(const struct findings *r, enum group_kind kind)
{
	const struct groups *g = &r->table.groups[kind];
	json_t *list = json_array();
	int err = 0;

	for (size_t i = 0; i < g->nr; i++)
		err |= json_array_append_new(list, group_json(r, kind, &g->list[i]));
	return json_finish(list, err);
}

static json_t *processes_json(const struct findings *r)
{
	json_t *list = json_array();
	int err = 0;

	for (size_t i = 0; i < r->table.processes_nr; i++)
		if (process__is_listed(&r->table.processes[i]))
			err |= json_array_append_new(list, process_json(r, &r->table.processes[i]));
	return json_finish(list, err);
}

static json_t *connections_json(const struct findings *r)
{
	const struct sock_state *s;
	json_t *list = json_array();
	int err = 0;

	for (size_t i = 0; i < r->o->top && (s = table__connection(&r->table, i)); i++)
		err |= json_array_append_new(list, connection_json(r, s));
	return json_finish(list, err);
}

static json_t *health_json(const struct findings *r)
{
	const struct table *t = &r->table;
	json_t *o = json_object();
	int err = 0;

	err |= json_put_num(o, "missed", r->missed);
	err |= json_put_real(o, "coverage", books__coverage(&t->total));
	err |= json_put_u64(o, "sockets_left_out", r->loss.sockets_full);
	err |= json_put_u64(o, "tasks_left_out", r->loss.tasks_full);
	err |= json_put_u64(o, "ends_missed", r->loss.ends_missed);
	err |= json_put_u64(o, "connections_left_out", t->closed_left_out);
	err |= json_put_u64(o, "processes_left_out", t->processes_left_out);
	err |= json_put_u64(o, "ports_left_out", groups__left_out(&t->groups[GROUP_PORT]));
	err |= json_put_u64(o, "cgroups_left_out", groups__left_out(&t->groups[GROUP_CGROUP]));
	err |= json_put_u64(o, "namespaces", r->netns);
	err |= json_put_u64(o, "namespaces_left_out", r->netns_left_out);
	return json_finish(o, err);
}

/* What was seen of send calls and receive copies: all, or some of the time. */
static json_t *events_json(const struct findings *r)
{
	const struct watcher_events *e = &r->events;
	json_t *o = json_object(), *sent = json_object();
	int err = 0;

	err |= json_put(
		o, "quality",
		json_value__text(quality__name(e->sampled ? QUALITY_SAMPLED : QUALITY_EXACT)));
	err |= json_put(o, "time_share",
			e->all_ns ? json_real((double)e->seen_ns / (double)e->all_ns)
				  : json_null());
	err |= json_put_u64(o, "periods", e->windows);
	for (int i = 0; i < NIO_CALL_NR; i++) {
		json_t *kind = json_object();
		bool known = e->sent_bytes > 0;

		err |= json_put(kind, "share", known ? json_real(e->sent[i].share) : json_null());
		err |= json_put(kind, "low", known ? json_real(e->sent[i].low) : json_null());
		err |= json_put(kind, "high", known ? json_real(e->sent[i].high) : json_null());
		err |= json_put(sent, call_keys[i], kind);
	}
	err |= json_put(o, "sent", sent);
	return json_finish(o, err);
}

static json_t *strings_json(char **strings, size_t n)
{
	json_t *list = json_array();
	int err = 0;

	for (size_t i = 0; i < n && strings && strings[i]; i++)
		err |= json_array_append_new(list, json_value__text(strings[i]));
	return json_finish(list, err);
}

static json_t *settings_json(const struct findings *r)
{
	const struct attach_options *o = r->o;
	json_t *settings = json_object(), *pids = json_array(), *ports = json_array();
	json_t *comms = json_array();
	int err = 0;

	for (size_t i = 0; i < o->pids_nr; i++)
		err |= json_array_append_new(pids, json_integer(o->pids[i]));
	for (size_t i = 0; i < o->ports_nr; i++)
		err |= json_array_append_new(ports, json_integer(o->ports[i]));
	for (size_t i = 0; i < o->comms_nr; i++)
		err |= json_array_append_new(comms, comm_json(o->comms[i]));
	err |= json_put(settings, "pids", pids);
	err |= json_put(settings, "comms", comms);
	err |= json_put(settings, "ports", ports);
	err |= json_put(settings, "cgroup", json_value__text(o->cgroup));
	err |= json_put(settings, "children", json_boolean(o->children));
	err |= json_put(settings, "command", strings_json(o->command, SIZE_MAX));
	return json_finish(settings, err);
}

static json_t *tool_json(const struct findings *r)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "version", json_value__text(NETIOTRACE_VERSION));
	err |= json_put(o, "argv", strings_json(r->o->argv, r->o->argc));
	return json_finish(o, err);
}

static json_t *plan_json(const struct findings *r)
{
	json_t *list = json_array();
	int err = 0;

	for (size_t i = 0; i < r->plan_nr; i++)
		err |= json_array_append_new(list, json_document__plan_row(&r->plan[i]));
	return json_finish(list, err);
}

json_t *findings__document(const struct findings *r)
{
	const struct findings_row all = {.books = &r->table.total};
	json_t *o = json_object(), *total = json_object();
	int err = 0;

	err |= json_put(o, "schema", json_value__text("netiotrace.attach/1"));
	err |= json_put(o, "tool", tool_json(r));
	err |= json_put(o, "environment", json_document__environment(&r->env));
	err |= json_put(o, "settings", settings_json(r));
	err |= json_put(o, "plan", plan_json(r));
	err |= json_put(o, "duration_s", json_real((double)(r->ended_ns - r->begun_ns) / 1e9));
	err |= json_put(o, "interrupted", json_boolean(r->interrupted));
	err |= json_put(o, "sampling", json_cpu_sampling(&r->cpu));
	err |= json_put(o, "events", events_json(r));
	err |= json_put_u64(total, "connections", r->table.total.connections);
	err |= json_put(total, "cpu", json_cpu_split(r, &r->cpu.total));
	err |= put_books(total, r, &all);
	err |= json_put(o, "total", total);
	err |= json_put(o, "processes", processes_json(r));
	err |= json_put(o, "connections", connections_json(r));
	err |= json_put(o, "ports", groups_json(r, GROUP_PORT));
	err |= json_put(o, "cgroups", groups_json(r, GROUP_CGROUP));
	err |= json_put(o, "health", health_json(r));
	return json_finish(o, err);
}
