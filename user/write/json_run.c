/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a run, or of the total of a mode's runs, and of a mode's summary:
 * docs/reference/run.md, "A run" and "Summary". Performance counters and CPU time are in
 * json_perf.c.
 */
#include "field.h"
#include "json.h"
#include "model/remote.h"
#include "model/figures.h"
#include "model/result.h"
#include "model/socket_ledger.h"

static const char not_timed[] = "no event was timed";

static struct real seconds(struct num ns)
{
	return real_or(ns.known, (double)ns.value / 1e9, ns.reason);
}

static json_t *bucket_json(const struct hist *h, uint32_t i)
{
	uint64_t high = hist__bucket_high(h, i);
	json_t *bucket = json_array();

	json_array_append_new(bucket, json_value__u64(hist__bucket_low(h, i)));
	json_array_append_new(bucket, high == UINT64_MAX ? json_null() : json_value__u64(high));
	json_array_append_new(bucket, json_value__u64(h->buckets[i]));
	return bucket;
}

static json_t *buckets_json(const struct hist *h)
{
	json_t *buckets = json_array();

	for (uint32_t i = 0; h && i < h->n_buckets; i++)
		if (h->buckets[i])
			json_array_append_new(buckets, bucket_json(h, i));
	return buckets;
}

/* Unknown for that reason where the histogram has no value. */
static struct num quantile(const struct hist *h, double q, const char *reason)
{
	if (!h || !h->count)
		return (struct num){.reason = reason};
	return num_if(true, hist__quantile(h, q));
}

static struct real mean(const struct hist *h)
{
	return h && h->count ? real_if(true, hist__mean(h)) : (struct real){0};
}

/* none: the reason where nothing was timed. */
static const char *no_latency(const struct latency_result *l, const char *none)
{
	const char *reason = l->hist ? none : l->reason;

	if (l->hist && l->hist->count)
		return NULL;
	return reason ? reason : "not measured";
}

/* clang-format off */
#define LATENCY_FIELDS(X)                                                                    \
	X(bare,      "p50",     "ns", quantile(l->hist, 0.5, NULL))                          \
	X(bare,      "p90",     "ns", quantile(l->hist, 0.9, NULL))                          \
	X(bare,      "p99",     "ns", quantile(l->hist, 0.99, NULL))                         \
	X(bare,      "p999",    "ns", quantile(l->hist, 0.999, NULL))                        \
	X(bare,      "max",     "ns", num_if(l->hist && l->hist->count, l->hist ? l->hist->max : 0)) \
	X(bare_real, "mean",    "ns", mean(l->hist))                                         \
	X(bare,      "count",   "count", num_if(l->hist, l->hist ? l->hist->count : 0))      \
	X(json,      "buckets", "ns, ns, count", buckets_json(l->hist))                      \
	X(reason,    "reason",  no_latency(l, none))
FIELDS(latency, (const struct latency_result *l, const char *none), LATENCY_FIELDS)
/* clang-format on */

/* Nanoseconds per byte are seconds per gigabyte. */
static struct real cpu_s_per_gb(const struct run_result *run)
{
	const struct app_result *app = &run->app;
	struct num tx = app->sender_cpu_ns, rx = app->receiver_cpu_ns;
	uint64_t bytes = app->rx_bytes + app->replies.rx_bytes;

	if (!tx.known || !rx.known)
		return real_or(false, 0, tx.known ? rx.reason : tx.reason);
	if (run->not_final || !bytes)
		return real_or(false, 0, run->not_final ? run->not_final : "nothing was received");
	return real_or(true, ((double)tx.value + (double)rx.value) / (double)bytes, NULL);
}

/* clang-format off */
#define CPU_S_FIELDS(X)                                                \
	X(real, "sender",   "s", seconds(app->sender_cpu_ns))          \
	X(real, "receiver", "s", seconds(app->receiver_cpu_ns))
FIELDS(cpu_s, (const struct app_result *app), CPU_S_FIELDS)

