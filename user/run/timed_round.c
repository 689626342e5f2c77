/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves the times of a timed round into its run; see timed_round.h. Pure. */
#include <stdio.h>
#include <string.h>

#include "probes/plan.h"
#include "model/figures.h"
#include "timed_round.h"

static const char not_made[] = "its round of its own was not made: see times.reason";

static void copy_stage(struct run_result *run, struct run_result *timed, enum nio_stage stage)
{
	struct stage_result *to = &run->stages[stage], *from = &timed->stages[stage];

	/* The load generator's own clock is in every round. */
	if (stage == NIO_STAGE_USER_GATHER || to->ns.known)
		return;
	to->ns = from->ns;
	to->timed = from->timed;
	to->timed_bytes = num__rounded(time_figures__timed_bytes(timed, stage));
	hist__free(to->times);
	to->times = from->times;
	from->times = NULL;
}

static void take_pinned(struct pinned_result *to, struct pinned_result *from)
{
	*to = *from;
	from->completion.hist = from->outstanding.hist = NULL;
}

void timed_round__copy_times(struct run_result *run, struct run_result *timed)
{
	const struct hist *calls = timed->app.latency[LATENCY_SEND_CALL].hist;

	for (int s = 0; s < NIO_STAGE_NR; s++)
		copy_stage(run, timed, s);
	memcpy(run->path_ns, timed->path_ns, sizeof(run->path_ns));
	run->path_calls = timed->path_calls;
	run->path_quality = timed->path_quality;
	run->path_reason = timed->path_reason;
	if (!run->pinned.completion.hist)
		take_pinned(&run->pinned, &timed->pinned);
	memcpy(run->perf_window, timed->perf_window, sizeof(run->perf_window));
	run->times = (struct times_result){
		.source = TIMES_FROM_TIMED_ROUND,
		.duration_ns = timed->duration_ns,
		.payload = run_result__payload(timed),
		.messages = timed->app.tx_messages,
		.calls = calls ? calls->count : 0,
		.missed = timed->health.missed,
		.map_full = timed->health.map_full,
		.unmatched = timed->health.unmatched,
	};
}

/* Gives times that a timed round would have measured the reason why it was not made. */
static void mark_not_made(struct num *n)
{
	if (!n->known && n->reason == plan__reason_timed_separately)
		n->reason = not_made;
}

void timed_round__none(struct run_result *run, const char *why)
{
	run->times = (struct times_result){.source = TIMES_NOT_TAKEN};
	snprintf(run->times.reason, sizeof(run->times.reason), "%s", why);
	for (int s = 0; s < NIO_STAGE_NR; s++) {
		mark_not_made(&run->stages[s].ns);
		mark_not_made(&run->stages[s].timed);
	}
	for (int p = 0; p < PATH_NR; p++)
		mark_not_made(&run->path_ns[p]);
	mark_not_made(&run->path_calls);
	if (run->path_reason == plan__reason_timed_separately)
		run->path_reason = not_made;
	if (run->pinned.completion.reason == plan__reason_timed_separately)
		run->pinned.completion.reason = run->pinned.outstanding.reason = not_made;
	mark_not_made(&run->pinned.completed_bytes);
	if (run->perf_window[0].reason == plan__reason_timed_separately)
		run_result__no_windows(run, not_made);
}
