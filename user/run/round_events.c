/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can come in while a round is under way: lines of the two load generator processes, ticks,
 * keys and signals; and the waiting for them. What a round does in which order is round.c's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/address.h"
#include "duty.h"
#include "model/ledger.h"
#include "model/remote.h"
#include "round.h"

/*
 * How long a process of the load generator may say nothing, and how often it is asked to. Whether
 * its peer is alive it judges by itself: a transfer that moves is never given up.
 */
#define SILENCE_NS 15000000000ULL
#define PING_NS    3000000000ULL
/* After Ctrl-C: how long a drain may take before the load generator is killed. */
#define STOP_TIMEOUT_NS 500000000ULL

/* Both sides have said how much they did so far: shows it. */
static void show_progress(struct round *r)
{
	struct engine *e = r->e;

	r->stats[NIO_SIDE_SENDER] = r->stats[NIO_SIDE_RECEIVER] = r->asked = false;
	/* A dozen of files in /proc a thread pair: only for eyes. The end of the phase reads them
	 * anyway. */
	for (int side = 0; display__shows(&e->display) && side < round__sides_here(r); side++)
		perf_watch__read(&e->perf, side, r->out);
	if (e->session && display__shows(&e->display)) {
		duty__note(r, &r->now);
		r->now.moving = true;
		/* The events first: the sockets count what is sent meanwhile, too, and no event
		 * seems to have booked too much. */
		if (session__read(e->session, r->slot, &r->now, false))
			return;
		round__look(r, &r->now, false);
		if (round__book(r))
			return;
	}
	if (e->kind == ROUND_COMPARED)
		display__update(&e->display, r->out);
}

static void take_cookies(struct round *r, enum nio_side side)
{
	const struct load_report *report = &r->drivers[side].report;

	r->cookies_nr[side] = report->cookies_nr;
	memcpy(r->cookies[side], report->cookies, report->cookies_nr * sizeof(uint64_t));
}

/* What the sender's socket says is what counts, whatever it was told. */
static void take_congestion(const struct round *r, enum nio_side side)
{
	struct congestion *c = &r->e->result.env.congestion;

	if (side == NIO_SIDE_SENDER)
		snprintf(c->used, sizeof(c->used), "%s", r->drivers[side].report.congestion);
}

/* What one process of the load generator reports, at the end or on the way. */
static int take_numbers(struct round *r, enum nio_side side)
{
	int err = ledger__app(r->out, &r->drivers[side].report, side);

	if (round__is_remote(r)) {
		remote__app(r->out, &r->drivers[side].report, r->e->o->traffic.verify);
		return err;
	}
	/* Without --verify only sequence numbers are compared: no errors found is then no finding.
	 */
	if (!r->e->o->traffic.verify && !r->out->app.verify_errors.value)
		r->out->app.verify_errors = (struct num){.reason = "--verify was not given"};
	return err;
}

static int take_final(struct round *r, enum nio_side side)
{
	int err = take_numbers(r, side);

	if (!err && r->done[NIO_SIDE_SENDER] && r->done[NIO_SIDE_RECEIVER])
		ledger__due(r->out, r->e->traffic.rate);
	return err;
}

static int remote_error(struct round *r, const char *message)
{
	const struct address *to = &r->e->connect;
	char text[ADDRESS_TEXT_MAX];

	address__format(text, sizeof(text), to->host, to->port);
	return round__fail(r, -EIO, "%s the receiver at %s%s: %s.",
			   r->ready[NIO_SIDE_SENDER] ? "the session with" : "no session with", text,
			   r->ready[NIO_SIDE_SENDER] ? " failed" : "", message);
}

static int take_event(struct round *r, enum nio_side side, enum driver_event event)
{
	const struct load_report *report = &r->drivers[side].report;

	switch (event) {
	case DRIVER_LISTENING:
		r->listening = true;
		r->port = report->port;
		return 0;
	case DRIVER_READY:
		r->ready[side] = true;
		take_cookies(r, side);
		take_congestion(r, side);
		return 0;
	case DRIVER_QUIESCED:
		r->quiesced = true;
		return 0;
	case DRIVER_STATS:
		r->stats[side] = r->measuring && !r->done[side];
		return r->stats[side] ? take_numbers(r, side) : 0;
	case DRIVER_DONE:
		r->done[side] = true;
		if (r->measuring)
			perf_watch__finish(&r->e->perf, side, r->out);
		return take_final(r, side);
	case DRIVER_ERROR:
		if (round__is_remote(r))
			return remote_error(r, report->message);
		return round__fail(r, -EIO, "the load generator's %s failed: %s.",
				   round_side_names[side], report->message);
	case DRIVER_EOF:
		loop__remove(&r->e->loop, r->drivers[side].child.out);
		if (r->done[side] || r->stop_ns)
			return 0;
		return round__fail(r, -EIO, "the load generator's %s ended unexpectedly.",
				   round_side_names[side]);
	default:
		return 0;
	}
}

static int unreadable(struct round *r, enum nio_side side, int err)
{
	const char *name = round_side_names[side];

	if (err == -EPROTO)
		return round__fail(r, err, "the load generator's %s broke the protocol: %s.", name,
				   r->drivers[side].report.message);
	if (err == -E2BIG)
		return round__fail(
			r, err,
			"the load generator's %s broke the protocol: a line of more than "
			"%d bytes.",
			name, DRIVER_LINE_MAX);
	return round__fail(r, err, "the load generator's %s cannot be read: %s.", name,
			   strerror(-err));
}