#define REPLIES_FIELDS(X) X(numbers, REPLIES_NUMBERS, r)
FIELDS(replies, (const struct replies *r), REPLIES_FIELDS)

#define TCP_FIELDS(X)                                                  \
	X(u64, "bytes_acked",    "bytes", app->tcp_bytes_acked)        \
	X(num, "bytes_received", "bytes",                              \
	  num_or(!app->tcp_received_reason, app->tcp_bytes_received, app->tcp_received_reason)) \
	X(u64, "bytes_retrans",  "bytes", app->tcp_bytes_retrans)
FIELDS(tcp, (const struct app_result *app), TCP_FIELDS)

#define ZEROCOPY_FIELDS(X) X(numbers, ZC_NUMBERS, zc)
FIELDS(zerocopy, (const struct zc_counts *zc), ZEROCOPY_FIELDS)

#define APP_FIELDS(X)                                                              \
	X(u64,    "tx_bytes",        "bytes",  app->tx_bytes)                      \
	X(u64,    "tx_messages",     "count",  app->tx_messages)                   \
	X(num,    "rx_bytes",        "bytes",  num_or(!app->rx_reason, app->rx_bytes, app->rx_reason)) \
	X(num,    "rx_messages",     "count",  num_or(!app->rx_reason, app->rx_messages, app->rx_reason)) \
	X(num,    "rx_uncopied_bytes", "bytes", app->rx_uncopied)                  \
	X(real,   "throughput_gbps", "Gbit/s", run_result__gbps(run))              \
	X(u64,    "partial_sends",   "count",  app->partial_sends)                 \
	X(u64,    "eagain",          "count",  app->eagain)                        \
	X(u64,    "eintr",           "count",  app->eintr)                         \
	X(num,    "verify_errors",   "count of messages", app->verify_errors)      \
	X(object, "cpu_s",           cpu_s, app)                                   \
	X(real,   "cpu_s_per_gb",    "s/GB", cpu_s_per_gb(run))                    \
	X(object, "replies",         replies, &app->replies)                       \
	X(object, "tcp",             tcp, app)                                     \
	X(object, "zerocopy",        zerocopy, &app->zc)                           \
	X(family, "latency_ns",      "<kind>", latency, LATENCY_NR, latency__key,  \
	  &app->latency[i], latency__none(i))
FIELDS(app, (const struct run_result *run, const struct app_result *app), APP_FIELDS)

/* The kernel's own count of the sockets' bytes: the witness beside the load generator's. */
#define TCP_SEQ_FIELDS(X)                                                         \
	X(text,   "source",          "text",  s->source)                           \
	X(reason, "source_reason",   s->source ? NULL                              \
	  : s->tx_bytes.reason       ? s->tx_bytes.reason : "not measured")        \
	X(numbers, SEQUENCE_NUMBERS, s)
FIELDS(sequence, (const struct sequence_result *s), TCP_SEQ_FIELDS)

#define TLS_FIELDS(X) X(numbers, TLS_NUMBERS, t)
FIELDS(tls, (const struct tls_result *t), TLS_FIELDS)
/* clang-format on */

/* A stage of the ledger. Its quality is that of its bytes; its events may be a sample. */

static bool is_known(const struct stage_result *s)
{
	return s->quality != QUALITY_UNAVAILABLE;
}

static bool has_events(const struct stage_result *s)
{
	return is_known(s) && !s->no_events;
}

static const char *events_quality(const struct run_result *run, enum nio_stage stage)
{
	if (!has_events(&run->stages[stage]))
		return NULL;
	return quality__name(run_result__sampled_events(run, stage) ? QUALITY_SAMPLED
								    : QUALITY_EXACT);
}

static struct num quantile_of_times(const struct stage_result *s, double q)
{
	return quantile(s->times, q,
			!s->ns.known ? s->ns.reason
			: s->times   ? not_timed
				     : "only the sum of the times is kept");
}

