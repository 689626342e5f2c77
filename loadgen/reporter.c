/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of a session: events of --control, text or JSON at the end, or a pipe to the parent. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "reporter.h"

void reporter__clear(struct reporter *r)
{
	counters__clear(&r->stats.counters);
}

static void json__string(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(f, "\\u%04x", c);
		else
			putc(c, f);
	}
	putc('"', f);
}

struct json_number {
	const char *key;
	uint64_t value;
};

static void json__write_numbers(FILE *f, bool known, const struct json_number *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(f, "%s\"%s\":", i ? "," : "", n[i].key);
		if (known)
			fprintf(f, "%" PRIu64, n[i].value);
		else
			fputs("null", f);
	}
}

/* Writes "KEY":VALUE, or "KEY":null if not known, for each {KEY, VALUE}, separated by commas. */
#define json__numbers(f, known, ...)                                       \
	json__write_numbers(f, known, (struct json_number[]){__VA_ARGS__}, \
			    sizeof((struct json_number[]){__VA_ARGS__}) /  \
				    sizeof(struct json_number))

static const char *json__bool(bool value)
{
	return value ? "true" : "false";
}

static void json__hist(FILE *f, const char *name, const struct hist *h)
{
	const char *comma = "";

	fprintf(f, "\"%s\":{", name);
	json__numbers(f, true, {"count", h->count}, {"sum", h->sum}, {"sub_bits", h->sub_bits});
	putc(',', f);
	json__numbers(f, h->count, {"min", h->min}, {"max", h->max});
	fputs(",\"buckets\":[", f);
	for (uint32_t i = 0; i < h->n_buckets; i++) {
		if (!h->buckets[i])
			continue;
		fprintf(f, "%s[%u,%" PRIu64 "]", comma, i, h->buckets[i]);
		comma = ",";
	}
	fputs("]}", f);
}

static void json__sender(FILE *f, const struct side_stats *s)
{
	const struct counters *t = &s->counters;

	json__numbers(f, true, {"tx_bytes", t->bytes}, {"tx_messages", t->messages},
		      {"partial_sends", t->partial_sends});
	fputs(",\"gather\":{", f);
	json__numbers(f, true, {"bytes", t->gather_bytes}, {"events", t->gather_events},
		      {"ns", t->gather_ns}, {"sampled", t->gather_sampled});
	fputs("},", f);
	json__numbers(f, true, {"reply_errors", t->verify_errors});
	fputs(",\"zerocopy\":{", f);
	json__numbers(f, true, {"sends", t->zc_sends}, {"completed", t->zc_completed},
		      {"copied", t->zc_copied}, {"not_copied", t->zc_not_copied},
		      {"enobufs", t->zc_enobufs}, {"fallback_bytes", t->zc_fallback});
	fputs("},\"latency\":{", f);
	json__hist(f, "send_call", t->hist[COUNTERS_SEND_CALL]);
	putc(',', f);
	json__hist(f, "slot_wait", t->hist[COUNTERS_SLOT_WAIT]);
	putc(',', f);
	json__hist(f, "completion", t->hist[COUNTERS_COMPLETION]);
	putc(',', f);
	json__hist(f, "half_round_trip", t->hist[COUNTERS_HALF_ROUND_TRIP]);
	fputs("},\"tcp\":{", f);
	json__numbers(f, s->tcp.known, {"bytes_acked", s->tcp.bytes_acked},
		      {"bytes_retrans", s->tcp.bytes_retrans});
	fputs("},\"confirmed\":{", f);
	json__numbers(f, s->confirmed.known, {"rx_bytes", s->confirmed.bytes},
		      {"rx_messages", s->confirmed.messages},
		      {"verify_errors", s->confirmed.verify_errors},
		      {"elapsed_ns", s->confirmed.elapsed_ns});
	putc('}', f);
}

static void json__receiver(FILE *f, const struct side_stats *s)
{
	const struct counters *t = &s->counters;

	json__numbers(f, true, {"rx_bytes", t->bytes}, {"rx_messages", t->messages},
		      {"recv_calls", t->calls}, {"verify_errors", t->verify_errors},
		      {"bad_stamps", t->bad_stamps}, {"foreign_stamps", t->foreign_stamps});
	fputs(",\"latency\":{", f);
	json__hist(f, "delivery", t->hist[COUNTERS_DELIVERY]);
	putc(',', f);
	json__hist(f, "recv_call", t->hist[COUNTERS_RECV_CALL]);
	fputs("},\"tcp\":{", f);
	json__numbers(f, s->tcp.known, {"bytes_received", s->tcp.bytes_received});
	putc('}', f);
}

