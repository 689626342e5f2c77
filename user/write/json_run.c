/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run (or the total of a mode's runs) as a JSON object: docs/OUTPUT.md, "A run". Knows nothing
 * of files, nor of how a number was come by.
 */
#include "json.h"
#include "json_hist.h"
#include "model/remote.h"
#include "model/uncovered.h"

static const char not_timed[] = "no event was timed";

static json_t *latencies_json(const struct app_result *app)
{
	json_t *o = json_object();
	int i, err = 0;

	for (i = 0; i < LATENCY_NR; i++)
		err |= json_put(o, latency__key((enum latency_kind)i),
				json_latency(&app->latency[i], latency__none(i)));
	return json_finish(o, err);
}

static json_t *zerocopy_json(const struct zc_counts *zc)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put_u64(o, "sends", zc->sends);
	err |= json_put_u64(o, "completed", zc->completed);
	err |= json_put_u64(o, "copied", zc->copied);
	err |= json_put_u64(o, "not_copied", zc->not_copied);
	err |= json_put_u64(o, "enobufs", zc->enobufs);
	err |= json_put_u64(o, "fallback_bytes", zc->fallback_bytes);
	return json_finish(o, err);
}

static json_t *tcp_json(const struct app_result *app)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put_u64(o, "bytes_acked", app->tcp_bytes_acked);
	err |= json_put_num(o, "bytes_received",
			    (struct num){.value = app->tcp_bytes_received,
					 .known = !app->tcp_received_reason,
					 .reason = app->tcp_received_reason});
	err |= json_put_u64(o, "bytes_retrans", app->tcp_bytes_retrans);
	return json_finish(o, err);
}

static json_t *replies_json(const struct replies *a)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put_num(o, "tx_bytes", a->tx_bytes);
	err |= json_put_num(o, "tx_messages", a->tx_messages);
	err |= json_put_u64(o, "rx_bytes", a->rx_bytes);
	err |= json_put_u64(o, "rx_messages", a->rx_messages);
	err |= json_put_u64(o, "errors", a->errors);
	return json_finish(o, err);
}

static struct real seconds(struct num ns)
{
	return (struct real){
		.value = (double)ns.value / 1e9, .known = ns.known, .reason = ns.reason};
}

/* Nanoseconds a byte are seconds a gigabyte. */
static struct real cpu_s_per_gb(const struct run_result *run)
{
	const struct app_result *app = &run->app;
	struct num tx = app->sender_cpu_ns, rx = app->receiver_cpu_ns;

	if (!tx.known || !rx.known)
		return (struct real){.reason = tx.known ? rx.reason : tx.reason};
	if (run->not_final)
		return (struct real){.reason = run->not_final};
	if (!app->rx_bytes && !app->replies.rx_bytes)
		return (struct real){.reason = "nothing was received"};
	return (struct real){
		.value = ((double)tx.value + (double)rx.value) /
			 (double)(app->rx_bytes + app->replies.rx_bytes),
		.known = true,
	};
}

static json_t *cpu_json(const struct app_result *app)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put_real(o, "sender", seconds(app->sender_cpu_ns));
	err |= json_put_real(o, "receiver", seconds(app->receiver_cpu_ns));
	return json_finish(o, err);
}

static struct num received(const struct app_result *app, uint64_t value)
{
	return (struct num){.value = value, .known = !app->rx_reason, .reason = app->rx_reason};
}

