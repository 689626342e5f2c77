/* SPDX-License-Identifier: GPL-2.0-only */
/* Report at the end of a run without --control: text or one JSON object. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "clock.h"
#include "reporter.h"

static void final__listening(struct reporter *r, const struct side_config *c)
{
	r->config = *c;
	fprintf(stderr,
		strchr(c->address, ':') ? "netio-loadgen: listening on [%s]:%u\n"
					: "netio-loadgen: listening on %s:%u\n",
		c->address, c->port);
}

static void final__ready(struct reporter *r, const struct side_config *c)
{
	r->config = *c;
}

static void final__quiesced(struct reporter *r)
{
	(void)r;
}

static void final__stats(struct reporter *r, const struct side_stats *s, bool done)
{
	struct counters kept;

	if (!done || counters__init(&kept))
		return;
	counters__add(&kept, &s->counters);
	counters__clear(&r->stats.counters);
	r->stats = *s;
	r->stats.counters = kept;
	/* --forever: print each session when it ends. */
	if (r->settings->forever && s->elapsed_ns)
		(r->settings->json ? reporter__print_json : reporter__print_text)(NULL, r);
}

static void final__error(struct reporter *r, const char *message)
{
	(void)r;
	fprintf(stderr, "netio-loadgen: %s\n", message);
}

const struct reporter_ops reporter_final = {
	.listening = final__listening,
	.ready = final__ready,
	.quiesced = final__quiesced,
	.stats = final__stats,
	.error = final__error,
};

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

int reporter__print_text(const struct reporter *sender, const struct reporter *receiver)
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
	reporter__json_config(stdout, &r->config, r->settings);
	putchar(',');
	reporter__json_stats(stdout, &r->stats);
	putchar('}');
}

int reporter__print_json(const struct reporter *sender, const struct reporter *receiver)
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
