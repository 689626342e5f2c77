/* SPDX-License-Identifier: GPL-2.0-only */
/* Error messages and JSON objects, shared by all reporters. */
#include <inttypes.h>

#include "clock.h"
#include "reporter.h"

void reporter__error(struct reporter *r, const char *fmt, ...)
{
	char message[512];
	va_list ap;
	int len;

	if (r->settings->forever && clock__now() < r->quiet_until) {
		r->unsaid++;
		return;
	}
	r->quiet_until = clock__now() + NS_PER_SEC;
	va_start(ap, fmt);
	len = vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (r->unsaid && len > 0 && (size_t)len < sizeof(message))
		snprintf(message + len, sizeof(message) - (size_t)len,
			 " (and %u more errors were not reported)", r->unsaid);
	r->unsaid = 0;
	r->ops->error(r, message);
}

void reporter__clear(struct reporter *r)
{
	counters__clear(&r->stats.counters);
}

void reporter__json_string(FILE *f, const char *text)
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

static void json__hist(FILE *f, const char *name, const struct hist *h)
{
	const char *comma = "";
	uint32_t i;

	fprintf(f, "\"%s\":{\"count\":%" PRIu64 ",\"sum\":%" PRIu64, name, h->count, h->sum);
	if (h->count)
		fprintf(f, ",\"min\":%" PRIu64 ",\"max\":%" PRIu64, h->min, h->max);
	else
		fputs(",\"min\":null,\"max\":null", f);
	fprintf(f, ",\"sub_bits\":%u,\"buckets\":[", h->sub_bits);
	for (i = 0; i < h->n_buckets; i++) {
		if (!h->buckets[i])
			continue;
		fprintf(f, "%s[%u,%" PRIu64 "]", comma, i, h->buckets[i]);
		comma = ",";
	}
	fputs("]}", f);
}

static void json__count(FILE *f, const char *name, uint64_t value, bool known)
{
	if (known)
		fprintf(f, "\"%s\":%" PRIu64, name, value);
	else
		fprintf(f, "\"%s\":null", name);
}

static void json__sender(FILE *f, const struct side_stats *s)
{
	const struct counters *t = &s->counters;

	fprintf(f,
		",\"tx_bytes\":%" PRIu64 ",\"tx_messages\":%" PRIu64 ",\"partial_sends\":%" PRIu64
		",\"gather\":{\"bytes\":%" PRIu64 ",\"events\":%" PRIu64 ",\"ns\":%" PRIu64
		",\"sampled\":%" PRIu64 "}",
		t->bytes, t->messages, t->partial_sends, t->gather_bytes, t->gather_events,
		t->gather_ns, t->gather_sampled);
	fprintf(f,
		",\"reply_errors\":%" PRIu64 ",\"zerocopy\":{\"sends\":%" PRIu64
		",\"completed\":%" PRIu64 ",\"copied\":%" PRIu64 ",\"not_copied\":%" PRIu64
		",\"enobufs\":%" PRIu64 ",\"fallback_bytes\":%" PRIu64 "},\"latency\":{",
		t->verify_errors, t->zc_sends, t->zc_completed, t->zc_copied, t->zc_not_copied,
		t->zc_enobufs, t->zc_fallback);
	json__hist(f, "send_call", t->hist[COUNTERS_SEND_CALL]);
	putc(',', f);
	json__hist(f, "slot_wait", t->hist[COUNTERS_SLOT_WAIT]);
	putc(',', f);
	json__hist(f, "completion", t->hist[COUNTERS_COMPLETION]);
	putc(',', f);
	json__hist(f, "half_round_trip", t->hist[COUNTERS_HALF_ROUND_TRIP]);
	fputs("},\"tcp\":{", f);
	json__count(f, "bytes_acked", s->tcp.bytes_acked, s->tcp.known);
	putc(',', f);
	json__count(f, "bytes_retrans", s->tcp.bytes_retrans, s->tcp.known);
	fputs("},\"confirmed\":{", f);
	json__count(f, "rx_bytes", s->confirmed.bytes, s->confirmed.known);
	putc(',', f);
	json__count(f, "rx_messages", s->confirmed.messages, s->confirmed.known);
	putc(',', f);
	json__count(f, "verify_errors", s->confirmed.verify_errors, s->confirmed.known);
	putc(',', f);
	json__count(f, "elapsed_ns", s->confirmed.elapsed_ns, s->confirmed.known);
	putc('}', f);
}