static const struct hist *sizes_of(const struct stage_result *s)
{
	return has_events(s) ? s->sizes : NULL;
}

/* Bytes per event. Where the stage is not known, its own reason is enough. */
static void json_put_size(json_t *o, const char *key, const struct stage_result *s, double q)
{
	const char *none = s->no_events ? s->no_events : "no event was counted by size";

	if (is_known(s))
		json_put_num(o, key, quantile(sizes_of(s), q, none));
	else
		json_put(o, key, json_null());
}

/* clang-format off */
#define FIELD_ROW_size(key, unit, ...) FIELD_ROW_VALUE(key, unit)
#define FIELD_PUT_size(key, unit, ...) json_put_size(o, key, __VA_ARGS__);

#define STAGE_FIELDS(X)                                                                        \
	X(text,   "quality",        "text",  quality__name(s->quality))                        \
	X(reason, "reason",         s->reason || is_known(s) ? s->reason : "not measured")     \
	X(bare,   "bytes",          "bytes", num_if(is_known(s), s->bytes))                    \
	X(bare,   "bytes_at_most",  "bytes",                                                   \
	  num_if(is_known(s), s->bytes + (s->open_bytes.known ? s->open_bytes.value : 0)))     \
	X(bare,   "events",         "count", num_if(has_events(s), s->events))                 \
	X(text,   "events_quality", "text",  events_quality(run, stage))                       \
	X(reason, "events_reason",  is_known(s) ? s->no_events : NULL)                         \
	X(reason, "event",          has_events(s) ? s->event : NULL)                           \
	X(num,    "ns",             "ns",    s->ns)                                            \
	X(num,    "timed",          "count", s->timed)                                         \
	X(num,    "timed_bytes",    "bytes", num__rounded(time_figures__timed_bytes(run, stage))) \
	X(num,    "ns_p50",         "ns",    quantile_of_times(s, 0.5))                        \
	X(num,    "ns_p99",         "ns",    quantile_of_times(s, 0.99))                       \
	X(json,   "ns_buckets",     "ns, ns, count", buckets_json(s->times))                   \
	X(size,   "p50",            "bytes", s, 0.5)                                           \
	X(size,   "p99",            "bytes", s, 0.99)                                          \
	X(json,   "sizes",          "bytes, bytes, count", buckets_json(sizes_of(s)))
FIELDS(stage, (const struct run_result *run, enum nio_stage stage, const struct stage_result *s),
       STAGE_FIELDS)

/* Where the deferred copies ran. */
#define PLACE_FIELDS(X)                                                \
	X(text, "context", "text",  nio_context__name(p->context))     \
	X(text, "comm",    "text",  p->comm)                           \
	X(text, "device",  "text",  p->dev[0] ? p->dev : NULL)         \
	X(u64,  "bytes",   "bytes", p->bytes)                          \
	X(u64,  "events",  "count", p->events)                         \
	X(u64,  "ns",      "ns",    p->ns)
FIELDS(place, (const struct place_result *p), PLACE_FIELDS)

/* The callers of unexpected copies. */
#define CALLER_FIELDS(X)                                               \
	X(text, "caller", "text",  c->caller)                          \
	X(u64,  "bytes",  "bytes", c->bytes)                           \
	X(u64,  "events", "count", c->events)                          \
	X(u64,  "ns",     "ns",    c->ns)
FIELDS(caller, (const struct other_result *c), CALLER_FIELDS)

#define PLACES_FIELDS(X)                                               \
	X(list,   "places", place, run->places_nr, &run->places[i])    \
	X(reason, "places_reason", run->places_reason)
#define CALLERS_FIELDS(X)                                              \
	X(list,   "callers", caller, run->others_nr, &run->others[i])

#define ledger_stage_fields stage_fields
static const struct field places_fields[] = { PLACES_FIELDS(FIELD_ROW) {0} };
static const struct field callers_fields[] = { CALLERS_FIELDS(FIELD_ROW) {0} };
/* clang-format on */

