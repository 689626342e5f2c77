/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of all parts of a result, and the life cycle of a run's result. Pure data. */
#include <string.h>

#include "result.h"

static const char not_measured[] = "not measured";

/* clang-format off */
const struct number_row
	zc__numbers[] = { ZC_NUMBERS(NUMBER_ROW, struct zc_counts) {0} },
	replies__numbers[] = { REPLIES_NUMBERS(NUMBER_ROW, struct replies) {0} },
	tls__numbers[] = { TLS_NUMBERS(NUMBER_ROW, struct tls_result) {0} },
	sequence__numbers[] = { SEQUENCE_NUMBERS(NUMBER_ROW, struct sequence_result) {0} },
	health__numbers[] = { HEALTH_NUMBERS(NUMBER_ROW, struct health) {0} },
	kernel__numbers[] = { KERNEL_NUMBERS(NUMBER_ROW, struct run_result) {0} },
	window__numbers[] = { WINDOW_NUMBERS(NUMBER_ROW, struct perf_window) {0} };
/* clang-format on */

static const struct stage {
	const char *key, *head;
	enum nio_side side;
	bool copies;
	enum stage_account account;
	const char *help;
} stage_rows[] = {
#define X(id, key, head, side, copies, account, probe, hist, help) \
	[NIO_STAGE_##id] = {key, head, NIO_SIDE_##side, copies, STAGE_##account, help},
	NIO_STAGES(X)
#undef X
};

/* clang-format off */
const char *stage__key(enum nio_stage s)            { return stage_rows[s].key; }
const char *stage__heading(enum nio_stage s)        { return stage_rows[s].head; }
enum nio_side stage__side(enum nio_stage s)         { return stage_rows[s].side; }
bool stage__is_copy(enum nio_stage s)               { return stage_rows[s].copies; }
enum stage_account stage__account(enum nio_stage s) { return stage_rows[s].account; }

bool stage__is_rare(enum nio_stage s)
{
	return s == NIO_STAGE_TX_SPLICE || s == NIO_STAGE_RX_MAP || s == NIO_STAGE_RX_DISCARD ||
	       s == NIO_STAGE_RX_SPLICE || s == NIO_STAGE_TLS_COPY;
}
const char *stage__help(enum nio_stage s)           { return stage_rows[s].help; }
/* clang-format on */

static const struct latency_row {
	const char *key;
	enum nio_side side;
	const char *heading, *none, *help;
} latencies[] = {
#define X(id, key, side, ...) {key, NIO_SIDE_##side, __VA_ARGS__},
	LATENCIES(X)
#undef X
};

/* clang-format off */
const char *latency__key(enum latency_kind k)     { return latencies[k].key; }
enum nio_side latency__side(enum latency_kind k)  { return latencies[k].side; }
const char *latency__heading(enum latency_kind k) { return latencies[k].heading; }
const char *latency__none(enum latency_kind k)    { return latencies[k].none; }
const char *latency__help(enum latency_kind k)    { return latencies[k].help; }
/* clang-format on */

bool latency__is_detail(enum latency_kind k)
{
	return k == LATENCY_SLOT_WAIT || k == LATENCY_RECV_CALL || k == LATENCY_MISSED;
}

static const struct name {
	const char *key, *heading;
} path_parts[] = {{"send_total", "send call"},
#define X(id, key, head, ...) {key, head},
		  NIO_PATH_PARTS(X)
#undef X
},
  counters[] = {
#define X(id, key, words, ...) {key, words},
	  PERF_COUNTERS(X)
#undef X
};

/* clang-format off */
const char *path_part__key(enum path_part p)          { return path_parts[p].key; }
const char *path_part__heading(enum path_part p)      { return path_parts[p].heading; }
const char *perf_counter__key(enum perf_counter c)    { return counters[c].key; }
const char *perf_counter__words(enum perf_counter c)  { return counters[c].heading; }
/* clang-format on */

const char *nio_context__name(enum nio_context c)
{
	static const char *const names[] = {
		[NIO_CONTEXT_UNKNOWN] = "unknown",
		[NIO_CONTEXT_PROCESS] = "process",
		[NIO_CONTEXT_SOFTIRQ] = "softirq",
	};

	return names[c];
}

const char *perf_window__key(enum nio_perf_window w)
{
	static const char *const keys[] = {
#define X(id, key) key,
		NIO_PERF_WINDOWS(X)
#undef X
	};

	return keys[w];
}

const char *zc_cause__key(enum zc_cause c)
{
	static const char *const keys[] = {
		[ZC_CAUSE_NONE] = "none",
		[ZC_CAUSE_NOT_COPIED] = "not_copied",
		[ZC_CAUSE_LOCAL] = "local_delivery",
		[ZC_CAUSE_TAP] = "packet_tap",
		[ZC_CAUSE_NO_SG] = "no_scatter_gather",
		[ZC_CAUSE_ENOBUFS] = "enobufs",
		[ZC_CAUSE_ENOBUFS_MEMLOCK] = "enobufs_memlock",
		[ZC_CAUSE_ENOBUFS_OPTMEM] = "enobufs_optmem",
		[ZC_CAUSE_RETRANSMISSION] = "retransmission",
		[ZC_CAUSE_ARRIVED] = "delivered_here",
		[ZC_CAUSE_NO_OPTION] = "no_so_zerocopy",
		[ZC_CAUSE_IO_URING] = "io_uring",
		[ZC_CAUSE_UNKNOWN] = "unknown",
	};

	return keys[c];
}

void run_result__no_windows(struct run_result *r, const char *reason)
{
	for (int i = 0; i < NIO_PERF_WINDOW_NR; i++) {
		r->perf_window[i] = (struct perf_window){.reason = reason};
		numbers__forget(window__numbers, &r->perf_window[i], reason);
	}
}

void run_result__no_kernel(struct run_result *r, const char *reason)
{
	const struct num none = num__unknown(reason);

	r->ledger_known = false;
	r->ledger_reason = r->places_reason = r->path_reason = reason;
	r->path_quality = QUALITY_UNAVAILABLE;
	r->pinned.completion.reason = r->pinned.outstanding.reason = reason;
	r->copies_per_byte = r->copies_per_byte_at_most = real__unknown(reason);
	numbers__forget(kernel__numbers, r, reason);
	numbers__forget(health__numbers, &r->health, reason);
	numbers__forget(sequence__numbers, &r->sequence, reason);
	r->path_calls = r->pinned.completed_bytes = none;
	r->times.missed = r->times.map_full = r->times.unmatched = none;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		numbers__forget(tls__numbers, &r->sequence.tls[side], reason);
	for (int i = 0; i < NIO_REFUSAL_NR; i++)
		r->refused[i] = none;
	for (int p = PATH_SEND_TOTAL + 1; p < PATH_NR; p++)
		r->path_ns[p] = none;
	for (int i = NIO_STAGE_USER_GATHER + 1; i < NIO_STAGE_NR; i++) {
		struct stage_result *s = &r->stages[i];

		s->quality = QUALITY_UNAVAILABLE;
		s->reason = reason;
		s->ns = s->timed = s->timed_bytes = s->open_bytes = none;
	}
	run_result__no_windows(r, reason);
}

void run_result__init(struct run_result *r)
{
	const struct num none = num__unknown(not_measured);
	struct stage_result *gather = &r->stages[NIO_STAGE_USER_GATHER];
	struct app_result *app = &r->app;

	memset(r, 0, sizeof(*r));
	run_result__no_kernel(r, not_measured);
	gather->reason = r->verdict.copied_fraction.reason = not_measured;
	gather->ns = gather->timed = gather->timed_bytes = gather->open_bytes = none;
	r->path_ns[PATH_SEND_TOTAL] = none;
	numbers__forget(replies__numbers, &app->replies, not_measured);
	app->rx_uncopied = app->verify_errors = none;
	app->sender_cpu_ns = app->receiver_cpu_ns = none;
	for (int i = 0; i < LATENCY_NR; i++)
		app->latency[i].reason = not_measured;
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int c = 0; c < PERF_NR; c++) {
			struct perf_detail *d = &r->perf_detail[side][c];

			r->perf[side][c] = d->user = d->kernel = none;
			d->running.reason = not_measured;
		}
	}
	cpu_time__none(&r->cpu, not_measured);
}

