/* SPDX-License-Identifier: GPL-2.0-only */
/* Watches and reads the sockets of a round; see watched_sockets.h. */
#include "watched_sockets.h"

#include <errno.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "kernel/declared_probes.h"

static bool send_requests(const struct plan *const *plans, size_t plans_nr)
{
	for (size_t p = 0; p < plans_nr; p++)
		if (plans[p] && mode__has(plans[p]->mode, MODE_PINS_BY_URING))
			return true;
	return false;
}

int watched_sockets__open(struct runner *runner, const struct plan *const *plans, size_t plans_nr)
{
	const char *no_perf[NIO_PERF_EVENT_NR];
	int err = declared_probes__open(&runner->probes, plans, plans_nr,
					NIO_SIDE_NR * LOAD_CONNECTIONS_MAX,
					send_requests(plans, plans_nr) ? NIO_REQUESTS_MAX : 1);

	for (int event = 0; event < NIO_PERF_EVENT_NR; event++)
		no_perf[event] = perf_watch__no_stage_event(&runner->perf, event);
	if (!err)
		err = meter__open(&runner->meter, plans, plans_nr, &runner->result.env.optmem_max,
				  no_perf);
	for (size_t p = 0; p < plans_nr && !err && !loop__is_to_end(); p++)
		if (plans[p])
			err = meter__attach(runner->meter, plans[p]);
	/* The first round ends the run. */
	if (err == -EINTR && loop__is_to_end())
		err = 0;
	if (err)
		watched_sockets__close(runner);
	return err;
}

void watched_sockets__close(struct runner *runner)
{
	attach_probes__close(runner->probes);
	meter__close(runner->meter);
	runner->probes = NULL;
	runner->meter = NULL;
}

void watched_sockets__rest(const struct runner *runner)
{
	static const struct plan nothing;

	if (!runner->probes)
		return;
	declared_probes__rest(runner->probes);
	meter__attach(runner->meter, &nothing);
}

static int read_numbers(struct round *r, struct snapshot *out)
{
	struct declared_side sides[NIO_SIDE_NR];

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		out->sockets_nr[side] = r->cookies_nr[side];
		sides[side] =
			(struct declared_side){r->cookies_nr[side], r->drivers[side].child.pid};
	}
	return declared_probes__sum(r->runner->probes, sides, out == &r->base, out->sums);
}

int watched_sockets__watch(struct round *r)
{
	const uint32_t what[NIO_SIDE_NR] = {plan__calls(r->plan),
					    NIO_DECLARED_RECEIVER | NIO_SEEN_CALL};
	int err = meter__attach(r->runner->meter, r->plan);

	for (int side = 0; side < NIO_SIDE_NR && !err; side++) {
		err = meter__watch(r->runner->meter, r->cookies[side], r->cookies_nr[side], side);
		if (!err)
			err = declared_probes__declare(r->runner->probes, r->cookies[side],
						       r->cookies_nr[side], what[side]);
	}
	/* Makes the states. */
	return err ? err : read_numbers(r, &r->base);
}

void watched_sockets__unwatch(struct round *r)
{
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		declared_probes__undeclare(r->runner->probes, r->cookies[side],
					   r->cookies_nr[side]);
		meter__unwatch(r->runner->meter, r->cookies[side], r->cookies_nr[side]);
	}
}

static void add_side(const struct nio_seen *seen, enum nio_side side, struct snapshot *out)
{
	const struct sock_events *e = &seen->events;
	uint64_t unreported = e->requests[NIO_REQUEST_UNREPORTED];
	uint64_t requests =
		e->requests[NIO_REQUEST_COPIED] + e->requests[NIO_REQUEST_NOT_COPIED] + unreported;

	for (int s = 0; s < NIO_STAGE_NR; s++) {
		struct nio_cell *cell = &out->cells[side][s];

		cell->bytes += e->stages[s].bytes;
		cell->events += e->stages[s].events;
		num__add_counts(cell->hist, seen->sizes[s], sizeof(cell->hist));
	}
	for (int k = 0; k < NIO_UNCOVERED_NR; k++) {
		struct nio_uncovered *u = &out->uncovered[side][k];

		u->events += seen->uncovered_events[k];
		for (int way = 0; way < NIO_SIDE_NR; way++)
			u->bytes += e->uncovered_bytes[way][k];
	}
	out->zc_events.sends += e->completed + requests;
	out->zc_events.copied += e->copied + e->requests[NIO_REQUEST_COPIED];
	out->zc_events.notifications += seen->notifications + requests;
	out->zc_events.unreported += unreported;
	out->zc_events.misreported += e->requests[NIO_REQUEST_MISREPORTED];
	out->zc_events.unseen += seen->ids_unseen;
}

static int read_events(const struct round *r, struct snapshot *out, bool still)
{
	struct nio_seen *seen = xcalloc(NIO_SIDE_NR, sizeof(*seen));
	int err;

	snapshot__forget(out);
	err = meter__read(r->runner->meter, out, still);
	declared_probes__seen(r->runner->probes, seen);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		add_side(&seen[side], side, out);
	num__add_counts(out->refused, seen[NIO_SIDE_SENDER].events.refused, sizeof(out->refused));
	out->inner_eagain = seen[NIO_SIDE_SENDER].events.inner_eagain;
	out->calls_unknown = attach_probes__losses(r->runner->probes).calls_unknown;
	free(seen);
	return err ? err : declared_probes__add_missed(r->runner->probes, out);
}

int watched_sockets__read_base(struct round *r)
{
	int err = declared_probes__attach(r->runner->probes, r->plan);

	if (!err)
		err = read_numbers(r, &r->base);
	return err ? err : read_events(r, &r->base, true);
}

/*
 * Events first while bytes move: the sockets also count later bytes, so that no event seems to have
 * booked too much.
 */
int watched_sockets__read_now(struct round *r, bool still)
{
	int err = still ? read_numbers(r, &r->now) : 0;

	if (!err)
		err = read_events(r, &r->now, still);
	return err || still ? err : read_numbers(r, &r->now);
}

bool watched_sockets__moved(struct round *r, enum nio_side side, uint64_t *bytes)
{
	struct snapshot *s;
	bool known;

	if (!r->runner->probes)
		return false;
	s = xcalloc(1, sizeof(*s));
	known = !read_numbers(r, s) && s->sums[side].sockets;
	*bytes = side == NIO_SIDE_SENDER ? s->sums[side].acked : s->sums[side].received;
	free(s);
	return known;
}