static json_t *app_json(const struct run_result *run)
{
	const struct app_result *app = &run->app;
	json_t *o = json_object();
	int err = 0;

	err |= json_put_u64(o, "tx_bytes", app->tx_bytes);
	err |= json_put_u64(o, "tx_messages", app->tx_messages);
	err |= json_put_num(o, "rx_bytes", received(app, app->rx_bytes));
	err |= json_put_num(o, "rx_messages", received(app, app->rx_messages));
	err |= json_put_real(o, "throughput_gbps", run_result__gbps(run));
	err |= json_put_u64(o, "partial_sends", app->partial_sends);
	err |= json_put_u64(o, "eagain", app->eagain);
	err |= json_put_u64(o, "eintr", app->eintr);
	err |= json_put_num(o, "verify_errors", app->verify_errors);
	err |= json_put(o, "cpu_s", cpu_json(app));
	err |= json_put_real(o, "cpu_s_per_gb", cpu_s_per_gb(run));
	err |= json_put(o, "replies", replies_json(&app->replies));
	err |= json_put(o, "tcp", tcp_json(app));
	err |= json_put(o, "zerocopy", zerocopy_json(&app->zc));
	err |= json_put(o, "latency_ns", latencies_json(app));
	return json_finish(o, err);
}

/* Why there are no quantiles of a stage's times. */
static const char *no_times(const struct stage_result *s)
{
	if (!s->ns.known)
		return s->ns.reason;
	return s->times ? not_timed : "only the sum of the times is kept";
}

static int put_times(json_t *o, const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	int err = 0;

	err |= json_put_num(o, "ns", s->ns);
	err |= json_put_num(o, "timed", s->timed);
	err |= json_document__put_timed_bytes(o, run, stage);
	err |= json_put_num(o, "ns_p50", json_quantile(s->times, 0.5, no_times(s)));
	err |= json_put_num(o, "ns_p99", json_quantile(s->times, 0.99, no_times(s)));
	err |= json_put(o, "ns_buckets", json_buckets(s->times));
	return err;
}

static enum quality events_quality(const struct run_result *run, enum nio_stage stage)
{
	return run_result__sampled_events(run, stage) ? QUALITY_SAMPLED : QUALITY_EXACT;
}

static json_t *stage_json(const struct run_result *run, enum nio_stage stage)
{
	const struct stage_result *s = &run->stages[stage];
	static const char no_sizes[] = "no event was counted by size";
	bool known = s->quality != QUALITY_UNAVAILABLE;
	bool events = known && !s->no_events;
	const struct hist *sizes = events ? s->sizes : NULL;
	const char *none = s->no_events ? s->no_events : no_sizes;
	uint64_t open = s->open_bytes.known ? s->open_bytes.value : 0;
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "quality", json_value__text(quality__name(s->quality)));
	if (s->reason || !known)
		err |= json_put(o, "reason",
				json_value__text(s->reason ? s->reason : "not measured"));
	err |= json_put_or_null(o, "bytes", (struct num){.value = s->bytes, .known = known});
	err |= json_put_or_null(o, "bytes_at_most",
				(struct num){.value = s->bytes + open, .known = known});
	err |= json_put_or_null(o, "events", (struct num){.value = s->events, .known = events});
	err |= json_put(
		o, "events_quality",
		json_value__text(!events ? NULL : quality__name(events_quality(run, stage))));
	if (known && s->no_events)
		err |= json_put_reason(o, "events", s->no_events);
	if (events && s->event)
		err |= json_put(o, "event", json_value__text(s->event));
	err |= put_times(o, run, stage);
	err |= known ? json_put_num(o, "p50", json_quantile(sizes, 0.5, none))
		     : json_put(o, "p50", json_null());
	err |= known ? json_put_num(o, "p99", json_quantile(sizes, 0.99, none))
		     : json_put(o, "p99", json_null());
	err |= json_put(o, "sizes", json_buckets(sizes));
	return json_finish(o, err);
}

static int put_sum(json_t *o, uint64_t bytes, uint64_t events, uint64_t ns)
{
	return json_put_u64(o, "bytes", bytes) | json_put_u64(o, "events", events) |
	       json_put_u64(o, "ns", ns);
}

static json_t *place_json(const struct place_result *p)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "context", json_value__text(nio_context__name(p->context)));
	err |= json_put(o, "comm", json_value__text(p->comm));
	err |= json_put(o, "device", json_value__text(p->dev[0] ? p->dev : NULL));
	err |= put_sum(o, p->bytes, p->events, p->ns);
	return json_finish(o, err);
}

