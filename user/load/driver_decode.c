/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns decoding one line of the protocol (docs/LOADGEN.md), which is not trusted. Pure. */
#include "driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "fields.h"
#include "common/units.h"

static int report__take_cpu(struct load_report *r, const json_t *obj, struct num *cpu)
{
	int err = fields__u64(r, obj, "cpu_ns", &cpu->value);

	cpu->known = !err;
	return err;
}

static int report__take_zerocopy(struct load_report *r, const json_t *stats)
{
	struct zc_counts *zc = &r->app.zc;
	const json_t *obj;
	int err;

	err = fields__object(r, stats, "zerocopy", &obj);
	if (err)
		return err;
	return NUMBERS(r, obj, {"sends", &zc->sends}, {"completed", &zc->completed},
		       {"copied", &zc->copied}, {"not_copied", &zc->not_copied},
		       {"enobufs", &zc->enobufs}, {"fallback_bytes", &zc->fallback_bytes});
}

static int report__take_gather(struct load_report *r, const json_t *stats)
{
	const json_t *obj;
	int err;

	err = fields__object(r, stats, "gather", &obj);
	if (err)
		return err;
	return NUMBERS(r, obj, {"bytes", &r->gather_bytes}, {"events", &r->gather_events},
		       {"ns", &r->gather_ns}, {"sampled", &r->gather_sampled});
}

/* What the receiver confirmed to the sender; the members are null before. */
static int report__take_confirmed(struct load_report *r, const json_t *stats)
{
	const json_t *obj = json_object_get(stats, "confirmed");
	int err;

	if (!json_is_object(obj) || json_is_null(json_object_get(obj, "rx_bytes")))
		return 0;
	err = NUMBERS(r, obj, {"rx_bytes", &r->confirmed.rx_bytes},
		      {"rx_messages", &r->confirmed.rx_messages},
		      {"verify_errors", &r->confirmed.verify_errors},
		      {"elapsed_ns", &r->confirmed.elapsed_ns});
	r->confirmed.known = !err;
	return err;
}

static int report__take_latencies(struct load_report *r, const json_t *latency, enum nio_side side)
{
	int err = 0;

	for (int k = 0; k < LATENCY_NR && !err; k++)
		if (latency__side(k) == side)
			err = fields__latency(r, latency, k);
	return err;
}

/* Replies that a receiver has sent, or a sender has read. */
static int report__take_replies(struct load_report *r, const json_t *stats, uint64_t *bytes,
				uint64_t *messages)
{
	const json_t *obj;
	int err = fields__object(r, stats, "replies", &obj);

	return err ? err : NUMBERS(r, obj, {"bytes", bytes}, {"messages", messages});
}

static int report__take_sender(struct load_report *r, const json_t *stats)
{
	struct app_result *app = &r->app;
	const json_t *latency, *tcp;
	int err;

	err = NUMBERS(r, stats, {"tx_bytes", &app->tx_bytes}, {"tx_messages", &app->tx_messages},
		      {"partial_sends", &app->partial_sends}, {"eagain", &app->eagain},
		      {"eintr", &app->eintr}, {"reply_errors", &app->replies.errors});
	if (!err)
		err = report__take_replies(r, stats, &app->replies.rx_bytes,
					   &app->replies.rx_messages);
	if (!err)
		err = report__take_cpu(r, stats, &app->sender_cpu_ns);
	if (!err)
		err = report__take_gather(r, stats);
	if (!err)
		err = report__take_zerocopy(r, stats);
	if (!err)
		err = report__take_confirmed(r, stats);
	if (!err)
		err = fields__object(r, stats, "tcp", &tcp);
	if (!err)
		err = NUMBERS(r, tcp, {"bytes_acked", &app->tcp_bytes_acked},
			      {"bytes_retrans", &app->tcp_bytes_retrans});
	if (!err)
		err = fields__object(r, stats, "latency", &latency);
	return err ? err : report__take_latencies(r, latency, NIO_SIDE_SENDER);
}

static int report__take_receiver(struct load_report *r, const json_t *stats)
{
	struct app_result *app = &r->app;
	const json_t *latency, *tcp;
	int err;

	err = NUMBERS(r, stats, {"rx_bytes", &app->rx_bytes}, {"rx_messages", &app->rx_messages},
		      {"verify_errors", &app->verify_errors.value});
	app->verify_errors.known = !err;
	if (!err)
		err = report__take_replies(r, stats, &app->replies.tx_bytes.value,
					   &app->replies.tx_messages.value);
	app->replies.tx_bytes.known = app->replies.tx_messages.known = !err;
	if (!err)
		err = report__take_cpu(r, stats, &app->receiver_cpu_ns);
	if (!err)
		err = fields__object(r, stats, "tcp", &tcp);
	if (!err)
		err = NUMBERS(r, tcp, {"bytes_received", &app->tcp_bytes_received});
	if (!err)
		err = fields__object(r, stats, "latency", &latency);
	return err ? err : report__take_latencies(r, latency, NIO_SIDE_RECEIVER);
}

/* Only the sender must say "interrupted"; a missing one is false. */
static int report__take_stats(struct load_report *r, const json_t *stats, enum nio_side side)
{
	const json_t *interrupted = json_object_get(stats, "interrupted");
	int err;

	err = fields__u64(r, stats, "elapsed_ns", &r->elapsed_ns);
	if (err)
		return err;
	if (!json_is_boolean(interrupted) && (interrupted || side == NIO_SIDE_SENDER))
		return fields__refuse(r, "\"interrupted\" is %s",
				      interrupted ? "not true or false" : "missing");
	r->interrupted = json_is_true(interrupted);
	return side == NIO_SIDE_SENDER ? report__take_sender(r, stats)
				       : report__take_receiver(r, stats);
}

