/* SPDX-License-Identifier: GPL-2.0-only */
/* Says that a phase ends later than planned; see late_phase.h. */
#include <stdlib.h>

#include "base/log.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "late_phase.h"
#include "model/snapshot.h"
#include "round.h"

/* So long after its planned end a phase is called late; a rate is taken over the last part of it.
 */
#define LATE_NS 10000000000ULL
#define RATE_NS 2000000000ULL

void late_phase__begin(struct round *r, const char *phase, uint64_t planned_ns)
{
	r->late = (struct late_phase){.phase = planned_ns ? phase : NULL,
				      .end_ns = loop__now_ns() + planned_ns,
				      .due_ns = UINT64_MAX};
	if (planned_ns)
		r->late.due_ns = r->late.end_ns + time_limit__ns(LATE_NS - RATE_NS);
}

void late_phase__end(struct round *r)
{
	r->late = (struct late_phase){.due_ns = UINT64_MAX};
}

void late_phase__extend(struct round *r, uint64_t ns)
{
	if (late_phase__due(r) == UINT64_MAX)
		return;
	r->late.end_ns += ns;
	r->late.due_ns += ns;
	if (r->late.asked_ns)
		r->late.asked_ns += ns;
}

/* The bytes that have arrived, or were acknowledged by another machine. False: not readable. */
static bool read_moved(struct round *r, uint64_t *bytes)
{
	enum nio_side side = round__is_remote(r) ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER;
	struct snapshot *s = xcalloc(1, sizeof(*s));
	const struct socket_snapshot *pass = &s->sockets[side];
	bool known;

	round__read_sockets(r, s, true);
	known = pass->source != NULL;
	*bytes = 0;
	for (size_t i = 0; i < pass->nr; i++)
		*bytes += side == NIO_SIDE_SENDER ? pass->sockets[i].bytes_acked
						  : pass->sockets[i].bytes_received;
	free(s);
	return known;
}

static void warn(struct round *r, uint64_t now_ns)
{
	uint64_t size = workload__message_size(&r->runner->workload), moved;
	const struct late_phase *l = &r->late;
	char late[UNITS_BUF], rate[UNITS_BUF + 32] = "";

	if (read_moved(r, &moved) && moved >= l->moved)
		snprintf(rate, sizeof(rate), "TCP moves %s/s, and ",
			 TEXT_BYTES((double)(moved - l->moved) * 1e9 /
				    (double)(now_ns - l->asked_ns)));
	log_notice("%s, round %u: the %s should have ended %s ago: %sa phase ends after a whole "
		   "message, here %s. A smaller --size or larger --sndbuf and --rcvbuf may help; "
		   "Ctrl-C ends the run with the results so far.",
		   mode__words(r->mode), r->out->round, l->phase,
		   format_ns(late, sizeof(late), (double)(now_ns - l->end_ns)), rate,
		   TEXT_BYTES(size));
}

void late_phase__turn(struct round *r, uint64_t now_ns)
{
	struct late_phase *l = &r->late;

	if (r->stop_ns || now_ns < late_phase__due(r))
		return;
	if (!l->asked_ns) {
		l->asked_ns = now_ns;
		if (!read_moved(r, &l->moved))
			l->moved = UINT64_MAX;
		l->due_ns = now_ns + time_limit__ns(RATE_NS);
		display__phase(&r->runner->display, LIVE_DRAINING);
		return;
	}
	l->due_ns = UINT64_MAX;
	warn(r, now_ns);
}

uint64_t late_phase__due(const struct round *r)
{
	return r->late.phase && !r->stop_ns ? r->late.due_ns : UINT64_MAX;
}
