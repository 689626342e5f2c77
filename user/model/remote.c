/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns what a sender alone may claim; see remote.h. Pure. */
#include "remote.h"

static const char no_totals[] = REMOTE_REASON ", which tells its totals at the end only";
static const char two_clocks[] = REMOTE_REASON ": two clocks cannot be compared";

bool remote__owns_stage(const struct run_result *r, enum nio_stage stage)
{
	return r->sender_side && stage == NIO_STAGE_RX_COPY;
}

void remote__begin(struct run_result *r)
{
	struct app_result *app = &r->app;

	r->sender_side = true;
	app->rx_reason = no_totals;
	app->tcp_received_reason = REMOTE_REASON;
	app->verify_errors = num__unknown(no_totals);
	app->replies.tx_bytes = app->replies.tx_messages = num__unknown(REMOTE_REASON);
	app->receiver_cpu_ns = num__unknown(REMOTE_REASON);
	app->latency[LATENCY_DELIVERY].reason = two_clocks;
	app->latency[LATENCY_RECV_CALL].reason = REMOTE_REASON;
	for (int c = 0; c < PERF_NR; c++)
		r->perf[NIO_SIDE_RECEIVER][c] = num__unknown(REMOTE_REASON);
}

void remote__book(struct run_result *r)
{
	struct stage_result *stage = &r->stages[NIO_STAGE_RX_COPY];

	if (!r->sender_side)
		return;
	hist__free(stage->sizes);
	hist__free(stage->times);
	*stage = (struct stage_result){
		.quality = QUALITY_UNAVAILABLE,
		.reason = REMOTE_REASON,
		.ns = {.reason = REMOTE_REASON},
	};
}

void remote__app(struct run_result *r, const struct load_report *sender, bool verify)
{
	struct app_result *app = &r->app;

	if (!sender->confirmed.known)
		return;
	app->rx_reason = NULL;
	app->rx_bytes = sender->confirmed.rx_bytes;
	app->rx_messages = sender->confirmed.rx_messages;
	r->duration_ns = sender->confirmed.elapsed_ns;
	/* Without --verify only sequence numbers are compared: then 0 errors say nothing. */
	if (verify || sender->confirmed.verify_errors)
		app->verify_errors = num__known(sender->confirmed.verify_errors);
	else
		app->verify_errors = num__unknown("--verify was not given");
}
