/* SPDX-License-Identifier: GPL-2.0-only */
/* Timed rounds; see timing.h. */
#include "common/xalloc.h"
#include "timing.h"

#include <stdlib.h>

#include "base/schedule.h"
#include "model/timed_round.h"
#include "short_round.h"

#define TIMED_NS 500000000ULL /* of each mode, all rounds together */

uint64_t timing__round_ns(const struct options *o)
{
	if (o->times != TIMES_APART || o->backend == BACKEND_NONE || o->traffic.messages)
		return 0;
	return short_round__ns(&o->traffic, TIMED_NS);
}

static const char *why_not(const struct engine *e, int err, const struct run_result *timed)
{
	if (e->stopped)
		return "the run was ended before its times were taken";
	if (err)
		return e->reason;
	if (!timed->duration_ns)
		return "nothing was measured";
	return run_result__unbalanced(timed) ? "the books of the timed round do not balance" : NULL;
}

static void make_round(struct engine *e, struct run_result *out, struct run_result *timed)
{
	const char *reason;
	int err;

	run_result__init(timed);
	err = short_round__make(e, ROUND_TIMED, timing__round_ns(e->o), out, timed);
	reason = why_not(e, err, timed);
	if (reason)
		timed_round__none(out, reason);
	else
		timed_round__take(out, timed);
	run_result__clear(timed);
	e->reason[0] = '\0';
}

void timing__round(struct engine *e, struct run_result *out)
{
	struct run_result *timed;

	if (!e->timing.any[out->mode])
		return;
	if (e->stopped) {
		timed_round__none(out, "the run was ended before its times were taken");
		return;
	}
	if (!schedule__is_turn(out->round, e->timing.every)) {
		timed_round__none(out, "a sweep times one round of three");
		return;
	}
	timed = xmalloc(sizeof(*timed));
	make_round(e, out, timed);
	free(timed);
}
