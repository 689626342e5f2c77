/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel counted itself, beside the ledger: the sockets' bytes by sequence numbers, and
 * zero-copy sends to their end. docs/OUTPUT.md, "Sequence numbers" and kernel_zerocopy.
 */
#include "json.h"
#include "json_hist.h"

static const char not_timed[] = "no event was timed";

/* The kernel's own count of the sockets' bytes: the witness beside the load generator's. */
json_t *json_document__sequence(const struct sequence_result *s)
{
	json_t *o = json_object();
	int err = 0;

	err |= json_put(o, "source", json_value__text(s->source));
	if (!s->source)
		err |= json_put_reason(o, "source", s->tx_bytes.reason);
	err |= json_put_num(o, "tx_bytes", s->tx_bytes);
	err |= json_put_num(o, "rx_bytes", s->rx_bytes);
	err |= json_put_num(o, "tx_retrans", s->tx_retrans);
	err |= json_put_num(o, "tx_zerocopy_ids", s->tx_ids);
	return json_finish(o, err);
}

static struct real sends_per_notification(const struct run_result *run)
{
	if (!run->kernel_zc_known || !run->notifications.known)
		return (struct real){.reason = run->notifications.reason};
	if (!run->notifications.value)
		return (struct real){.reason = "nothing completed"};
	return (struct real){
		.value = (double)run->kernel_zc.completed / (double)run->notifications.value,
		.known = true,
	};
}

/* What the kernel alone knows of zero-copy sends: what is pinned, for how long, what it refused. */
static int put_pinned(json_t *o, const struct run_result *run)
{
	const struct pinned_result *p = &run->pinned;
	int err = 0;

	err |= json_put_real(o, "sends_per_notification", sends_per_notification(run));
	err |= json_put_num(o, "completed_bytes", p->completed_bytes);
	err |= json_put_num(o, "enobufs_optmem", run->enobufs_optmem);
	err |= json_put_num(o, "enobufs_memlock", run->enobufs_memlock);
	err |= json_put(o, "completion_ns", json_latency(&p->completion, not_timed));
	err |= json_put(o, "outstanding_bytes",
			json_latency(&p->outstanding, "nothing was pinned"));
	return err;
}

static const char in_slices[] = "completions were looked at a part of the time: app.zerocopy has "
				"them all, and their codes";

json_t *json_document__kernel_zerocopy(const struct run_result *run)
{
	bool known = run->ledger_known && run->kernel_zc_known;
	const struct zc_counts counts = run_result__completions(run), *zc = &counts;
	const struct num missed = {.value = run_result__completions_missed(run), .known = known};
	bool counted =
		known && (run->sequence.tx_ids.known || !run->stages[NIO_STAGE_TX_PIN].no_events);
	bool sampled = known && run_result__sampled_completions(run);
	bool coded = known && !sampled;
	json_t *o = json_object();
	int err = 0;

	err |= json_put_or_null(o, "sends", (struct num){.value = zc->sends, .known = counted});
	err |= json_put_or_null(o, "completed",
				sampled ? run->zc_completed
					: (struct num){.value = zc->completed, .known = known});
	err |= json_put_or_null(o, "copied", (struct num){.value = zc->copied, .known = coded});
	err |= json_put_or_null(o, "copied_at_most",
				(struct num){.value = zc->copied + missed.value, .known = coded});
	err |= json_put_or_null(o, "not_copied",
				(struct num){.value = zc->not_copied, .known = coded});
	if (known && !counted)
		err |= json_put_reason(o, "sends", run->stages[NIO_STAGE_TX_PIN].no_events);
	err |= json_put_num(o, "notifications", run->notifications);
	err |= json_put_num(o, "filled", run->zc_filled);
	err |= json_put_or_null(o, "missed", missed);
	err |= json_put_num(o, "repeated", run->zc_repeated);
	err |= json_put_num(o, "sends_unseen", run->zc_unseen);
	err |= put_pinned(o, run);
	if (!coded)
		err |= json_put(o, "reason",
				json_value__text(sampled ? in_slices
						 : run->ledger_known || !run->ledger_reason
							 ? "completions were not watched: see plan"
							 : run->ledger_reason));
	return json_finish(o, err);
}
