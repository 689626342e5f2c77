/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of a session: events of --control, or text or JSON at the end. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "common/load_report_rows.h"
#include "common/units.h"
#include "reporter.h"

void reporter__clear(struct reporter *r)
{
	counters__clear(&r->stats.counters);
}

static void json__text(const char *text, size_t len)
{
	putchar('"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void json__string(const char *text)
{
	json__text(text, strlen(text));
}

struct json_number {
	const char *key;
	uint64_t value;
};

/* The arguments `n, count` of the functions below, for {KEY, VALUE}, {KEY, VALUE}, ... */
#define NUMBERS(...)                               \
	(const struct json_number[]){__VA_ARGS__}, \
		sizeof((struct json_number[]){__VA_ARGS__}) / sizeof(struct json_number)

/* Writes "KEY":VALUE, or "KEY":null if not known, separated by commas. */
static void json__numbers(bool known, const struct json_number *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf("%s\"%s\":", i ? "," : "", n[i].key);
		if (known)
			printf("%" PRIu64, n[i].value);
		else
			fputs("null", stdout);
	}
}

static const char *json__bool(bool value)
{
	return value ? "true" : "false";
}

static void json__hist(const char *name, const struct hist *h)
{
	const char *comma = "";

	printf("\"%s\":{", name);
	json__numbers(true,
		      NUMBERS({"count", h->count}, {"sum", h->sum}, {"sub_bits", h->sub_bits}));
	putchar(',');
	json__numbers(h->count, NUMBERS({"min", h->min}, {"max", h->max}));
	fputs(",\"buckets\":[", stdout);
	for (uint32_t i = 0; i < h->n_buckets; i++) {
		if (!h->buckets[i])
			continue;
		printf("%s[%u,%" PRIu64 "]", comma, i, h->buckets[i]);
		comma = ",";
	}
	fputs("]}", stdout);
}

static void json__latency(const struct side_stats *s)
{
	static const struct {
		const char *name;
		bool sender;
	} rows[] = {
#define X(id, name, sender) {name, sender},
		COUNTERS_HISTS(X)
#undef X
	};
	const char *comma = "";

	fputs(",\"latency\":{", stdout);
	for (int i = 0; i < COUNTERS_HIST_NR; i++) {
		if (rows[i].sender != s->sender)
			continue;
		fputs(comma, stdout);
		json__hist(rows[i].name, s->counters.hist[i]);
		comma = ",";
	}
	putchar('}');
}

/* clang-format off */
#define ROW(side, object, key, member, field)                                                    \
	{REPORT_##side, object, key, offsetof(struct side_stats, member),                        \
	 _Generic(((struct side_stats *)0)->member, uint64_t: REPORT_u64, bool: REPORT_flag)},
static const struct load_report_row first_rows[] = { LOAD_REPORT_FIRST(ROW) {0} };
static const struct load_report_row other_rows[] = { LOAD_REPORT_REST(ROW) {0} };
/* clang-format on */

/* The rows of this side, with braces around each object. */
static void json__rows(const struct side_stats *s, const struct load_report_row *row)
{
	const char *object = "", *comma = "";

	for (; row->key; row++) {
		const void *at = (const char *)s + row->at;

		if (!(row->side & (s->sender ? REPORT_SENDER : REPORT_RECEIVER)))
			continue;
		if (strcmp(object, row->object) != 0) {
			printf("%s,\"%s\":{", *object ? "}" : "", row->object);
			comma = "";
		}
		object = row->object;
		printf("%s\"%s\":", comma, row->key);
		comma = ",";
		if (row->type == REPORT_flag)
			fputs(json__bool(*(const bool *)at), stdout);
		else if ((strcmp(object, "tcp") || s->tcp.known) &&
			 (strcmp(object, "confirmed") || s->confirmed.known))
			printf("%" PRIu64, *(const uint64_t *)at);
		else
			fputs("null", stdout);
	}
	fputs(*object ? "}" : "", stdout);
}

/* Members of an object, without braces. */
static void json__stats(const struct side_stats *s)
{
	json__rows(s, first_rows);
	json__latency(s);
	putchar(',');
	json__rows(s, other_rows);
}

static void json__workload(const struct side_config *c, const struct lg_options *s)
{
	printf("\"mode\":\"%s\",", mode__name(s->mode));
	json__numbers(true, NUMBERS({"header", s->workload.header}, {"fields", s->workload.fields},
				    {"duration_ns", s->workload.duration_ns},
				    {"messages", s->workload.messages},
				    {"warmup_ns", s->workload.warmup_ns},
				    {"rate", s->workload.rate}, {"spin_ns", s->workload.spin_ns},
				    {"uring_depth", s->workload.uring_depth}));
	putchar(',');
	json__numbers(c->slots, NUMBERS({"zerocopy_slots", c->slots}));
	printf(",\"nodelay\":%s,\"request_response\":%s,\"congestion\":",
	       json__bool(s->workload.nodelay), json__bool(s->workload.request_response));
	if (c->congestion[0])
		json__string(c->congestion);
	else
		fputs("null", stdout);
	putchar(',');
}

static void json__config(const struct side_config *c, const struct lg_options *s)
{
	fputs("{\"address\":", stdout);
	json__string(c->address);
	putchar(',');
	json__numbers(true, NUMBERS({"port", c->port}, {"uid", c->uid}, {"size", c->size},
				    {"threads", c->threads}, {"connections", c->connections}));
	printf(",\"verify\":%s,\"receive\":\"%s\",", json__bool(c->verify),
	       receive__name(c->receive));
	if (c->tls)
		printf("\"tls\":\"%s\",", c->tls);
	if (c->peer[0]) {
		fputs("\"peer\":", stdout);
		json__string(c->peer);
		putchar(',');
	}
	if (c->challenge[0])
		printf("\"challenge\":\"%s\",", c->challenge);
	if (c->sender)
		json__workload(c, s);
	fputs(s->cpus.nr ? "\"cpus\":" : "\"cpus\":null", stdout);
	for (unsigned int i = 0; i < s->cpus.nr; i++)
		printf("%c%u", i ? ',' : '[', s->cpus.cpu[i]);
	fputs(s->cpus.nr ? "]," : ",", stdout);
	json__numbers(c->sndbuf, NUMBERS({"sndbuf", c->sndbuf}));
	putchar(',');
	json__numbers(c->rcvbuf, NUMBERS({"rcvbuf", c->rcvbuf}));
	putchar('}');
}

/* Events of --control, one JSON object a line (docs/reference/loadgen.md). */

static void event__begin(const char *name)
{
	printf("{\"event\":\"%s\"", name);
}

/* If stdout is closed, end of file on stdin will end this process. */
static void event__end(void)
{
	puts("}");
	fflush(stdout);
}

/* The report at the end of a run without --control: text or one JSON object. */

static void text__head(const struct reporter *r)
{
	const struct side_config *c = &r->config;
	const struct lg_options *s = r->options;
	char size[UNITS_BUF], buf[UNITS_BUF];

	printf("netio-loadgen " NETIOTRACE_VERSION "   %s port %u   uid %u\n", c->address, c->port,
	       c->uid);
	printf("message    %s", format_size(size, sizeof(size), c->size));
	if (c->sender)
		printf(" in %u field%s, %s", s->workload.fields, plural(s->workload.fields),
		       mode__name(s->mode));
	if (c->sender && s->workload.header)
		printf(", header of %s", format_size(buf, sizeof(buf), s->workload.header));
	printf(", %u thread%s", c->threads, plural(c->threads));
	if (c->connections != c->threads)
		printf(", %u connections", c->connections);
	printf("%s%s\n", c->verify ? ", every byte verified" : "",
	       s->workload.nodelay ? ", nodelay" : "");
	if (c->sender && s->workload.messages)
		printf("length     %" PRIu64 " message%s", s->workload.messages,
		       plural(s->workload.messages));
	else if (c->sender)
		printf("length     %s",
		       format_ns(buf, sizeof(buf), (double)s->workload.duration_ns));
	if (c->sender)
		printf(" after %s of warm-up\n",
		       format_ns(buf, sizeof(buf), (double)s->workload.warmup_ns));
	if (c->sender && s->workload.rate)
		printf("rate       %" PRIu64 " message%s/s, latencies from when each was due\n",
		       s->workload.rate, plural(s->workload.rate));
	if (c->sender && s->workload.request_response)
		printf("replies    each message is answered by one of its size\n");
	if (c->sender && s->workload.uring_depth > 1)
		printf("depth      %u messages submitted together\n", s->workload.uring_depth);
	if (c->receive)
		printf("receive    %s\n", receive__name(c->receive));
	if (c->tls)
		printf("tls        %s\n", c->tls);
	if (c->slots)
		printf("slots      %u messages a connection\n", c->slots);
	if (c->congestion[0])
		printf("congestion %s\n", c->congestion);
	if (c->sndbuf)
		printf("sndbuf     %s\n", format_size(buf, sizeof(buf), c->sndbuf));
	if (c->rcvbuf)
		printf("rcvbuf     %s\n", format_size(buf, sizeof(buf), c->rcvbuf));
}

static void text__latency(const char *name, const struct hist *h)
{
	char p50[UNITS_BUF], p99[UNITS_BUF], p999[UNITS_BUF], max[UNITS_BUF];

	if (!h->count) {
		printf("%-10s n/a\n", name);
		return;
	}
	printf("%-10s p50 %s   p99 %s   p99.9 %s   max %s\n", name,
	       format_ns(p50, sizeof(p50), (double)hist__quantile(h, 0.5)),
	       format_ns(p99, sizeof(p99), (double)hist__quantile(h, 0.99)),
	       format_ns(p999, sizeof(p999), (double)hist__quantile(h, 0.999)),
	       format_ns(max, sizeof(max), (double)h->max));
}

static void text__totals(const char *verb, const struct side_stats *s)
{
	char bytes[UNITS_BUF], messages[UNITS_BUF], elapsed[UNITS_BUF], cpu[UNITS_BUF];
	char paused[UNITS_BUF];

	printf("%-10s %s, %s message%s in %s", verb,
	       format_bytes_si(bytes, sizeof(bytes), (double)s->counters.bytes),
	       format_count(messages, sizeof(messages), s->counters.messages),
	       plural(s->counters.messages),
	       format_ns(elapsed, sizeof(elapsed), (double)s->elapsed_ns));
	if (s->elapsed_ns)
		printf(": %.2f Gbit/s", (double)s->counters.bytes * 8 / (double)s->elapsed_ns);
	if (s->paused_ns)
		printf(" (the process was stopped for %s of this)",
		       format_ns(paused, sizeof(paused), (double)s->paused_ns));
	printf(", CPU %s%s\n", format_ns(cpu, sizeof(cpu), (double)s->cpu_ns),
	       s->interrupted ? " (interrupted)" : "");
}

static void text__sender(const struct reporter *r)
{
	const struct side_stats *s = &r->stats;
	const struct counters *t = &s->counters;
	char buf[UNITS_BUF];

	text__totals("sent", s);
	text__latency("send call", t->hist[COUNTERS_SEND_CALL]);
	if (t->hist[COUNTERS_HALF_ROUND_TRIP]->count)
		text__latency("half trip", t->hist[COUNTERS_HALF_ROUND_TRIP]);
	if (t->hist[COUNTERS_MISSED]->count)
		printf("missed     %" PRIu64 " message%s due and not sent: latencies leave these "
		       "out\n",
		       t->hist[COUNTERS_MISSED]->count,
		       t->hist[COUNTERS_MISSED]->count == 1 ? " was" : "s were");
	if (t->hist[COUNTERS_SLOT_WAIT]->count)
		text__latency("slot wait", t->hist[COUNTERS_SLOT_WAIT]);
	if (t->gather_sampled)
		printf("gather     %s packed, %s each time (1 in 64 timed)\n",
		       format_bytes_si(buf, sizeof(buf), (double)t->gather_bytes),
		       format_ns((char[UNITS_BUF]){0}, UNITS_BUF,
				 (double)t->gather_ns / (double)t->gather_sampled));
	if (t->zc_sends || t->zc_enobufs) {
		printf("zero-copy  %" PRIu64 " send%s, %" PRIu64 " completed: %" PRIu64
		       " copied after all, %" PRIu64 " not; %" PRIu64 " refused (%s)\n",
		       t->zc_sends, plural(t->zc_sends), t->zc_completed, t->zc_copied,
		       t->zc_not_copied, t->zc_enobufs, mode__refusal(r->options->mode));
		text__latency("completion", t->hist[COUNTERS_COMPLETION]);
	}
	printf("calls      %" PRIu64 " partial, %" PRIu64 " EAGAIN, %" PRIu64 " EINTR\n",
	       t->partial_sends, t->eagain, t->eintr);
}

static void text__receiver(const struct reporter *r)
{
	const struct side_stats *s = &r->stats;
	const struct counters *t = &s->counters;
	char buf[UNITS_BUF];

	text__totals("received", s);
	if (r->config.receive)
		printf("uncopied   %s taken without a copy (%s)\n",
		       format_bytes_si(buf, sizeof(buf), (double)t->uncopied),
		       receive__name(r->config.receive));
	text__latency("recv call", t->hist[COUNTERS_RECV_CALL]);
	if (s->same_clock)
		text__latency("delivery", t->hist[COUNTERS_DELIVERY]);
	else
		printf("delivery   n/a: the sender runs on another machine, its clock is not "
		       "ours\n");
	if (t->bad_stamps)
		printf("stamps     %" PRIu64 " out of range\n", t->bad_stamps);
	if (t->verify_errors)
		printf("verify     %" PRIu64 " message%s from what was sent\n", t->verify_errors,
		       t->verify_errors == 1 ? " differs" : "s differ");
}

static void print_json(const struct reporter *r, bool first, bool last)
{
	printf("%c\"%s\":{\"config\":", first ? '{' : ',', r->stats.sender ? "sender" : "receiver");
	json__config(&r->config, r->options);
	putchar(',');
	json__stats(&r->stats);
	putchar('}');
	if (last)
		puts("}");
}

int reporter__print(const struct reporter *r, bool first, bool last)
{
	if (r->options->json) {
		print_json(r, first, last);
	} else {
		if (first)
			text__head(r);
		(r->stats.sender ? text__sender : text__receiver)(r);
	}
	return fflush(stdout) ? -errno : 0;
}

void reporter__listening(struct reporter *r, const struct side_config *c)
{
	switch (r->kind) {
	case REPORTER_EVENTS:
		event__begin("listening");
		fputs(",\"address\":", stdout);
		json__string(c->address);
		printf(",\"port\":%u", c->port);
		event__end();
		break;
	case REPORTER_FINAL:
		r->config = *c;
		fprintf(stderr,
			strchr(c->address, ':') ? "netio-loadgen: listening on [%s]:%u\n"
						: "netio-loadgen: listening on %s:%u\n",
			c->address, c->port);
		break;
	case REPORTER_CHILD:
		/* If this fails, the parent has ended, and so will this process. */
		send(r->parent_fd, &c->port, sizeof(c->port), MSG_NOSIGNAL);
	}
}

void reporter__ready(struct reporter *r, const struct side_config *c)
{
	if (r->kind != REPORTER_EVENTS) {
		r->config = *c;
		return;
	}
	event__begin("ready");
	fputs(",\"config\":", stdout);
	json__config(c, r->options);
	fputs(",\"connections\":[", stdout);
	for (uint32_t i = 0; i < c->cookies_nr; i++)
		printf("%s{\"index\":%u,\"cookie\":\"%" PRIu64 "\"}", i ? "," : "", i,
		       c->cookies[i]);
	putchar(']');
	event__end();
}

static void reporter__event(struct reporter *r, const char *name)
{
	if (r->kind != REPORTER_EVENTS)
		return;
	event__begin(name);
	event__end();
}

void reporter__usable(struct reporter *r)
{
	reporter__event(r, "usable");
}

void reporter__quiesced(struct reporter *r)
{
	reporter__event(r, "quiesced");
}

void reporter__phase(struct reporter *r, uint32_t kind, uint32_t session, const char *challenge,
		     const char *proof)
{
	if (r->kind != REPORTER_EVENTS)
		return;
	event__begin("phase");
	printf(",\"half\":%u,\"session\":%u,\"challenge\":\"%s\",\"proof\":\"%s\"", kind, session,
	       challenge, proof);
	event__end();
}

void reporter__half(struct reporter *r, const char *text, size_t len)
{
	if (r->kind != REPORTER_EVENTS)
		return;
	event__begin("half");
	fputs(",\"document\":", stdout);
	if (text)
		json__text(text, len);
	else
		fputs("null", stdout);
	event__end();
}

static void final__stats(struct reporter *r, const struct side_stats *s)
{
	struct counters kept;

	counters__init(&kept);
	counters__add(&kept, &s->counters);
	counters__clear(&r->stats.counters);
	r->stats = *s;
	r->stats.counters = kept;
	/* --forever: print each session when it ends. */
	if (r->options->forever && s->elapsed_ns)
		reporter__print(r, true, true);
}

void reporter__stats(struct reporter *r, const struct side_stats *s, bool done)
{
	if (r->kind == REPORTER_EVENTS) {
		event__begin(done ? "done" : "stats");
		putchar(',');
		json__stats(s);
		event__end();
	} else if (done) {
		final__stats(r, s);
	}
}

int reporter__error(struct reporter *r, int err, const char *fmt, ...)
{
	char message[512];
	va_list ap;
	int len;

	if (r->options->forever && clock__now() < r->quiet_until) {
		r->unsaid++;
		return err;
	}
	r->quiet_until = clock__now() + NS_PER_SEC;
	errno = -err; /* for %m */
	va_start(ap, fmt);
	len = vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (r->unsaid && len > 0 && (size_t)len < sizeof(message))
		snprintf(message + len, sizeof(message) - (size_t)len,
			 " (and %u more errors were not reported)", r->unsaid);
	r->unsaid = 0;
	if (r->kind == REPORTER_EVENTS) {
		event__begin(r->refused ? "refused" : "error");
		fputs(",\"message\":", stdout);
		json__string(message);
		printf(",\"errno\":%d", -err);
		event__end();
	} else {
		fprintf(stderr, "netio-loadgen: %s%s\n",
			r->kind == REPORTER_CHILD ? "receiver: " : "", message);
	}
	return err;
}

int reporter__error_of(struct reporter *r, int err, const struct error_text *texts)
{
	while (texts->err && texts->err != err)
		texts++;
	return reporter__error(r, err, texts->err ? "%s" : "%s: %m", texts->text);
}
