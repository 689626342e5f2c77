/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns one load generator process as a source of events: pipe to lines, and its statistics into an
 * app_result. What a line means is driver_decode.c's. Nothing here waits.
 */
#include "driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hist.h"

#define READ_CHUNK 65536
#define BUF_SIZE   (DRIVER_LINE_MAX + READ_CHUNK)

void driver__init(struct driver *d, enum nio_side side)
{
	*d = (struct driver){.child = CHILD_INIT, .side = side};
}

void driver__clear(struct driver *d)
{
	child__kill(&d->child);
	driver_report__clear(&d->report);
	free(d->buf);
	d->buf = NULL;
	d->len = 0;
	d->start = 0;
}

/* Reads what fits: bytes read, 0 at end of file, or -errno (-EAGAIN: nothing there now). */
static ssize_t driver__fill(struct driver *d)
{
	ssize_t n;

	if (!d->buf) {
		d->buf = malloc(BUF_SIZE);
		if (!d->buf)
			return -ENOMEM;
	}
	if (d->start) {
		memmove(d->buf, d->buf + d->start, d->len - d->start);
		d->len -= d->start;
		d->start = 0;
	}
	do {
		n = read(d->child.out, d->buf + d->len, BUF_SIZE - d->len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	d->len += n;
	return n;
}

/* A whole line in the buffer, without its newline, or NULL. */
static const char *driver__line(struct driver *d, size_t *len)
{
	char *line = d->buf + d->start, *end;

	if (d->start == d->len)
		return NULL;
	end = memchr(line, '\n', d->len - d->start);
	if (!end)
		return NULL;
	*len = end - line;
	d->start += *len + 1;
	return line;
}

static int driver__end(struct driver *d, enum driver_event *event)
{
	bool partial = d->start < d->len;

	d->start = d->len;
	if (!partial) {
		*event = DRIVER_EOF;
		return 0;
	}
	driver_report__clear(&d->report);
	snprintf(d->report.message, sizeof(d->report.message),
		 "its output ended in the middle of a line");
	return -EPROTO;
}

int driver__next(struct driver *d, enum driver_event *event)
{
	const char *line;
	size_t len;
	ssize_t n;

	*event = DRIVER_NOTHING;
	while (!(line = driver__line(d, &len))) {
		if (d->len - d->start > DRIVER_LINE_MAX)
			return -E2BIG;
		n = driver__fill(d);
		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return n;
		if (!n)
			return driver__end(d, event);
	}
	if (len > DRIVER_LINE_MAX)
		return -E2BIG;
	return driver__decode(line, len, d->side, &d->report, event);
}

static int latency__copy(struct app_result *app, const struct driver_report *report,
			 enum latency_kind kind)
{
	const struct latency_result *from = &report->app.latency[kind];
	struct latency_result *to = &app->latency[kind];
	struct hist *h = NULL;

	if (from->hist) {
		h = hist__dup(from->hist);
		if (!h)
			return -ENOMEM;
	}
	hist__free(to->hist);
	to->hist = h;
	to->reason = h ? NULL : "the load generator has not reported it";
	return 0;
}

static int driver__copy_sender(struct app_result *app, const struct driver_report *report)
{
	const struct app_result *from = &report->app;
	int err;

	app->tx_bytes = from->tx_bytes;
	app->tx_messages = from->tx_messages;
	app->zc = from->zc;
	app->partial_sends = from->partial_sends;
	app->eagain = from->eagain;
	app->eintr = from->eintr;
	app->tcp_bytes_acked = from->tcp_bytes_acked;
	app->tcp_bytes_retrans = from->tcp_bytes_retrans;
	app->sender_cpu_ns = from->sender_cpu_ns;
	err = latency__copy(app, report, LATENCY_SEND_CALL);
	return err ? err : latency__copy(app, report, LATENCY_COMPLETION);
}

static int driver__copy_receiver(struct app_result *app, const struct driver_report *report)
{
	const struct app_result *from = &report->app;

	app->rx_bytes = from->rx_bytes;
	app->rx_messages = from->rx_messages;
	app->tcp_bytes_received = from->tcp_bytes_received;
	app->verify_errors = from->verify_errors;
	app->receiver_cpu_ns = from->receiver_cpu_ns;
	return latency__copy(app, report, LATENCY_DELIVERY);
}

int driver__copy_app(struct app_result *app, const struct driver_report *report, enum nio_side side)
{
	return side == NIO_SIDE_SENDER ? driver__copy_sender(app, report)
				       : driver__copy_receiver(app, report);
}