static json_t *other_json(const struct other_result *other)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "caller", json_value__text(other->caller));
	err |= put_sum(o, other->bytes, other->events, other->ns);
	return json_finish(o, err);
}

/* Where the deferred copies ran. Like buckets, the list is empty when that is not known. */
static int put_places(json_t *stage, const struct run_result *run)
{
	json_t *places = json_array();
	size_t i;
	int err = 0;

	for (i = 0; i < run->places_nr; i++)
		err |= json_array_append_new(places, place_json(&run->places[i]));
	err |= json_put(stage, "places", json_finish(places, err));
	if (run->places_reason)
		err |= json_put_reason(stage, "places", run->places_reason);
	return err;
}

/* Who made the unexpected copies; why that is not known is the stage's own reason. */
static int put_callers(json_t *stage, const struct run_result *run)
{
	json_t *callers = json_array();
	size_t i;
	int err = 0;

	for (i = 0; i < run->others_nr; i++)
		err |= json_array_append_new(callers, other_json(&run->others[i]));
	return json_put(stage, "callers", json_finish(callers, err));
}

static json_t *ledger_stage_json(const struct run_result *run, enum nio_stage stage)
{
	json_t *o = stage_json(run, stage);
	int err = 0;

	if (stage == NIO_STAGE_DEFERRED_COPY)
		err = put_places(o, run);
	else if (stage == NIO_STAGE_OTHER_COPY)
		err = put_callers(o, run);
	return json_finish(o, err);
}

static json_t *excluded_json(const struct run_result *run)
{
	json_t *excluded = json_array();
	int i, err = 0;

	for (i = 0; i < NIO_STAGE_NR; i++)
		if (stage__is_copy((enum nio_stage)i) &&
		    !remote__is_beyond(run, (enum nio_stage)i) &&
		    run->stages[i].quality == QUALITY_UNAVAILABLE)
			err |= json_array_append_new(
				excluded, json_value__text(stage__key((enum nio_stage)i)));
	return json_finish(excluded, err);
}

static const char *no_balance(const struct run_result *run)
{
	if (!run->ledger_known)
		return run->ledger_reason;
	if (run->not_final)
		return run->not_final;
	return "bytes sent or received are not known: see the reasons of the stages";
}

static int put_unaccounted(json_t *o, const char *key, const struct run_result *run, int64_t bytes)
{
	if (run->ledger_known && run->balance_known)
		return json_put(o, key, json_integer(bytes));
	return json_put(o, key, json_null()) + json_put_reason(o, key, no_balance(run));
}

static int put_unaccounted_rx(json_t *o, const struct run_result *run)
{
	static const char key[] = "unaccounted_rx";

	if (!run->sender_side)
		return put_unaccounted(o, key, run, run->unaccounted_rx);
	return json_put(o, key, json_null()) + json_put_reason(o, key, REMOTE_REASON);
}

static json_t *ledger_json(const struct run_result *run)
{
	json_t *o = json_object();
	int i, err = 0;

	for (i = 0; i < NIO_STAGE_NR; i++)
		err |= json_put(o, stage__key((enum nio_stage)i),
				ledger_stage_json(run, (enum nio_stage)i));
	err |= put_unaccounted(o, "unaccounted_tx", run, run->unaccounted_tx);
	err |= put_unaccounted_rx(o, run);
	err |= json_put_num(o, "unclassified", run->unclassified);
	err |= json_put_real(o, "copies_per_byte", run->copies_per_byte);
	err |= json_put_real(o, "copies_per_byte_at_most", run->copies_per_byte_at_most);
	err |= json_put(o, "copies_per_byte_side",
			json_value__text(run->sender_side ? "sender" : "both"));
	err |= json_put(o, "copies_per_byte_excludes", excluded_json(run));
	return json_finish(o, err);
}

