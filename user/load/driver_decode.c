/* SPDX-License-Identifier: GPL-2.0-only */
/* Decodes one line of the protocol (docs/reference/loadgen.md), which is not trusted. Pure. */
#include "driver.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "common/units.h"
#include "common/xalloc.h"

/* Sets the message to the reason of the refusal, without control characters. Returns -EPROTO. */
__attribute__((format(printf, 2, 3))) static int fields__refuse(struct load_report *r,
								const char *fmt, ...)
{
	char text[2 * sizeof(r->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printable(r->message, sizeof(r->message), text);
	return -EPROTO;
}

static int fields__u64(struct load_report *r, const json_t *obj, const char *key, uint64_t *out)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_integer(v))
		return fields__refuse(r, "\"%s\" is %s", key, v ? "not a whole number" : "missing");
	if (json_integer_value(v) < 0)
		return fields__refuse(r, "\"%s\" is negative", key);
	*out = json_integer_value(v);
	return 0;
}

static int fields__container(struct load_report *r, const json_t *obj, const char *key,
			     json_type type, const json_t **out)
{
	*out = json_object_get(obj, key);
	if (*out && json_typeof(*out) == type)
		return 0;
	if (!*out)
		return fields__refuse(r, "\"%s\" is missing", key);
	return fields__refuse(r, "\"%s\" is not an %s", key,
			      type == JSON_OBJECT ? "object" : "array");
}

static int fields__string(struct load_report *r, const json_t *obj, const char *key,
			  const char **out)
{
	const json_t *v = json_object_get(obj, key);

	*out = json_string_value(v);
	if (!*out)
		return fields__refuse(r, "\"%s\" is %s", key, v ? "not a string" : "missing");
	return 0;
}

static int hist__parse_bucket(struct load_report *r, struct hist *h, const char *key,
			      const json_t *pair)
{
	const json_t *index = json_array_get(pair, 0), *count = json_array_get(pair, 1);
	json_int_t i = json_integer_value(index), n = json_integer_value(count);

	if (json_array_size(pair) != 2 || !json_is_integer(index) || !json_is_integer(count))
		return fields__refuse(r, "\"%s\": a bucket is not [index, count]", key);
	if (i < 0 || i >= h->n_buckets)
		return fields__refuse(r, "\"%s\": no bucket %lld", key, (long long)i);
	if (n < 0 || h->buckets[i])
		return fields__refuse(r, "\"%s\": bucket %lld is %s", key, (long long)i,
				      n < 0 ? "negative" : "there twice");
	if ((uint64_t)n > UINT64_MAX - h->count)
		return fields__refuse(r, "\"%s\": more events than can be counted", key);
	h->buckets[i] = n;
	h->count += n;
	return 0;
}

/* Can count numbers in [min, max] have this sum? */
static bool sum__fits(uint64_t sum, uint64_t count, uint64_t min, uint64_t max)
{
	uint64_t least, most;

	return !__builtin_mul_overflow(min, count, &least) && sum >= least &&
	       (__builtin_mul_overflow(max, count, &most) || sum <= most);
}

/* Extremes and sum are exact, as the load generator counted them; buckets are not. */
static int hist__parse_extremes(struct load_report *r, struct hist *h, const char *key,
				const json_t *obj)
{
	uint64_t sum, min, max;

	if (fields__u64(r, obj, "sum", &sum) || fields__u64(r, obj, "min", &min) ||
	    fields__u64(r, obj, "max", &max))
		return -EPROTO;
	if (min > max)
		return fields__refuse(r, "\"%s\": min is above max", key);
	if (!sum__fits(sum, h->count, min, max))
		return fields__refuse(r, "\"%s\": no values between min and max have this sum",
				      key);
	h->sum = sum;
	h->min = min;
	h->max = max;
	return 0;
}