/* Members of an object, without braces. */
static void json__stats(FILE *f, const struct side_stats *s)
{
	json__numbers(f, true, {"elapsed_ns", s->elapsed_ns});
	fprintf(f, ",\"interrupted\":%s,", json__bool(s->interrupted));
	json__numbers(f, true, {"cpu_ns", s->cpu_ns}, {"eagain", s->counters.eagain},
		      {"eintr", s->counters.eintr});
	fputs(",\"replies\":{", f);
	json__numbers(f, true, {"bytes", s->counters.reply_bytes},
		      {"messages", s->counters.reply_messages});
	fputs("},", f);
	(s->sender ? json__sender : json__receiver)(f, s);
}

static void json__workload(FILE *f, const struct side_config *c, const struct settings *s)
{
	fprintf(f, "\"mode\":\"%s\",", mode__name(s->mode));
	json__numbers(f, true, {"header", s->header}, {"fields", s->fields},
		      {"duration_ns", s->duration_ns}, {"messages", s->messages},
		      {"warmup_ns", s->warmup_ns}, {"rate", s->rate}, {"spin_ns", s->spin_ns});
	putc(',', f);
	json__numbers(f, c->slots, {"zerocopy_slots", c->slots});
	fprintf(f,
		",\"nodelay\":%s,\"request_response\":%s,\"congestion\":", json__bool(s->nodelay),
		json__bool(s->request_response));
	if (c->congestion[0])
		json__string(f, c->congestion);
	else
		fputs("null", f);
	putc(',', f);
}

static void json__config(FILE *f, const struct side_config *c, const struct settings *s)
{
	fputs("{\"address\":", f);
	json__string(f, c->address);
	putc(',', f);
	json__numbers(f, true, {"port", c->port}, {"uid", c->uid}, {"size", c->size},
		      {"threads", c->threads}, {"connections", c->connections});
	fprintf(f, ",\"verify\":%s,", json__bool(c->verify));
	if (c->sender)
		json__workload(f, c, s);
	fputs(s->cpus.nr ? "\"cpus\":" : "\"cpus\":null", f);
	for (unsigned int i = 0; i < s->cpus.nr; i++)
		fprintf(f, "%c%u", i ? ',' : '[', s->cpus.cpu[i]);
	fputs(s->cpus.nr ? "]," : ",", f);
	json__numbers(f, c->sndbuf, {"sndbuf", c->sndbuf});
	putc(',', f);
	json__numbers(f, c->rcvbuf, {"rcvbuf", c->rcvbuf});
	putc('}', f);
}

/* Events of --control, one JSON object a line (docs/reference/loadgen.md). */

struct event {
	FILE *f;
	char *text;
	size_t len;
};

static void event__begin(struct event *e, const char *name)
{
	e->f = xopen_memstream(&e->text, &e->len);
	fprintf(e->f, "{\"event\":\"%s\"", name);
}

static void event__end(struct event *e)
{
	size_t done = 0;
	ssize_t n = 1;

	fputs("}\n", e->f);
	xclose_memstream(e->f);
	/* If stdout is closed, end of file on stdin will end this process. */
	while (done < e->len && n > 0) {
		n = write(STDOUT_FILENO, e->text + done, e->len - done);
		done += n > 0 ? (size_t)n : 0;
	}
	free(e->text);
}

/* The report at the end of a run without --control: text or one JSON object. */

