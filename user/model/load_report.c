/* SPDX-License-Identifier: GPL-2.0-only */
/* The life of a load report, and what of it goes into a result; see load_report.h. Pure. */
#include <errno.h>
#include <string.h>

#include "load_report.h"

void load_report__clear(struct load_report *r)
{
	size_t i;

	for (i = 0; i < LATENCY_NR; i++)
		hist__free(r->app.latency[i].hist);
	memset(r, 0, sizeof(*r));
}

static int latency__copy(struct app_result *app, const struct load_report *report,
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

static int copy_sender(struct app_result *app, const struct load_report *report)
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

static int copy_receiver(struct app_result *app, const struct load_report *report)
{
	const struct app_result *from = &report->app;

	app->rx_bytes = from->rx_bytes;
	app->rx_messages = from->rx_messages;
	app->tcp_bytes_received = from->tcp_bytes_received;
	app->verify_errors = from->verify_errors;
	app->receiver_cpu_ns = from->receiver_cpu_ns;
	return latency__copy(app, report, LATENCY_DELIVERY);
}

int load_report__copy_app(struct app_result *app, const struct load_report *report,
			  enum nio_side side)
{
	return side == NIO_SIDE_SENDER ? copy_sender(app, report) : copy_receiver(app, report);
}