static json_t *causes_json(const struct verdict *v)
{
	json_t *array = json_array();
	unsigned int i;
	int err = 0;

	for (i = 0; i < v->causes_nr; i++) {
		json_t *cause = json_object();

		err |= json_put(cause, "cause",
				json_value__text(zc_cause__key(v->causes[i].cause)));
		err |= json_put(cause, "evidence", json_value__text(v->causes[i].evidence));
		err |= json_array_append_new(array, cause);
	}
	return json_finish(array, err);
}

static json_t *verdict_json(const struct verdict *v)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put_real(o, "copied_fraction", v->copied_fraction);
	err |= json_put(o, "cause", json_value__text(zc_cause__key(v->cause)));
	err |= json_put(o, "causes", causes_json(v));
	err |= json_put(o, "text", json_value__text(v->text));
	return json_finish(o, err);
}

static json_t *health_json(const struct run_result *run)
{
	const struct health *health = &run->health;
	json_t *o = json_object();
	int err = 0;

	err |= json_put_real(o, "events_share", run_result__events_share(run));
	err |= json_put_real(o, "coverage", health->coverage);
	err |= json_put_num(o, "missed", health->missed);
	err |= json_put_num(o, "dropped", health->dropped);
	err |= json_put_num(o, "map_full", health->map_full);
	err |= json_put_num(o, "unmatched", health->unmatched);
	err |= json_put_num(o, "anomalies", health->anomalies);
	return json_finish(o, err);
}

static json_t *uncovered_kind_json(const struct nio_uncovered *u, int side, int kind)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "kind", json_value__text(uncovered__key((enum nio_uncovered_kind)kind)));
	err |= json_put(o, "side",
			json_value__text(side == NIO_SIDE_SENDER ? "sender" : "receiver"));
	err |= json_put_u64(o, "bytes", u->bytes);
	err |= json_put_u64(o, "events", u->events);
	return json_finish(o, err);
}

/* The kinds that occurred. */
static json_t *uncovered_json(const struct run_result *run)
{
	json_t *array = json_array();
	int err = 0;

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		for (int kind = 0; kind < NIO_UNCOVERED_NR; kind++) {
			const struct nio_uncovered *u = &run->uncovered[side][kind];

			if (u->events)
				err |= json_array_append_new(array,
							     uncovered_kind_json(u, side, kind));
		}
	}
	return json_finish(array, err);
}

static struct real duration_s(const struct run_result *run)
{
	return (struct real){
		.value = (double)run->duration_ns / 1e9,
		.known = run->duration_ns != 0,
		.reason = "nothing was measured",
	};
}

json_t *json_document__run(const struct run_result *run)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "mode", json_value__text(mode__name(run->mode)));
	err |= json_put_u64(o, "size", run->size);
	err |= json_put_u64(o, "fields", run->fields);
	err |= json_put_u64(o, "threads", run->threads);
	err |= json_put_u64(o, "connections", run->connections);
	err |= json_put_u64(o, "round", run->round);
	err |= json_put_real(o, "duration_s", duration_s(run));
	err |= json_put(o, "interrupted", json_boolean(run->interrupted));
	err |= json_put(o, "app", app_json(run));
	err |= json_put(o, "sequence", json_document__sequence(&run->sequence));
	err |= json_put(o, "ledger", ledger_json(run));
	err |= json_put(o, "kernel_zerocopy", json_document__kernel_zerocopy(run));
	err |= json_put(o, "verdict", verdict_json(&run->verdict));
	err |= json_put(o, "times", json_document__times(run));
	err |= json_put(o, "path_ns", json_document__path(run));
	err |= json_put(o, "perf", json_document__perf(run));
	err |= json_put(o, "cpu", json_document__cpu(run));
	err |= json_put(o, "uncovered", uncovered_json(run));
	err |= json_put(o, "health", health_json(run));
	return json_finish(o, err);
}