/* Leaves an empty result, so that clearing twice is harmless. */
void run_result__clear(struct run_result *r)
{
	int i;

	for (i = 0; i < LATENCY_NR; i++)
		hist__free(r->app.latency[i].hist);
	for (i = 0; i < NIO_STAGE_NR; i++) {
		hist__free(r->stages[i].sizes);
		hist__free(r->stages[i].times);
	}
	hist__free(r->pinned.completion.hist);
	hist__free(r->pinned.outstanding.hist);
	cpu_time__clear(&r->cpu);
	run_result__init(r);
}

uint64_t run_result__delivered(const struct run_result *r)
{
	return r->app.rx_reason ? r->app.tcp_bytes_acked : r->app.rx_bytes;
}

uint64_t run_result__payload(const struct run_result *r)
{
	return r->sender_side ? r->app.tx_bytes : run_result__received(r);
}

/* Replies of a remote receiver are not in this machine's ledger. */
uint64_t run_result__sent(const struct run_result *r)
{
	return r->app.tx_bytes + (r->sender_side ? 0 : r->app.replies.tx_bytes.value);
}

uint64_t run_result__received(const struct run_result *r)
{
	return r->app.rx_bytes + (r->sender_side ? 0 : r->app.replies.rx_bytes);
}

uint64_t run_result__completions_missed(const struct run_result *r)
{
	if (!r->kernel_zc_known || r->not_final || run_result__sampled_completions(r) ||
	    r->app.zc.completed <= r->kernel_zc.completed)
		return 0;
	return r->app.zc.completed - r->kernel_zc.completed;
}