static void text__head(const struct reporter *r)
{
	const struct side_config *c = &r->config;
	const struct settings *s = r->settings;
	char size[UNITS_BUF], buf[UNITS_BUF];

	printf("netio-loadgen " NETIOTRACE_VERSION "   %s port %u   uid %u\n", c->address, c->port,
	       c->uid);
	printf("message    %s", format_size(size, sizeof(size), c->size));
	if (c->sender)
		printf(" in %" PRIu64 " field%s, %s", s->fields, plural(s->fields),
		       mode__name(s->mode));
	if (c->sender && s->header)
		printf(", header of %s", format_size(buf, sizeof(buf), s->header));
	printf(", %u thread%s", c->threads, plural(c->threads));
	if (c->connections != c->threads)
		printf(", %u connections", c->connections);
	printf("%s%s\n", c->verify ? ", every byte verified" : "", s->nodelay ? ", nodelay" : "");
	if (c->sender && s->messages)
		printf("length     %" PRIu64 " message%s", s->messages, plural(s->messages));
	else if (c->sender)
		printf("length     %s", format_ns(buf, sizeof(buf), (double)s->duration_ns));
	if (c->sender)
		printf(" after %s of warm-up\n", format_ns(buf, sizeof(buf), (double)s->warmup_ns));
	if (c->sender && s->rate)
		printf("rate       %" PRIu64 " message%s/s, latencies from when each was due\n",
		       s->rate, plural(s->rate));
	if (c->sender && s->request_response)
		printf("replies    each message is answered by one of its size\n");
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

	printf("%-10s %s, %s message%s in %s", verb,
	       format_bytes_si(bytes, sizeof(bytes), (double)s->counters.bytes),
	       format_count(messages, sizeof(messages), s->counters.messages),
	       plural(s->counters.messages),
	       format_ns(elapsed, sizeof(elapsed), (double)s->elapsed_ns));
	if (s->elapsed_ns)
		printf(": %.2f Gbit/s", (double)s->counters.bytes * 8 / (double)s->elapsed_ns);
	printf(", CPU %s%s\n", format_ns(cpu, sizeof(cpu), (double)s->cpu_ns),
	       s->interrupted ? " (interrupted)" : "");
}

static void text__sender(const struct side_stats *s)
{
	const struct counters *t = &s->counters;
	char buf[UNITS_BUF];

	text__totals("sent", s);
	text__latency("send call", t->hist[COUNTERS_SEND_CALL]);
	if (t->hist[COUNTERS_HALF_ROUND_TRIP]->count)
		text__latency("half trip", t->hist[COUNTERS_HALF_ROUND_TRIP]);
	if (t->hist[COUNTERS_SLOT_WAIT]->count)
		text__latency("slot wait", t->hist[COUNTERS_SLOT_WAIT]);
	if (t->gather_sampled)
		printf("gather     %s packed, %s a message (1 in 64 timed)\n",
		       format_bytes_si(buf, sizeof(buf), (double)t->gather_bytes),
		       format_ns((char[UNITS_BUF]){0}, UNITS_BUF,
				 (double)t->gather_ns / (double)t->gather_sampled));
	if (t->zc_sends || t->zc_enobufs) {
		printf("zero-copy  %" PRIu64 " send%s, %" PRIu64 " completed: %" PRIu64
		       " copied after all, %" PRIu64 " not; %" PRIu64 " refused (ENOBUFS)\n",
		       t->zc_sends, plural(t->zc_sends), t->zc_completed, t->zc_copied,
		       t->zc_not_copied, t->zc_enobufs);
		text__latency("completion", t->hist[COUNTERS_COMPLETION]);
	}
	printf("calls      %" PRIu64 " partial, %" PRIu64 " EAGAIN, %" PRIu64 " EINTR\n",
	       t->partial_sends, t->eagain, t->eintr);
}

