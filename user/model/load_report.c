/* SPDX-License-Identifier: GPL-2.0-only */
/* Life cycle of a load report, and its transfer into a result; see load_report.h. Pure. */
#include <stdlib.h>
#include <string.h>

#include "load_report.h"

void load_report__clear(struct load_report *r)
{
	size_t i;

	for (i = 0; i < LATENCY_NR; i++)
		hist__free(r->app.latency[i].hist);
	free(r->half);
	memset(r, 0, sizeof(*r));
}

static void copy_latencies(struct app_result *app, const struct load_report *report,
			   enum nio_side side)
{
	for (int k = 0; k < LATENCY_NR; k++) {
		struct latency_result *to = &app->latency[k];

		if (latency__side(k) != side)
			continue;
		hist__free(to->hist);
		to->hist = hist__dup(report->app.latency[k].hist);
		to->reason = report->app.latency[k].reason;
		if (!to->hist && !to->reason)
			to->reason = "the load generator has not reported it";
	}
}

static void copy_sender(struct app_result *app, const struct app_result *from)
{
	app->tx_bytes = from->tx_bytes;
	app->tx_messages = from->tx_messages;
	app->replies.rx_bytes = from->replies.rx_bytes;
	app->replies.rx_messages = from->replies.rx_messages;
	app->replies.errors = from->replies.errors;
	app->zc = from->zc;
	app->partial_sends = from->partial_sends;
	app->eagain = from->eagain;
	app->eintr = from->eintr;
	app->tcp_bytes_acked = from->tcp_bytes_acked;
	app->tcp_bytes_retrans = from->tcp_bytes_retrans;
	app->sender_cpu_ns = from->sender_cpu_ns;
}

static void copy_receiver(struct app_result *app, const struct app_result *from)
{
	app->rx_bytes = from->rx_bytes;
	app->rx_messages = from->rx_messages;
	app->rx_uncopied = from->rx_uncopied;
	app->replies.tx_bytes = from->replies.tx_bytes;
	app->replies.tx_messages = from->replies.tx_messages;
	app->tcp_bytes_received = from->tcp_bytes_received;
	app->verify_errors = from->verify_errors;
	app->receiver_cpu_ns = from->receiver_cpu_ns;
}

void load_report__copy_app(struct app_result *app, const struct load_report *report,
			   enum nio_side side)
{
	if (side == NIO_SIDE_SENDER)
		copy_sender(app, &report->app);
	else
		copy_receiver(app, &report->app);
	copy_latencies(app, report, side);
}