static int hist__parse(struct load_report *r, struct hist *h, const char *key, const json_t *obj)
{
	uint64_t count, sub_bits;
	const json_t *buckets;
	int err = 0;

	if (fields__u64(r, obj, "count", &count) || fields__u64(r, obj, "sub_bits", &sub_bits) ||
	    fields__container(r, obj, "buckets", JSON_ARRAY, &buckets))
		return -EPROTO;
	if (sub_bits != h->sub_bits)
		return fields__refuse(r, "\"%s\": sub_bits is not %u", key, h->sub_bits);
	for (size_t i = 0; !err && i < json_array_size(buckets); i++)
		err = hist__parse_bucket(r, h, key, json_array_get(buckets, i));
	if (err)
		return err;
	if (h->count != count)
		return fields__refuse(r, "\"%s\": count is not the sum of the buckets", key);
	/* An empty histogram has no extremes, whatever the line has. */
	return count ? hist__parse_extremes(r, h, key, obj) : 0;
}

static int report__parse_latencies(struct load_report *r, const json_t *stats, enum nio_side side)
{
	const json_t *latency, *obj;

	if (fields__container(r, stats, "latency", JSON_OBJECT, &latency))
		return -EPROTO;
	for (int k = 0; k < LATENCY_NR; k++) {
		if (latency__side(k) != side)
			continue;
		r->app.latency[k].hist = hist__new_latency();
		if (fields__container(r, latency, latency__key(k), JSON_OBJECT, &obj) ||
		    hist__parse(r, r->app.latency[k].hist, latency__key(k), obj))
			return -EPROTO;
	}
	return 0;
}

static int report__parse_number(struct load_report *r, const json_t *stats,
				const struct load_report_row *row)
{
	void *to = (char *)r + row->at; /* the value of a num is its first member */
	const json_t *in = stats, *value;

	if (row->object[0] && fields__container(r, stats, row->object, JSON_OBJECT, &in))
		return -EPROTO;
	value = json_object_get(in, row->key);
	if (row->type == REPORT_flag && !json_is_boolean(value))
		return fields__refuse(r, "\"%s\" is %s", row->key,
				      value ? "not true or false" : "missing");
	if (row->type == REPORT_flag)
		*(bool *)to = json_is_true(value);
	else if (row->type == REPORT_num)
		((struct num *)to)->known = true;
	return row->type == REPORT_flag ? 0 : fields__u64(r, in, row->key, to);
}

static int report__parse_stats(struct load_report *r, const json_t *stats, enum nio_side side)
{
	/* What the receiver confirmed to the sender: the members are null before. */
	const json_t *confirmed = json_object_get(stats, "confirmed");

	r->confirmed.known = side == NIO_SIDE_SENDER && json_is_object(confirmed) &&
			     !json_is_null(json_object_get(confirmed, "rx_bytes"));
	for (const struct load_report_row *row = load_report__rows; row->key; row++) {
		if (!(row->side & 1u << side) || row->type == REPORT_none ||
		    (!strcmp(row->object, "confirmed") && !r->confirmed.known))
			continue;
		if (report__parse_number(r, stats, row))
			return -EPROTO;
	}
	return report__parse_latencies(r, stats, side);
}

/* The kernel assigns no cookie 0. */
static int report__parse_cookie(struct load_report *r, const json_t *connection, size_t nr)
{
	uint64_t index, cookie;
	const char *text;

	if (fields__u64(r, connection, "index", &index) ||
	    fields__string(r, connection, "cookie", &text))
		return -EPROTO;
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
	uint64_t *sorted = xreallocarray(NULL, nr, sizeof(*sorted));
	size_t i;

	memcpy(sorted, r->cookies, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), compare_cookies);
	for (i = 1; i < nr; i++)
		if (sorted[i] == sorted[i - 1])
			break;
	free(sorted);
	return i < nr ? fields__refuse(r, "two connections have one cookie") : 0;
}

/* A longer text, or none, leaves it empty. */
static void keep_text(char *to, size_t size, const json_t *value)
{
	if (json_is_string(value) && json_string_length(value) < size)
		strcpy(to, json_string_value(value));
}

static enum receive receive_at(const json_t *config)
{
	const char *name = json_string_value(json_object_get(config, "receive"));
	unsigned int way = 0;

	while (name && way < RECEIVE_NR && strcmp(name, receive__name(way)) != 0)
		way++;
	return way < RECEIVE_NR ? way : RECEIVE_RECV;
}