static void json__receiver(FILE *f, const struct side_stats *s)
{
	const struct counters *t = &s->counters;

	fprintf(f,
		",\"rx_bytes\":%" PRIu64 ",\"rx_messages\":%" PRIu64 ",\"recv_calls\":%" PRIu64
		",\"verify_errors\":%" PRIu64 ",\"bad_stamps\":%" PRIu64
		",\"foreign_stamps\":%" PRIu64 ",\"latency\":{",
		t->bytes, t->messages, t->calls, t->verify_errors, t->bad_stamps,
		t->foreign_stamps);
	json__hist(f, "delivery", t->hist[COUNTERS_DELIVERY]);
	fputs("},\"tcp\":{", f);
	json__count(f, "bytes_received", s->tcp.bytes_received, s->tcp.known);
	putc('}', f);
}

void reporter__json_stats(FILE *f, const struct side_stats *s)
{
	fprintf(f,
		"\"elapsed_ns\":%" PRIu64 ",\"interrupted\":%s,\"cpu_ns\":%" PRIu64
		",\"eagain\":%" PRIu64 ",\"eintr\":%" PRIu64 ",\"replies\":{\"bytes\":%" PRIu64
		",\"messages\":%" PRIu64 "}",
		s->elapsed_ns, s->interrupted ? "true" : "false", s->cpu_ns, s->counters.eagain,
		s->counters.eintr, s->counters.reply_bytes, s->counters.reply_messages);
	if (s->sender)
		json__sender(f, s);
	else
		json__receiver(f, s);
}

static void json__cpus(FILE *f, const struct settings *s)
{
	unsigned int i;

	fputs(",\"cpus\":", f);
	if (!s->cpus.nr) {
		fputs("null", f);
		return;
	}
	for (i = 0; i < s->cpus.nr; i++)
		fprintf(f, "%c%u", i ? ',' : '[', s->cpus.cpu[i]);
	putc(']', f);
}

static void json__traffic(FILE *f, const struct side_config *c, const struct settings *s)
{
	fprintf(f,
		",\"mode\":\"%s\",\"fields\":%" PRIu64 ",\"duration_ns\":%" PRIu64
		",\"messages\":%" PRIu64 ",\"warmup_ns\":%" PRIu64 ",\"nodelay\":%s"
		",\"request_response\":%s,\"rate\":%" PRIu64 ",\"spin_ns\":%" PRIu64,
		mode__name(s->mode), s->fields, s->duration_ns, s->messages, s->warmup_ns,
		s->nodelay ? "true" : "false", s->request_response ? "true" : "false", s->rate,
		s->spin_ns);
	fputs(",\"congestion\":", f);
	if (c->congestion[0])
		reporter__json_string(f, c->congestion);
	else
		fputs("null", f);
	putc(',', f);
	json__count(f, "zerocopy_slots", c->slots, c->slots);
}

void reporter__json_config(FILE *f, const struct side_config *c, const struct settings *s)
{
	fputs("{\"address\":", f);
	reporter__json_string(f, c->address);
	fprintf(f,
		",\"port\":%u,\"uid\":%u,\"size\":%" PRIu64 ",\"threads\":%u,\"connections\":%u"
		",\"verify\":%s",
		c->port, c->uid, c->size, c->threads, c->connections, c->verify ? "true" : "false");
	if (c->sender)
		json__traffic(f, c, s);
	json__cpus(f, s);
	putc(',', f);
	json__count(f, "sndbuf", c->sndbuf, c->sndbuf);
	putc(',', f);
	json__count(f, "rcvbuf", c->rcvbuf, c->rcvbuf);
	putc('}', f);
}
