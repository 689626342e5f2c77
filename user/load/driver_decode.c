/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the decoding of one line of the load generator protocol (docs/LOADGEN.md) into an event and
 * its numbers. The line comes from another process and is not trusted: every type, range and length
 * is checked. Pure: knows nothing of pipes or processes.
 */
#include "driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "common/hist.h"
#include "common/units.h"

/* Text of another process, on its way to a terminal: no control characters, no half character. */
static void report__set_message(struct load_report *r, const char *text)
{
	size_t i, len = strlen(text);

	if (len >= sizeof(r->message)) {
		len = sizeof(r->message) - 1;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	for (i = 0; i < len; i++) {
		r->message[i] = text[i];
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			r->message[i] = '?';
		/* U+0080 to U+009F: control characters too, two bytes each. */
		if (text[i] == '\xc2' && (unsigned char)text[i + 1] < 0xa0 && i + 1 < len) {
			r->message[i++] = '?';
			r->message[i] = '?';
		}
	}
	r->message[len] = '\0';
}

static __attribute__((format(printf, 2, 3))) int report__refuse(struct load_report *r,
								const char *fmt, ...)
{
	char text[2 * sizeof(r->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	report__set_message(r, text);
	return -EPROTO;
}

/* Of a line that was refused only the reason remains. */
static void report__clear_but_message(struct load_report *r)
{
	char message[sizeof(r->message)];

	memcpy(message, r->message, sizeof(message));
	load_report__clear(r);
	memcpy(r->message, message, sizeof(message));
}

static int field__u64(struct load_report *r, const json_t *obj, const char *key, uint64_t *out)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_integer(v))
		return report__refuse(r, "\"%s\" is %s", key, v ? "not a whole number" : "missing");
	if (json_integer_value(v) < 0)
		return report__refuse(r, "\"%s\" is negative", key);
	*out = json_integer_value(v);
	return 0;
}

static int field__object(struct load_report *r, const json_t *obj, const char *key,
			 const json_t **out)
{
	*out = json_object_get(obj, key);
	if (!json_is_object(*out))
		return report__refuse(r, "\"%s\" is %s", key, *out ? "not an object" : "missing");
	return 0;
}

static int field__array(struct load_report *r, const json_t *obj, const char *key,
			const json_t **out)
{
	*out = json_object_get(obj, key);
	if (!json_is_array(*out))
		return report__refuse(r, "\"%s\" is %s", key, *out ? "not an array" : "missing");
	return 0;
}

static int field__string(struct load_report *r, const json_t *obj, const char *key,
			 const char **out)
{
	const json_t *v = json_object_get(obj, key);

	*out = json_string_value(v);
	if (!*out)
		return report__refuse(r, "\"%s\" is %s", key, v ? "not a string" : "missing");
	return 0;
}

/* Whole numbers of one object by name: the shape of most of the statistics. */
struct number {
	const char *key;
	uint64_t *out;
};

static int field__numbers(struct load_report *r, const json_t *obj, const struct number *numbers,
			  size_t n)
{
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		err = field__u64(r, obj, numbers[i].key, numbers[i].out);
		if (err)
			return err;
	}
	return 0;
}

#define NUMBERS(r, obj, ...)                                         \
	field__numbers(r, obj, (const struct number[]){__VA_ARGS__}, \
		       sizeof((const struct number[]){__VA_ARGS__}) / sizeof(struct number))

static int hist__take_bucket(struct load_report *r, struct hist *h, const char *key,
			     const json_t *pair)
{
	const json_t *index = json_array_get(pair, 0), *count = json_array_get(pair, 1);
	json_int_t i = json_integer_value(index), n = json_integer_value(count);

	if (json_array_size(pair) != 2 || !json_is_integer(index) || !json_is_integer(count))
		return report__refuse(r, "\"%s\": a bucket is not [index, count]", key);
	if (i < 0 || i >= h->n_buckets)
		return report__refuse(r, "\"%s\": no bucket %lld", key, (long long)i);
	if (n < 0 || h->buckets[i])
		return report__refuse(r, "\"%s\": bucket %lld is %s", key, (long long)i,
				      n < 0 ? "negative" : "there twice");
	if ((uint64_t)n > UINT64_MAX - h->count)
		return report__refuse(r, "\"%s\": more events than can be counted", key);
	h->buckets[i] = n;
	h->count += n;
	return 0;
}