static void text__receiver(const struct side_stats *s)
{
	const struct counters *t = &s->counters;

	text__totals("received", s);
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

static int print_text(const struct reporter *sender, const struct reporter *receiver)
{
	if (sender)
		text__head(sender);
	else if (receiver)
		text__head(receiver);
	if (sender)
		text__sender(&sender->stats);
	if (receiver)
		text__receiver(&receiver->stats);
	return fflush(stdout) ? -errno : 0;
}

static void json__side(const char *name, const struct reporter *r)
{
	printf("\"%s\":{\"config\":", name);
	json__config(stdout, &r->config, r->settings);
	putchar(',');
	json__stats(stdout, &r->stats);
	putchar('}');
}

static int print_json(const struct reporter *sender, const struct reporter *receiver)
{
	putchar('{');
	if (sender)
		json__side("sender", sender);
	if (sender && receiver)
		putchar(',');
	if (receiver)
		json__side("receiver", receiver);
	puts("}");
	return fflush(stdout) ? -errno : 0;
}

int reporter__print(const struct reporter *sender, const struct reporter *receiver)
{
	const struct reporter *any = sender ? sender : receiver;

	return (any->settings->json ? print_json : print_text)(sender, receiver);
}

/* Reports of the receiver, a fork, to its parent process: structures are sent as in memory. */

/* An error shows as a closed pipe to the parent. */
static void pipe__write(struct reporter *r, const void *buf, size_t len)
{
	fwrite(buf, len, 1, r->pipe);
}

static int pipe__read(FILE *from, void *buf, size_t len)
{
	return fread(buf, len, 1, from) == 1 ? 0 : -EPIPE;
}

static size_t hist__bytes(const struct hist *h)
{
	return sizeof(*h) + h->n_buckets * sizeof(h->buckets[0]);
}

static void pipe__config(struct reporter *r, const struct side_config *c)
{
	const bool done = false;

	pipe__write(r, &done, sizeof(done));
	pipe__write(r, c, sizeof(*c));
	fflush(r->pipe);
}

static void pipe__stats(struct reporter *r, const struct side_stats *s)
{
	const bool done = true;

	pipe__write(r, &done, sizeof(done));
	pipe__write(r, s, sizeof(*s));
	for (int i = 0; i < COUNTERS_HIST_NR; i++)
		pipe__write(r, s->counters.hist[i], hist__bytes(s->counters.hist[i]));
	fflush(r->pipe);
}

static int pipe__read_stats(FILE *from, struct side_stats *out)
{
	struct side_stats s;
	int err = pipe__read(from, &s, sizeof(s));

	if (err)
		return err;
	/* The histograms of s are pointers of the other process. */
	counters__init(&out->counters);
	memcpy(s.counters.hist, out->counters.hist, sizeof(s.counters.hist));
	*out = s;
	for (int i = 0; !err && i < COUNTERS_HIST_NR; i++)
		err = pipe__read(from, out->counters.hist[i], hist__bytes(out->counters.hist[i]));
	return err;
}

int reporter__receive(FILE *from, struct reporter *into, bool *done)
{
	int err = pipe__read(from, done, sizeof(*done));

	if (err)
		return err;
	return *done ? pipe__read_stats(from, &into->stats)
		     : pipe__read(from, &into->config, sizeof(into->config));
}

void reporter__listening(struct reporter *r, const struct side_config *c)
{
	struct event e;

	switch (r->kind) {
	case REPORTER_EVENTS:
		event__begin(&e, "listening");
		fputs(",\"address\":", e.f);
		json__string(e.f, c->address);
		fprintf(e.f, ",\"port\":%u", c->port);
		event__end(&e);
		break;
	case REPORTER_FINAL:
		r->config = *c;
		fprintf(stderr,
			strchr(c->address, ':') ? "netio-loadgen: listening on [%s]:%u\n"
						: "netio-loadgen: listening on %s:%u\n",
			c->address, c->port);
		break;
	case REPORTER_PIPE:
		pipe__config(r, c);
	}
}

void reporter__ready(struct reporter *r, const struct side_config *c)
{
	struct event e;

	switch (r->kind) {
	case REPORTER_EVENTS:
		event__begin(&e, "ready");
		fputs(",\"config\":", e.f);
		json__config(e.f, c, r->settings);
		fputs(",\"connections\":[", e.f);
		for (uint32_t i = 0; i < c->cookies_nr; i++)
			fprintf(e.f, "%s{\"index\":%u,\"cookie\":\"%" PRIu64 "\"}", i ? "," : "", i,
				c->cookies[i]);
		putc(']', e.f);
		event__end(&e);
		break;
	case REPORTER_FINAL:
		r->config = *c;
		break;
	case REPORTER_PIPE:
		pipe__config(r, c);
	}
}

void reporter__quiesced(struct reporter *r)
{
	struct event e;

	if (r->kind != REPORTER_EVENTS)
		return;
	event__begin(&e, "quiesced");
	event__end(&e);
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
	if (r->settings->forever && s->elapsed_ns)
		reporter__print(NULL, r);
}

void reporter__stats(struct reporter *r, const struct side_stats *s, bool done)
{
	struct event e;

	if (r->kind == REPORTER_EVENTS) {
		event__begin(&e, done ? "done" : "stats");
		putc(',', e.f);
		json__stats(e.f, s);
		event__end(&e);
	} else if (done) {
		(r->kind == REPORTER_FINAL ? final__stats : pipe__stats)(r, s);
	}
}

int reporter__error(struct reporter *r, int err, const char *fmt, ...)
{
	struct event e;
	char message[512];
	va_list ap;
	int len;

	if (r->settings->forever && clock__now() < r->quiet_until) {
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
		event__begin(&e, "error");
		fputs(",\"message\":", e.f);
		json__string(e.f, message);
		event__end(&e);
	} else {
		fprintf(stderr, "netio-loadgen: %s%s\n",
			r->kind == REPORTER_PIPE ? "receiver: " : "", message);
	}
	return err;
}

int reporter__error_of(struct reporter *r, int err, const struct error_text *texts)
{
	while (texts->err && texts->err != err)
		texts++;
	return reporter__error(r, err, texts->err ? "%s" : "%s: %m", texts->text);
}