struct zc_counts run_result__completions(const struct run_result *r)
{
	struct zc_counts zc = r->kernel_zc;

	zc.completed += run_result__completions_missed(r);
	return zc;
}

static bool has_slices(const struct run_result *r)
{
	return r->health.attached_ns < r->health.phase_ns;
}

struct real run_result__events_share(const struct run_result *r)
{
	const struct health *h = &r->health;

	if (!r->ledger_known)
		return real__unknown(r->ledger_reason);
	if (!has_slices(r))
		return real__known(1);
	return real__known((double)h->attached_ns / (double)h->phase_ns);
}

bool run_result__sampled_events(const struct run_result *r, enum nio_stage stage)
{
	if (!has_slices(r))
		return false;
	if (stage == NIO_STAGE_DEFERRED_COPY)
		return mode__has(r->mode, MODE_PINS);
	/* A remote receiver has no events here. */
	return stage__account(stage) == STAGE_SENT ||
	       (stage__account(stage) == STAGE_RECEIVED && !r->sender_side);
}

bool run_result__sampled_completions(const struct run_result *r)
{
	return has_slices(r) && mode__has(r->mode, MODE_PINS);
}

bool run_result__unbalanced(const struct run_result *r)
{
	return r->balance_known && (r->unaccounted_tx || r->unaccounted_rx);
}

struct real run_result__gbps(const struct run_result *r)
{
	if (!r->duration_ns)
		return real__unknown("nothing was measured");
	if (r->health.paused_ns)
		return real__unknown("the load generator was stopped during the round "
				     "(SIGSTOP, Ctrl-Z, a frozen cgroup)");
	return real__known((double)run_result__delivered(r) * 8 / (double)r->duration_ns);
}

static const struct {
	const char *key;
	const char *text;
} kinds[NIO_UNCOVERED_NR] = {
#define X(id, key, text) [NIO_UNCOVERED_##id] = {key, text},
	NIO_UNCOVERED(X)
#undef X
};

const char *uncovered__key(enum nio_uncovered_kind kind)
{
	return kinds[kind].key;
}

const char *uncovered__text(enum nio_uncovered_kind kind)
{
	return kinds[kind].text;
}

bool uncovered__any(const struct run_result *r)
{
	for (int side = 0; side < NIO_SIDE_NR; side++)
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (r->uncovered[side][kind].events)
				return true;
	return false;
}

static struct real machine_share(const struct health *h, uint64_t part)
{
	if (!h->machine_ns)
		return real__unknown("the CPU time of the machine or of the run is not known");
	return real__known((double)part / (double)h->machine_ns);
}

struct real health__stolen(const struct health *h)
{
	return machine_share(h, h->machine_stolen_ns);
}

struct real health__others(const struct health *h)
{
	return machine_share(h, h->machine_others_ns);
}