static json_t *ledger_stage_json(const struct run_result *run, enum nio_stage stage)
{
	json_t *o = stage_json(run, stage, &run->stages[stage]);

	if (stage == NIO_STAGE_DEFERRED_COPY) {
		PLACES_FIELDS(FIELD_PUT)
	} else if (stage == NIO_STAGE_OTHER_COPY) {
		CALLERS_FIELDS(FIELD_PUT)
	}
	return o;
}

static json_t *excluded_json(const struct run_result *run)
{
	json_t *excluded = json_array();

	for (enum nio_stage i = 0; i < NIO_STAGE_NR; i++)
		if (stage__is_copy(i) && !remote__owns_stage(run, i) && !is_known(&run->stages[i]))
			json_array_append_new(excluded, json_value__text(stage__key(i)));
	return excluded;
}

static struct real unaccounted(const struct run_result *run, int64_t bytes)
{
	return real_or(run->ledger_known && run->balance_known, (double)bytes,
		       !run->ledger_known ? run->ledger_reason
		       : run->not_final   ? run->not_final
					  : "bytes sent or received are not known: see the reasons "
					    "of the stages");
}

static struct real unaccounted_rx(const struct run_result *run)
{
	if (run->sender_side)
		return (struct real){.reason = REMOTE_REASON};
	return unaccounted(run, run->unaccounted_rx);
}

/* clang-format off */
#define LEDGER_FIELDS(X)                                                                     \
	X(members, "<stage>", ledger_stage, NIO_STAGE_NR, stage__key, run, i)                \
	X(only,    "deferred_copy", places)                                                  \
	X(only,    "other_copy", callers)                                                    \
	X(whole,   "unaccounted_tx",           "bytes", unaccounted(run, run->unaccounted_tx)) \
	X(whole,   "unaccounted_rx",           "bytes", unaccounted_rx(run))                 \
	X(num,     "unclassified",             "bytes", run->unclassified)                   \
	X(real,    "copies_per_byte",          "ratio", run->copies_per_byte)                \
	X(real,    "copies_per_byte_at_most",  "ratio", run->copies_per_byte_at_most)        \
	X(text,    "copies_per_byte_side",     "text",  run->sender_side ? "sender" : "both") \
	X(json,    "copies_per_byte_excludes", "list of text", excluded_json(run))
FIELDS(ledger, (const struct run_result *run), LEDGER_FIELDS)
/* clang-format on */

/* Zero-copy sends as the kernel counts them. */

struct kernel_zc {
	bool known, sampled;
	bool coded; /* the codes of all completions are known */
	struct zc_counts counts;
	uint64_t missed;
	const char *no_sends;
};

static struct kernel_zc kernel_zc_of(const struct run_result *run)
{
	const char *no_pins = run->stages[NIO_STAGE_TX_PIN].no_events;
	struct kernel_zc zc = {
		.known = run->ledger_known && run->kernel_zc_known,
		.counts = run_result__completions(run),
		.missed = run_result__completions_missed(run),
	};

	zc.sampled = zc.known && run_result__sampled_completions(run);
	zc.coded = zc.known && !zc.sampled;
	zc.no_sends = run->sequence.tx_ids.known ? NULL : no_pins;
	return zc;
}

static struct real sends_per_notification(const struct run_result *run)
{
	struct num n = run->notifications;
	/* Each request of io_uring has one, which may come without a report. */
	uint64_t completed = mode__has(run->mode, MODE_PINS_BY_URING) ? run->kernel_zc.sends
								      : run->kernel_zc.completed;

	if (!run->kernel_zc_known || !n.known)
		return real_or(false, 0, n.reason);
	/* The first notification of a window completes the sends before the window as well. */
	if (run_result__sampled_completions(run))
		return real_or(false, 0, "completions were sampled");
	if (!n.value)
		return real_or(false, 0, "nothing completed");
	return real_or(true, (double)completed / (double)n.value, NULL);
}