static int read_driver(struct round *r, enum nio_side side)
{
	struct driver *d = &r->drivers[side];
	enum driver_event event;
	int err;

	r->heard_ns[side] = loop__now_ns();
	do {
		err = driver__next(d, &event);
		err = err ? unreadable(r, side, err) : take_event(r, side, event);
	} while (!err && event != DRIVER_NOTHING && event != DRIVER_EOF);
	if (!err && r->asked && r->stats[NIO_SIDE_SENDER] &&
	    (r->stats[NIO_SIDE_RECEIVER] || round__is_remote(r)))
		show_progress(r);
	return err;
}

/* Ends the round early: drained if it is being measured, at once if it is not. */
static void stop(struct round *r)
{
	struct engine *e = r->e;

	e->stopped = true;
	if (r->stop_ns)
		return;
	r->stop_ns = loop__now_ns();
	if (r->measuring) {
		r->stop_ns += STOP_TIMEOUT_NS;
		round__say(r, NIO_SIDE_SENDER, "stop");
	}
}

static void take_signal(struct round *r, int signo)
{
	if (display__signal(&r->e->display, signo))
		return;
	r->e->signo = signo;
	stop(r);
}

static void ask_stats(struct round *r)
{
	r->ping_ns = loop__now_ns() + PING_NS;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (!r->done[side] && r->drivers[side].child.pid)
			round__say(r, side, "stats");
}

static void take_tick(struct round *r)
{
	if (!r->measuring)
		return;
	if (r->e->tick)
		r->e->tick(r->e, r->e->tick_arg);
	r->asked = true;
	ask_stats(r);
}

static int dispatch(struct round *r, const struct loop_event *ev)
{
	switch (ev->kind) {
	case LOOP_SIGNAL:
		take_signal(r, ev->signo);
		return 0;
	case LOOP_TICK:
		take_tick(r);
		return 0;
	case LOOP_READABLE:
		if (ev->fd == r->drivers[NIO_SIDE_SENDER].child.out)
			return read_driver(r, NIO_SIDE_SENDER);
		if (ev->fd == r->drivers[NIO_SIDE_RECEIVER].child.out)
			return read_driver(r, NIO_SIDE_RECEIVER);
		if (display__input(&r->e->display) == LIVE_QUIT)
			stop(r);
		return 0;
	default:
		return 0;
	}
}

/* Milliseconds until ns, rounded up; -1 for never. */
static int ms_until(uint64_t ns)
{
	uint64_t now = loop__now_ns();

	if (ns == UINT64_MAX)
		return -1;
	if (ns <= now)
		return 0;
	return (ns - now) / 1000000 < INT32_MAX ? (ns - now) / 1000000 + 1 : INT32_MAX;
}

int round__say(struct round *r, enum nio_side side, const char *line)
{
	int err = child__say(&r->drivers[side].child, line);

	if (!err || err == -EPIPE)
		return 0;
	return round__fail(r, err, "cannot say \"%s\" to the load generator's %s: %s.", line,
			   round_side_names[side], strerror(-err));
}

static int take_next(struct round *r, int timeout_ms, bool *any)
{
	struct loop_event ev;
	int err = loop__wait(&r->e->loop, &ev, timeout_ms);

	*any = ev.kind != LOOP_TIMEOUT;
	return err ? round__fail(r, err, "cannot wait for events: %s.", strerror(-err))
		   : dispatch(r, &ev);
}

/* Whether a process that should speak has been silent for too long. */
static bool is_silent(const struct round *r, uint64_t now)
{
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (r->drivers[side].child.pid && !r->done[side] &&
		    now >= r->heard_ns[side] + SILENCE_NS)
			return true;
	return false;
}

/* What is due at this moment, when no event is waiting. 0: wait on. */
static int take_time(struct round *r, uint64_t now, const char *awaited)
{
	if (r->stop_ns && now >= r->stop_ns)
		return -EINTR;
	if (is_silent(r, now))
		return round__fail(r, -ETIMEDOUT,
				   "the load generator did not %s: it does not answer.", awaited);
	if (now >= r->ping_ns)
		ask_stats(r);
	return duty__turn(r, now);
}

static uint64_t next_due(const struct round *r)
{
	uint64_t until = r->ping_ns, slice = duty__due(r);

	if (r->stop_ns && r->stop_ns < until)
		until = r->stop_ns;
	return slice < until ? slice : until;
}

/* Time is over only when nothing is waiting: after a pause (Ctrl-Z), events are. */
int round__pump(struct round *r, bool (*done)(const struct round *r), const char *awaited)
{
	int err = 0;

	r->ping_ns = loop__now_ns() + PING_NS;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		r->heard_ns[side] = loop__now_ns();
	while (!err && !done(r)) {
		uint64_t now = loop__now_ns();
		uint64_t until = next_due(r);
		bool any;

		err = take_next(r, now >= until ? 0 : ms_until(until), &any);
		if (!err && !any && now >= until && !done(r))
			err = take_time(r, now, awaited);
	}
	return err;
}