static int hist__take_buckets(struct load_report *r, struct hist *h, const char *key,
			      const json_t *obj)
{
	const json_t *buckets;
	size_t i;
	int err;

	err = field__array(r, obj, "buckets", &buckets);
	if (err)
		return err;
	for (i = 0; i < json_array_size(buckets); i++) {
		err = hist__take_bucket(r, h, key, json_array_get(buckets, i));
		if (err)
			return err;
	}
	return 0;
}

/* Extremes and sum are the load generator's own, exact where buckets are not. */
static int hist__take_extremes(struct load_report *r, struct hist *h, const char *key,
			       const json_t *obj)
{
	uint64_t sum, min, max;
	int err;

	err = NUMBERS(r, obj, {"sum", &sum}, {"min", &min}, {"max", &max});
	if (err)
		return err;
	if (min > max)
		return report__refuse(r, "\"%s\": min is above max", key);
	h->sum = sum;
	h->min = min;
	h->max = max;
	return 0;
}

static int hist__take(struct load_report *r, struct hist *h, const char *key, const json_t *obj)
{
	uint64_t count, sub_bits;
	int err;

	err = NUMBERS(r, obj, {"count", &count}, {"sub_bits", &sub_bits});
	if (err)
		return err;
	if (sub_bits != h->sub_bits)
		return report__refuse(r, "\"%s\": sub_bits is not %u", key, h->sub_bits);
	err = hist__take_buckets(r, h, key, obj);
	if (err)
		return err;
	if (h->count != count)
		return report__refuse(r, "\"%s\": count is not the sum of the buckets", key);
	/* Nothing has no extremes, whatever is written there. */
	return count ? hist__take_extremes(r, h, key, obj) : 0;
}

static int report__take_latency(struct load_report *r, const json_t *latency,
				enum latency_kind kind)
{
	const char *key = latency__key(kind);
	const json_t *obj;
	struct hist *h;
	int err;

	err = field__object(r, latency, key, &obj);
	if (err)
		return err;
	h = hist__new_latency();
	if (!h)
		return -ENOMEM;
	err = hist__take(r, h, key, obj);
	if (err) {
		hist__free(h);
		return err;
	}
	r->app.latency[kind].hist = h;
	return 0;
}

static int report__take_cpu(struct load_report *r, const json_t *obj, struct num *cpu)
{
	int err = field__u64(r, obj, "cpu_ns", &cpu->value);

	cpu->known = !err;
	return err;
}

static int report__take_zerocopy(struct load_report *r, const json_t *stats)
{
	struct zc_counts *zc = &r->app.zc;
	const json_t *obj;
	int err;

	err = field__object(r, stats, "zerocopy", &obj);
	if (err)
		return err;
	return NUMBERS(r, obj, {"sends", &zc->sends}, {"completed", &zc->completed},
		       {"copied", &zc->copied}, {"not_copied", &zc->not_copied},
		       {"enobufs", &zc->enobufs});
}

static int report__take_gather(struct load_report *r, const json_t *stats)
{
	const json_t *obj;
	int err;

	err = field__object(r, stats, "gather", &obj);
	if (err)
		return err;
	return NUMBERS(r, obj, {"bytes", &r->gather_bytes}, {"events", &r->gather_events},
		       {"ns", &r->gather_ns}, {"sampled", &r->gather_sampled});
}

/* What the receiver confirmed to the sender; its members are null until it has. */
static int report__take_confirmed(struct load_report *r, const json_t *stats)
{
	const json_t *obj = json_object_get(stats, "confirmed");
	int err;

	if (!json_is_object(obj) || json_is_null(json_object_get(obj, "rx_bytes")))
		return 0;
	err = NUMBERS(r, obj, {"rx_bytes", &r->confirmed.rx_bytes},
		      {"rx_messages", &r->confirmed.rx_messages},
		      {"verify_errors", &r->confirmed.verify_errors});
	r->confirmed.known = !err;
	return err;
}