static const char *no_codes(const struct run_result *run, const struct kernel_zc *zc)
{
	if (zc->coded)
		return NULL;
	if (zc->sampled)
		return "completions were sampled: app.zerocopy has all, "
		       "and their codes";
	return run->ledger_known || !run->ledger_reason ? "completions were not watched: see plan"
							: run->ledger_reason;
}

/* clang-format off */
#define KERNEL_ZEROCOPY_FIELDS(X)                                                              \
	X(bare,   "sends",                  "count", num_if(zc.known && !zc.no_sends, zc.counts.sends)) \
	X(bare,   "completed",              "count", zc.sampled ? run->zc_completed            \
	  : num_if(zc.known, zc.counts.completed))                                             \
	X(bare,   "copied",                 "count", num_if(zc.coded, zc.counts.copied))       \
	X(bare,   "copied_at_most",         "count", num_if(zc.coded, zc.counts.copied + zc.missed)) \
	X(bare,   "not_copied",             "count", num_if(zc.coded, zc.counts.not_copied))   \
	X(reason, "sends_reason",           zc.known ? zc.no_sends : NULL)                     \
	X(num,    "notifications",          "count", run->notifications)                       \
	X(bare,   "missed",                 "count", num_if(zc.known, zc.missed))              \
	X(num,    "sends_unseen",           "count", run->zc_unseen)                           \
	X(num,    "requests_unreported",    "count", run->unreported)                          \
	X(num,    "requests_misreported",   "count", run->misreported)                         \
	X(real,   "sends_per_notification", "ratio", sends_per_notification(run))              \
	X(num,    "completed_bytes",        "bytes", run->pinned.completed_bytes)              \
	X(num,    "enobufs_optmem",         "count", run->enobufs_optmem)                      \
	X(num,    "enobufs_memlock",        "count", run->enobufs_memlock)                     \
	X(object, "completion_ns",          latency, &run->pinned.completion, not_timed)       \
	X(object, "outstanding_bytes",      latency, &run->pinned.outstanding, "nothing was pinned") \
	X(reason, "reason",                 no_codes(run, &zc))
FIELDS(kernel_zerocopy, (const struct run_result *run, struct kernel_zc zc),
       KERNEL_ZEROCOPY_FIELDS)

#define CAUSE_FIELDS(X)                                                \
	X(text, "cause",    "text", zc_cause__key(c->cause))           \
	X(text, "evidence", "text", c->evidence)
FIELDS(cause, (const struct cause *c), CAUSE_FIELDS)

#define VERDICT_FIELDS(X)                                              \
	X(real, "copied_fraction", "0..1", v->copied_fraction)         \
	X(text, "cause",           "text", zc_cause__key(v->cause))    \
	X(list, "causes",          cause, v->causes_nr, &v->causes[i]) \
	X(text, "text",            "text", v->text)
FIELDS(verdict, (const struct verdict *v), VERDICT_FIELDS)
/* clang-format on */

/* The round of the times: a timed round, or the run itself. source NULL: no times. */
struct timed {
	const char *source, *reason;
	struct times_result of;
};

static struct timed timed_of(const struct run_result *run)
{
	struct timed t = {.of = run->times, .reason = run->times.reason};

	if (run->times.source == TIMES_FROM_TIMED_ROUND)
		t.source = "own_round";
	if (run->times.source != TIMES_OF_ROUND)
		return t;
	t.source = run->path_calls.known ? "round" : NULL;
	t.of = (struct times_result){
		.duration_ns = run->duration_ns,
		.messages = run->app.tx_messages,
		.payload = run_result__payload(run),
		.missed = run->health.missed,
		.map_full = run->health.map_full,
		.unmatched = run->health.unmatched,
	};
	t.reason = run->path_calls.reason ? run->path_calls.reason : "not measured";
	return t;
}