static int report__parse_ready(struct load_report *r, const json_t *obj)
{
	const json_t *config = json_object_get(obj, "config"), *connections;
	const char *congestion = json_string_value(json_object_get(config, "congestion"));
	const char *peer = json_string_value(json_object_get(config, "peer"));
	size_t i, nr;

	r->receive = receive_at(config);
	keep_text(r->tls, sizeof(r->tls), json_object_get(config, "tls"));
	if (fields__container(r, obj, "connections", JSON_ARRAY, &connections))
		return -EPROTO;
	nr = json_array_size(connections);
	if (!nr || nr > LOAD_CONNECTIONS_MAX)
		return fields__refuse(r, "%zu connections: 1 to %d can be watched", nr,
				      LOAD_CONNECTIONS_MAX);
	for (i = 0; i < nr; i++)
		if (report__parse_cookie(r, json_array_get(connections, i), nr))
			return -EPROTO;
	r->cookies_nr = nr;
	/* Of the sender's socket; null: unknown. */
	if (congestion)
		snprintf(r->congestion, sizeof(r->congestion), "%s", congestion);
	if (peer)
		printable(r->peer, sizeof(r->peer), peer);
	keep_text(r->challenge, sizeof(r->challenge), json_object_get(config, "challenge"));
	return report__check_cookies(r, nr);
}

static int report__parse_listening(struct load_report *r, const json_t *obj)
{
	uint64_t port;

	if (fields__u64(r, obj, "port", &port))
		return -EPROTO;
	if (!port || port > 65535)
		return fields__refuse(r, "\"port\" is not between 1 and 65535");
	r->port = port;
	return 0;
}

static int report__parse_phase(struct load_report *r, const json_t *obj)
{
	uint64_t kind, session;

	if (fields__u64(r, obj, "half", &kind) || fields__u64(r, obj, "session", &session))
		return -EPROTO;
	if (kind > UINT32_MAX || session > UINT32_MAX)
		return fields__refuse(r, "\"half\" or \"session\" is too large");
	r->half_kind = kind;
	r->session = session;
	keep_text(r->challenge, sizeof(r->challenge), json_object_get(obj, "challenge"));
	keep_text(r->proof, sizeof(r->proof), json_object_get(obj, "proof"));
	return 0;
}

static int report__parse_half(struct load_report *r, const json_t *obj)
{
	const char *text;

	if (json_is_null(json_object_get(obj, "document")))
		return 0;
	if (fields__string(r, obj, "document", &text))
		return -EPROTO;
	r->half = xstrdup(text);
	return 0;
}

static int report__parse_error(struct load_report *r, const json_t *obj)
{
	const char *text;
	int err;

	err = fields__string(r, obj, "message", &text);
	if (!err)
		printable(r->message, sizeof(r->message), text);
	r->error = json_integer_value(json_object_get(obj, "errno"));
	return err;
}

static int report__parse(struct load_report *r, const json_t *obj, enum nio_side side,
			 enum driver_event event)
{
	switch (event) {
	case DRIVER_LISTENING:
		return report__parse_listening(r, obj);
	case DRIVER_READY:
		return report__parse_ready(r, obj);
	case DRIVER_PHASE:
		return report__parse_phase(r, obj);
	case DRIVER_HALF:
		return report__parse_half(r, obj);
	case DRIVER_STATS:
	case DRIVER_DONE:
		return report__parse_stats(r, obj, side);
	case DRIVER_ERROR:
	case DRIVER_REFUSED:
		return report__parse_error(r, obj);
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
	{"usable", DRIVER_USABLE, {[NIO_SIDE_SENDER] = true}},
	{"listening", DRIVER_LISTENING, {[NIO_SIDE_RECEIVER] = true}},
	{"ready", DRIVER_READY, {true, true}},
	{"quiesced", DRIVER_QUIESCED, {[NIO_SIDE_SENDER] = true}},
	{"phase", DRIVER_PHASE, {[NIO_SIDE_RECEIVER] = true}},
	{"stats", DRIVER_STATS, {true, true}},
	{"done", DRIVER_DONE, {true, true}},
	{"half", DRIVER_HALF, {[NIO_SIDE_SENDER] = true}},
	{"error", DRIVER_ERROR, {true, true}},
	{"refused", DRIVER_REFUSED, {[NIO_SIDE_SENDER] = true}},
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

	if (fields__string(r, obj, "event", &name))
		return -EPROTO;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
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
			err = report__parse(report, obj, side, found);
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