static int report__take_sender(struct load_report *r, const json_t *stats)
{
	struct app_result *app = &r->app;
	const json_t *latency, *tcp;
	int err;

	err = NUMBERS(r, stats, {"tx_bytes", &app->tx_bytes}, {"tx_messages", &app->tx_messages},
		      {"partial_sends", &app->partial_sends}, {"eagain", &app->eagain},
		      {"eintr", &app->eintr});
	if (!err)
		err = report__take_cpu(r, stats, &app->sender_cpu_ns);
	if (!err)
		err = report__take_gather(r, stats);
	if (!err)
		err = report__take_zerocopy(r, stats);
	if (!err)
		err = report__take_confirmed(r, stats);
	if (!err)
		err = field__object(r, stats, "tcp", &tcp);
	if (!err)
		err = NUMBERS(r, tcp, {"bytes_acked", &app->tcp_bytes_acked},
			      {"bytes_retrans", &app->tcp_bytes_retrans});
	if (!err)
		err = field__object(r, stats, "latency", &latency);
	if (!err)
		err = report__take_latency(r, latency, LATENCY_SEND_CALL);
	if (!err)
		err = report__take_latency(r, latency, LATENCY_COMPLETION);
	return err;
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
		err = report__take_cpu(r, stats, &app->receiver_cpu_ns);
	if (!err)
		err = field__object(r, stats, "tcp", &tcp);
	if (!err)
		err = NUMBERS(r, tcp, {"bytes_received", &app->tcp_bytes_received});
	if (!err)
		err = field__object(r, stats, "latency", &latency);
	if (!err)
		err = report__take_latency(r, latency, LATENCY_DELIVERY);
	return err;
}

/* interrupted: the sender's to say; where it is missing, nothing was. */
static int report__take_stats(struct load_report *r, const json_t *stats, enum nio_side side)
{
	const json_t *interrupted = json_object_get(stats, "interrupted");
	int err;

	err = field__u64(r, stats, "elapsed_ns", &r->elapsed_ns);
	if (err)
		return err;
	if (!json_is_boolean(interrupted) && (interrupted || side == NIO_SIDE_SENDER))
		return report__refuse(r, "\"interrupted\" is %s",
				      interrupted ? "not true or false" : "missing");
	r->interrupted = json_is_true(interrupted);
	return side == NIO_SIDE_SENDER ? report__take_sender(r, stats)
				       : report__take_receiver(r, stats);
}

/* Cookie 0 means a socket that is not watched; the kernel never gives it out. */
static int report__take_cookie(struct load_report *r, const json_t *connection, size_t nr)
{
	uint64_t index, cookie;
	const char *text;
	size_t i;
	int err;

	err = field__u64(r, connection, "index", &index);
	if (!err)
		err = field__string(r, connection, "cookie", &text);
	if (err)
		return err;
	if (index >= nr || r->cookies[index])
		return report__refuse(r, "connection index %llu is %s", (unsigned long long)index,
				      index >= nr ? "out of range" : "there twice");
	if (parse_count(text, 1, UINT64_MAX, &cookie))
		return report__refuse(r, "cookie of connection %llu is not a socket cookie",
				      (unsigned long long)index);
	for (i = 0; i < nr; i++)
		if (r->cookies[i] == cookie)
			return report__refuse(r, "connections %zu and %llu have one cookie", i,
					      (unsigned long long)index);
	r->cookies[index] = cookie;
	return 0;
}

/* What the sender's socket says of itself; null where the kernel does not tell. */
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

	err = field__array(r, obj, "connections", &connections);
	if (err)
		return err;
	nr = json_array_size(connections);
	if (!nr || nr > LOAD_CONNECTIONS_MAX)
		return report__refuse(r, "%zu connections: 1 to %d can be watched", nr,
				      LOAD_CONNECTIONS_MAX);
	for (i = 0; i < nr; i++) {
		err = report__take_cookie(r, json_array_get(connections, i), nr);
		if (err)
			return err;
	}
	r->cookies_nr = nr;
	report__take_congestion(r, obj);
	return 0;
}

static int report__take_listening(struct load_report *r, const json_t *obj)
{
	uint64_t port;
	int err;

	err = field__u64(r, obj, "port", &port);
	if (err)
		return err;
	if (!port || port > 65535)
		return report__refuse(r, "\"port\" is not between 1 and 65535");
	r->port = port;
	return 0;
}

static int report__take_error(struct load_report *r, const json_t *obj)
{
	const char *text;
	int err;

	err = field__string(r, obj, "message", &text);
	if (!err)
		report__set_message(r, text);
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

/* The events a side may send. */
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

static int event__find(struct load_report *r, const json_t *obj, enum nio_side side,
		       enum driver_event *event)
{
	const char *name;
	size_t i;
	int err;

	err = field__string(r, obj, "event", &name);
	if (err)
		return err;
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcmp(name, events[i].name) || !events[i].from[side])
			continue;
		*event = events[i].event;
		return 0;
	}
	return report__refuse(r, "event \"%s\" is none of the %s's", name,
			      side == NIO_SIDE_SENDER ? "sender" : "receiver");
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
		err = report__refuse(report, "not a JSON object: %s",
				     obj ? "an array" : error.text);
	}
	json_decref(obj);
	if (err)
		report__clear_but_message(report);
	else
		*event = found;
	return err;
}