/* Without times, the object has the reason. */
static void json_put_loss(json_t *o, const char *key, bool timed, struct num loss)
{
	if (timed)
		json_put_num(o, key, loss);
	else
		json_put(o, key, json_null());
}

/* clang-format off */
#define FIELD_ROW_loss(key, unit, ...) FIELD_ROW_VALUE(key, unit)
#define FIELD_PUT_loss(key, unit, ...) json_put_loss(o, key, __VA_ARGS__);

#define TIMES_FIELDS(X)                                                                      \
	X(text,      "source",        "text",  t.source)                                     \
	X(reason,    "reason",        t.source ? NULL : t.reason)                           \
	X(bare_real, "duration_s",    "s",     real_if(t.source, (double)t.of.duration_ns / 1e9)) \
	X(bare,      "messages",      "count", num_if(t.source, t.of.messages))              \
	X(bare,      "send_calls",    "count", num_if(t.source, calls))                      \
	X(bare,      "payload_bytes", "bytes", num_if(t.source, t.of.payload))               \
	X(loss,      "missed",        "count", t.source, t.of.missed)                        \
	X(loss,      "map_full",      "count", t.source, t.of.map_full)                      \
	X(loss,      "unmatched",     "count", t.source, t.of.unmatched)
FIELDS(times, (struct timed t, uint64_t calls), TIMES_FIELDS)

#define PATH_FIELDS(X)                                                                  \
	X(member_values, "<part>", "ns", num, PATH_NR, path_part__key, run->path_ns[i]) \
	X(num,    "calls",   "count", run->path_calls)                                  \
	X(text,   "quality", "text",  quality__name(run->path_quality))                 \
	X(reason, "reason",  run->path_reason)
FIELDS(path, (const struct run_result *run), PATH_FIELDS)

#define UNCOVERED_FIELDS(X)                                                             \
	X(text, "kind",   "text",  uncovered__key(kind))                                \
	X(text, "side",   "text",  side == NIO_SIDE_SENDER ? "sender" : "receiver")     \
	X(u64,  "bytes",  "bytes", u->bytes)                                            \
	X(u64,  "events", "count", u->events)
FIELDS(uncovered, (const struct nio_uncovered *u, enum nio_side side,
		   enum nio_uncovered_kind kind), UNCOVERED_FIELDS)
/* clang-format on */

/* The kinds that occurred. */
static json_t *uncovered_list(const struct run_result *run)
{
	json_t *list = json_array();

	for (enum nio_side side = 0; side < NIO_SIDE_NR; side++)
		for (enum nio_uncovered_kind kind = 0; kind < NIO_UNCOVERED_NR; kind++)
			if (run->uncovered[side][kind].events)
				json_array_append_new(
					list,
					uncovered_json(&run->uncovered[side][kind], side, kind));
	return list;
}

/* clang-format off */
#define HEALTH_FIELDS(X)                                                    \
	X(real, "events_share", "0..1",  run_result__events_share(run))     \
	X(numbers, HEALTH_NUMBERS, &run->health)                            \
	X(real, "paused_s",     "s",                                        \
	  real_or(run->duration_ns, (double)run->health.paused_ns / 1e9, "nothing was measured")) \
	X(real, "cpu_steal",    "0 to 1",   health__stolen(&run->health))   \
	X(real, "cpu_others",   "0 to 1",   health__others(&run->health))
FIELDS(health, (const struct run_result *run), HEALTH_FIELDS)

#define REFUSED_FIELDS(X)                                                                \
	X(member_values, "<error>", "count", num, NIO_REFUSAL_NR, socket_ledger__refusal_key, \
	  run->refused[i])
FIELDS(refused, (const struct run_result *run), REFUSED_FIELDS)

/* A row per side and kind that occurred. */
#define FIELD_ROW_uncovered(key_, ...) {.key = key_, .fields = uncovered_fields, .is_list = true},
#define FIELD_PUT_uncovered(key, ...)  json_put(o, key, uncovered_list(__VA_ARGS__));