/* The kernel assigns no cookie 0. */
static int report__take_cookie(struct load_report *r, const json_t *connection, size_t nr)
{
	uint64_t index, cookie;
	const char *text;
	int err;

	err = fields__u64(r, connection, "index", &index);
	if (!err)
		err = fields__string(r, connection, "cookie", &text);
	if (err)
		return err;
	if (index >= nr || r->cookies[index])
		return fields__refuse(r, "connection index %llu is %s", (unsigned long long)index,
				      index >= nr ? "out of range" : "there twice");
	if (parse_count(text, 1, UINT64_MAX, &cookie))
		return fields__refuse(r, "cookie of connection %llu is not a socket cookie",
				      (unsigned long long)index);
	r->cookies[index] = cookie;
	return 0;
}

static int compare_cookies(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorts the cookies: 4096 have 8 million pairs. */
static int report__check_cookies(struct load_report *r, size_t nr)
{
	uint64_t *sorted = malloc(nr * sizeof(*sorted));
	size_t i;

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, r->cookies, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), compare_cookies);
	for (i = 1; i < nr; i++)
		if (sorted[i] == sorted[i - 1])
			break;
	free(sorted);
	return i < nr ? fields__refuse(r, "two connections have one cookie") : 0;
}

/* Congestion control of the sender's socket; null if unknown. */
static void report__take_congestion(struct load_report *r, const json_t *obj)
{
	const char *name =
		json_string_value(json_object_get(json_object_get(obj, "config"), "congestion"));

	if (name)
		snprintf(r->congestion, sizeof(r->congestion), "%s", name);
}

static int report__take_ready(struct load_report *r, const json_t *obj)
{
	const json_t *connections;
	size_t i, nr;
	int err;

	err = fields__array(r, obj, "connections", &connections);
	if (err)
		return err;
	nr = json_array_size(connections);
	if (!nr || nr > LOAD_CONNECTIONS_MAX)
		return fields__refuse(r, "%zu connections: 1 to %d can be watched", nr,
				      LOAD_CONNECTIONS_MAX);
	for (i = 0; i < nr; i++) {
		err = report__take_cookie(r, json_array_get(connections, i), nr);
		if (err)
			return err;
	}
	r->cookies_nr = nr;
	report__take_congestion(r, obj);
	return report__check_cookies(r, nr);
}

static int report__take_listening(struct load_report *r, const json_t *obj)
{
	uint64_t port;
	int err;

	err = fields__u64(r, obj, "port", &port);
	if (err)
		return err;
	if (!port || port > 65535)
		return fields__refuse(r, "\"port\" is not between 1 and 65535");
	r->port = port;
	return 0;
}

static int report__take_error(struct load_report *r, const json_t *obj)
{
	const char *text;
	int err;

	err = fields__string(r, obj, "message", &text);
	if (!err)
		fields__set_message(r, text);
	return err;
}

static int report__take(struct load_report *r, const json_t *obj, enum nio_side side,
			enum driver_event event)
{
	switch (event) {
	case DRIVER_LISTENING:
		return report__take_listening(r, obj);
	case DRIVER_READY:
		return report__take_ready(r, obj);
	case DRIVER_STATS:
	case DRIVER_DONE:
		return report__take_stats(r, obj, side);
	case DRIVER_ERROR:
		return report__take_error(r, obj);
	default:
		return 0;
	}
}

/* The events that each side may send. */
static const struct {
	const char *name;
	enum driver_event event;
	bool from[NIO_SIDE_NR];
} events[] = {
	{"listening", DRIVER_LISTENING, {[NIO_SIDE_RECEIVER] = true}},
	{"ready", DRIVER_READY, {true, true}},
	{"quiesced", DRIVER_QUIESCED, {[NIO_SIDE_SENDER] = true}},
	{"stats", DRIVER_STATS, {true, true}},
	{"done", DRIVER_DONE, {true, true}},
	{"error", DRIVER_ERROR, {true, true}},
};

const char *driver_event__name(enum driver_event event)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (events[i].event == event)
			return events[i].name;
	return "?";
}

static int event__find(struct load_report *r, const json_t *obj, enum nio_side side,
		       enum driver_event *event)
{
	const char *name;
	size_t i;
	int err;

	err = fields__string(r, obj, "event", &name);
	if (err)
		return err;
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcmp(name, events[i].name) || !events[i].from[side])
			continue;
		*event = events[i].event;
		return 0;
	}
	return fields__refuse(r, "event \"%s\" is none of the %s's", name,
			      side == NIO_SIDE_SENDER ? "sender" : "receiver");
}

/* Keeps only the reason of a refused line. */
static void report__clear_but_message(struct load_report *r)
{
	char message[sizeof(r->message)];

	memcpy(message, r->message, sizeof(message));
	load_report__clear(r);
	memcpy(r->message, message, sizeof(message));
}

int driver__decode(const char *line, size_t len, enum nio_side side, struct load_report *report,
		   enum driver_event *event)
{
	enum driver_event found = DRIVER_NOTHING;
	json_error_t error;
	json_t *obj;
	int err;

	load_report__clear(report);
	*event = DRIVER_NOTHING;
	obj = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(obj)) {
		err = event__find(report, obj, side, &found);
		if (!err)
			err = report__take(report, obj, side, found);
	} else {
		err = fields__refuse(report, "not a JSON object: %s",
				     obj ? "an array" : error.text);
	}
	json_decref(obj);
	if (err)
		report__clear_but_message(report);
	else
		*event = found;
	return err;
}