#define RUN_FIELDS(X)                                                       \
	X(text,   "mode",            "text",  mode__name(run->mode))        \
	X(u64,    "size",            "bytes", run->size)                    \
	X(u64,    "fields",          "count", run->fields)                  \
	X(u64,    "threads",         "count", run->threads)                 \
	X(u64,    "connections",     "count", run->connections)             \
	X(u64,    "round",           "count", run->round)                   \
	X(real,   "duration_s",      "s",                                   \
	  real_or(run->duration_ns, (double)run->duration_ns / 1e9, "nothing was measured")) \
	X(bool,   "interrupted",     "true/false", run->interrupted)        \
	X(object, "app",             app, run, &run->app)                   \
	X(object, "sequence",        sequence, &run->sequence)              \
	X(object, "ledger",          ledger, run)                           \
	X(object, "tls_tx",          tls, &run->sequence.tls[NIO_SIDE_SENDER]) \
	X(object, "tls_rx",          tls, &run->sequence.tls[NIO_SIDE_RECEIVER]) \
	X(object, "refused",         refused, run)                          \
	X(object, "kernel_zerocopy", kernel_zerocopy, run, kernel_zc_of(run)) \
	X(object, "verdict",         verdict, &run->verdict)                \
	X(object, "times",           times, timed_of(run), time_figures__calls(run)) \
	X(object, "path_ns",         path, run)                             \
	X(document, "perf",          perf, run)                             \
	X(document, "cpu",           cpu, run, &run->cpu)                              \
	X(uncovered, "uncovered",    run)                                   \
	X(object, "health",          health, run)
DOCUMENT_FIELDS(run, (const struct run_result *run), RUN_FIELDS)
/* clang-format on */

/* A run without what only a round has: mode and size are the row's, stacks are long. */
static json_t *total_json(const struct run_result *run)
{
	static const char *const of_rounds[] = {"mode", "size", "threads", "connections", "round"};
	json_t *total = json_document__run(run);

	json_object_del(json_object_get(total, "cpu"), "stacks");
	for (size_t i = 0; i < sizeof(of_rounds) / sizeof(of_rounds[0]); i++)
		json_object_del(total, of_rounds[i]);
	return total;
}

/* clang-format off */
#define SPREAD_FIELDS(X)                                               \
	X(bare_real, "median", "",      real_if(s->n, s->median))          \
	X(bare_real, "low",    "",      real_if(s->n, s->low))             \
	X(bare_real, "high",   "",      real_if(s->n, s->high))            \
	X(u64,       "n",      "count", s->n)                          \
	X(reason,    "reason", s->n ? NULL : "no round has a value")
FIELDS(spread, (const struct spread *s), SPREAD_FIELDS)

#define SUMMARY_FIELDS(X)                                                              \
	X(text,   "mode",            "text",  mode__name(s->mode))                     \
	X(u64,    "size",            "bytes", s->size)                                 \
	X(u64,    "threads",         "count", s->threads)                              \
	X(u64,    "rounds",          "count", s->rounds)                               \
	X(object, "throughput_gbps", spread, &s->throughput_gbps)                      \
	X(object, "copies_per_byte", spread, &s->copies_per_byte)                      \
	X(object, "cpu_ns_per_kib",  spread, &s->cpu_ns_per_kib)                       \
	X(real,   "copied_fraction", "0..1",  s->total.verdict.copied_fraction)        \
	X(real,   "cpu_s_per_gb",    "s/GB",  cpu_s_per_gb(&s->total))                 \
	X(whole,  "unaccounted_tx",  "bytes", unaccounted(&s->total, s->total.unaccounted_tx)) \
	X(whole,  "unaccounted_rx",  "bytes", unaccounted_rx(&s->total))               \
	X(json,   "total",           "object", total_json(&s->total))
DOCUMENT_FIELDS(summary, (const struct mode_summary *s), SUMMARY_FIELDS)
/* clang-format on */
