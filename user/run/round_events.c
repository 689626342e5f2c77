/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events during a round: lines of the two load generator processes, ticks, keys and signals; and
 * the waiting for them. round_phases.c has the order of phases.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/address.h"
#include "base/log.h"
#include "common/units.h"
#include "common/xalloc.h"
#include "event_sampling.h"
#include "model/ledger.h"
#include "model/remote.h"
#include "model/snapshot.h"
#include "preflight.h"
#include "round.h"
#include "screen/curses_screen.h"
#include "write/half_document.h"
#include "watched_sockets.h"

/* So long after its planned end a phase is late; a rate is taken over the last part of it. */
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

/* The next time to call late_phase_turn(); UINT64_MAX: never. */
static uint64_t late_phase_due(const struct round *r)
{
	return r->late.phase && !r->stop_ns ? r->late.due_ns : UINT64_MAX;
}

/* This process did not run for so long. */
static void extend_late_phase(struct round *r, uint64_t ns)
{
	if (late_phase_due(r) == UINT64_MAX)
		return;
	r->late.end_ns += ns;
	r->late.due_ns += ns;
	if (r->late.asked_ns)
		r->late.asked_ns += ns;
}

/* The bytes that have arrived, or were acknowledged by another machine. False: not readable. */
static bool read_moved(struct round *r, uint64_t *bytes)
{
	return watched_sockets__moved(r, round__is_remote(r) ? NIO_SIDE_SENDER : NIO_SIDE_RECEIVER,
				      bytes);
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

static void late_phase_turn(struct round *r, uint64_t now_ns)
{
	struct late_phase *l = &r->late;

	if (r->stop_ns || now_ns < late_phase_due(r))
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

/*
 * How long a process of the load generator may be silent, and how often it is asked for statistics.
 * It detects a dead peer itself: a transfer that moves is never given up. Both are divided by
 * time_limit__ns().
 */
#define SILENCE_NS 15000000000ULL
#define PING_NS    3000000000ULL
/* After Ctrl-C: how long a drain may take before the load generator is killed. */
#define STOP_TIMEOUT_NS TIME_LIMIT_STOP_NS
/* Due actions wait for at most this many events. */
#define CROWD_MAX 256

/* Both sides have reported their statistics so far: shows them. */
static void show_progress(struct round *r)
{
	struct runner *runner = r->runner;

	r->stats[NIO_SIDE_SENDER] = r->stats[NIO_SIDE_RECEIVER] = r->asked = false;
	/* Reads a dozen files of /proc for each pair of threads, so only for a live view. */
	for (int side = 0; display__shows(&runner->display) && side < round__sides_here(r); side++)
		perf_watch__read(&runner->perf, side, r->out);
	if (runner->probes && display__shows(&runner->display)) {
		event_sampling__note(r, &r->now);
		r->now.moving = true;
		if (watched_sockets__read_now(r, false))
			return;
		round__book(r);
	}
	if (runner->kind == ROUND_COMPARED)
		display__update(&runner->display, r->out);
}

/* A report of one process of the load generator, final or not. Both run on this machine's clock. */
static int read_numbers(struct round *r, enum nio_side side)
{
	const struct load_report *report = &r->drivers[side].report;
	bool verify = r->runner->o->workload.verify;

	if (r->measuring && report->elapsed_ns > loop__now_ns() - r->measure_ns)
		return round__fail(r, -EPROTO,
				   "the load generator's %s broke the protocol: \"elapsed_ns\" is "
				   "longer than the round has lasted.",
				   round_side_names[side]);
	ledger__app(r->out, report, side);
	if (round__is_remote(r))
		remote__app(r->out, report, verify);
	else if (!verify && !r->out->app.verify_errors.value)
		/* Only sequence numbers were compared: no errors found is then no finding. */
		r->out->app.verify_errors = (struct num){.reason = "--verify was not given"};
	return 0;
}

/* " at ADDRESS:PORT" of a receiver on another machine, else "". */
static const char *receiver_address(const struct round *r, char text[ADDRESS_TEXT_MAX + 8])
{
	const struct address *to = &r->runner->connect;
	char address[ADDRESS_TEXT_MAX];

	text[0] = '\0';
	if (round__is_remote(r))
		snprintf(text, ADDRESS_TEXT_MAX + 8, " at %s",
			 address__format(address, sizeof(address), to->host, to->port));
	return text;
}

static int handle_error(struct round *r, enum nio_side side)
{
	const char *message = r->drivers[side].report.message;
	bool ready = r->ready[NIO_SIDE_SENDER];
	char text[ADDRESS_TEXT_MAX + 8];

	if (!round__is_remote(r))
		return round__fail(r, -EIO, "the load generator's %s failed: %s.",
				   round_side_names[side], message);
	return round__fail(r, -EIO, "%s the receiver%s%s: %s.",
			   ready ? "the session with" : "no session with",
			   receiver_address(r, text), ready ? " failed" : "", message);
}

/*
 * The sender reports a stop that we did not request: its receiver was stopped. Measurements so far
 * are kept, and no round follows.
 */
static int stopped_by_peer(struct round *r)
{
	char text[ADDRESS_TEXT_MAX + 8];

	round__fail(r, -ECANCELED, "the receiver%s was stopped before the run was over.",
		    receiver_address(r, text));
	r->runner->stopped = r->runner->stopped_by_peer = true;
	return r->measuring ? 0 : -ECANCELED;
}

/* Each event has its place in a round; statistics may come at any time. */
static bool is_expected(const struct round *r, enum nio_side side, enum driver_event event)
{
	switch (event) {
	case DRIVER_LISTENING:
		return !r->listening;
	case DRIVER_READY:
		return r->listening && !r->ready[side];
	case DRIVER_QUIESCED:
		return round__has(r, ROUND_READY) && !r->quiesced && !r->done[side];
	case DRIVER_HALF:
		return r->half_asked && !r->half_taken;
	case DRIVER_REFUSED:
		return !r->ready[side];
	case DRIVER_USABLE:
	case DRIVER_PHASE:
		return false;
	case DRIVER_DONE:
		return r->ready[side] && !r->done[side] &&
		       (r->measuring || r->drivers[side].report.interrupted);
	default:
		return true;
	}
}

static int handle_done(struct round *r, enum nio_side side)
{
	int err;

	r->done[side] = true;
	if (r->measuring)
		perf_watch__finish(&r->runner->perf, side, r->out);
	err = read_numbers(r, side);
	if (!err && round__has(r, ROUND_DONE))
		ledger__due(r->out, r->runner->workload.rate);
	if (err || side != NIO_SIDE_SENDER || !r->drivers[side].report.interrupted ||
	    r->runner->stopped)
		return err;
	return stopped_by_peer(r);
}

static int read_half(struct round *r, const struct load_report *report)
{
	const char *wrong = NULL;
	char text[ADDRESS_TEXT_MAX + 8], why[HALF_WHY];

	r->half_taken = true;
	if (!report->half)
		return 0;
	r->half = xmalloc(sizeof(*r->half));
	run_result__init(r->half);
	if (half_document__read(report->half, r->half, &r->runner->receiver, why))
		wrong = why;
	else
		wrong = remote__contradiction(r->out, r->half, loop__now_ns() - r->measure_ns);
	r->runner->result.env.receiver = wrong ? NULL : &r->runner->receiver;
	return wrong ? round__fail(r, -EPROTO,
				   "what the receiver%s says of its side cannot be: %s.",
				   receiver_address(r, text), wrong)
		     : 0;
}

static int handle_event(struct round *r, enum nio_side side, enum driver_event event)
{
	const struct load_report *report = &r->drivers[side].report;
	char *used = r->runner->result.env.congestion.used;

	if (!is_expected(r, side, event))
		return round__fail(r, -EPROTO,
				   "the load generator's %s broke the protocol: it said out of "
				   "turn that it is %s.",
				   round_side_names[side], driver_event__name(event));
	switch (event) {
	case DRIVER_LISTENING:
		r->listening = true;
		r->port = report->port;
		return 0;
	case DRIVER_READY:
		r->ready[side] = true;
		r->cookies_nr[side] = report->cookies_nr;
		if (side == NIO_SIDE_SENDER)
			memcpy(r->challenge, report->challenge, sizeof(r->challenge));
		memcpy(r->cookies[side], report->cookies, sizeof(r->cookies[side]));
		/* What the sender's socket reports counts, whatever was requested. */
		if (side == NIO_SIDE_SENDER)
			snprintf(used, sizeof(r->runner->result.env.congestion.used), "%s",
				 report->congestion);
		return 0;
	case DRIVER_QUIESCED:
		r->quiesced = true;
		return 0;
	case DRIVER_HALF:
		return read_half(r, report);
	case DRIVER_STATS:
		r->stats[side] = r->measuring && !r->done[side];
		return r->stats[side] ? read_numbers(r, side) : 0;
	case DRIVER_DONE:
		return handle_done(r, side);
	case DRIVER_REFUSED:
		r->runner->kernel_refuses = mode_trial__is_of_kernel(report->error);
		return handle_error(r, side);
	case DRIVER_ERROR:
		return handle_error(r, side);
	case DRIVER_EOF:
		loop__remove(&r->runner->loop, r->drivers[side].child.out);
		if (r->half_asked && !r->half_taken && !r->stop_ns)
			return round__fail(r, -EIO,
					   "the load generator ended before it passed on what the "
					   "receiver's machine measured.");
		/* Nothing more comes. */
		r->half_taken = true;
		if (r->done[side] || r->stop_ns)
			return 0;
		return round__fail(r, -EIO, "the load generator's %s ended unexpectedly.",
				   round_side_names[side]);
	default:
		return 0;
	}
}

static int read_driver(struct round *r, enum nio_side side)
{
	struct driver *d = &r->drivers[side];
	enum driver_event event;
	int err;

	/* A process with much output must not delay a signal. */
	do {
		err = driver__next(d, &event);
		if (!err && event != DRIVER_NOTHING)
			r->heard_ns[side] = loop__now_ns();
		err = err ? round__fail(r, err, "the load generator's %s %s: %s.",
					round_side_names[side],
					err == -EPROTO ? "broke the protocol" : "cannot be read",
					d->report.message)
			  : handle_event(r, side, event);
	} while (!err && event != DRIVER_NOTHING && event != DRIVER_EOF && !loop__is_to_end());
	if (!err && r->asked && r->stats[NIO_SIDE_SENDER] &&
	    (r->stats[NIO_SIDE_RECEIVER] || round__is_remote(r)))
		show_progress(r);
	return err;
}

/* Ends the round early: a measured phase is drained, other phases end at once. */
static void stop(struct round *r)
{
	struct runner *runner = r->runner;

	runner->stopped = true;
	if (r->stop_ns)
		return;
	r->stop_ns = loop__now_ns();
	if (r->measuring) {
		r->stop_ns += STOP_TIMEOUT_NS;
		round__send_line(r, NIO_SIDE_SENDER, "stop");
	}
}

static void ask_stats(struct round *r)
{
	r->ping_ns = loop__now_ns() + time_limit__ns(PING_NS);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (!r->done[side] && r->drivers[side].child.pid)
			round__send_line(r, side, "stats");
}

static void handle_tick(struct round *r)
{
	if (!r->measuring)
		return;
	if (r->runner->tick)
		r->runner->tick(r->runner, r->runner->tick_arg);
	r->asked = true;
	ask_stats(r);
}

static int dispatch(struct round *r, const struct loop_event *ev)
{
	switch (ev->kind) {
	case LOOP_SIGNAL:
		if (curses_screen__signal(ev->signo))
			return 0;
		r->runner->signo = ev->signo;
		stop(r);
		return 0;
	case LOOP_TICK:
		handle_tick(r);
		return 0;
	case LOOP_READABLE:
		if (ev->fd == r->drivers[NIO_SIDE_SENDER].child.out)
			return read_driver(r, NIO_SIDE_SENDER);
		if (ev->fd == r->drivers[NIO_SIDE_RECEIVER].child.out)
			return read_driver(r, NIO_SIDE_RECEIVER);
		if (display__input(&r->runner->display))
			stop(r);
		return 0;
	default:
		return 0;
	}
}

int round__send_line(struct round *r, enum nio_side side, const char *line)
{
	int err = child__send_line(&r->drivers[side].child, line);

	if (!err || err == -EPIPE)
		return 0;
	return round__fail(r, err, "cannot say \"%s\" to the load generator's %s: %s.", line,
			   round_side_names[side], strerror(-err));
}

/* Silence does not count while this process is stopped (Ctrl-Z, SIGSTOP, a frozen container). */
static void extend_deadlines(struct round *r)
{
	uint64_t missed = awake__missed(&r->awake, loop__now_ns());

	for (int side = 0; side < NIO_SIDE_NR; side++)
		r->heard_ns[side] += missed;
	extend_late_phase(r, missed);
}

static int handle_next(struct round *r, uint64_t now, uint64_t until, bool *any)
{
	struct loop_event ev;
	int err;

	extend_deadlines(r);
	awake__sleep(&r->awake, until > now ? until : now);
	err = loop__wait(&r->runner->loop, &ev, now >= until ? 0 : until);
	extend_deadlines(r);
	*any = ev.kind != LOOP_TIMEOUT;
	return err ? round__fail(r, err, "cannot wait for events: %s.", strerror(-err))
		   : dispatch(r, &ev);
}

/* Whether a process that should speak has been silent for too long. */
static bool is_silent(const struct round *r, uint64_t now)
{
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (r->drivers[side].child.pid &&
		    (!r->done[side] || (r->half_asked && !r->half_taken)) &&
		    now >= r->heard_ns[side] + time_limit__ns(SILENCE_NS))
			return true;
	return false;
}

/* Due actions, when no event is waiting. 0: continue waiting. */
static int check_deadline(struct round *r, uint64_t now, enum round_event awaited)
{
	static const char *const verbs[] = {
		[ROUND_LISTENING] = "listen",
		[ROUND_READY] = "connect",
		[ROUND_QUIESCED] = "finish its warm-up",
		[ROUND_DONE] = "finish",
		[ROUND_HALF] = "pass on what the receiver's machine measured",
	};

	if (r->stop_ns && now >= r->stop_ns)
		return -EINTR;
	if (is_silent(r, now))
		return round__fail(r, -ETIMEDOUT,
				   "the load generator did not %s: it does not answer.",
				   verbs[awaited]);
	if (now >= r->ping_ns)
		ask_stats(r);
	late_phase_turn(r, now);
	return event_sampling__turn(r, now);
}

static uint64_t next_due(const struct round *r)
{
	uint64_t until = r->ping_ns, slice = event_sampling__due(r), late = late_phase_due(r);

	if (r->stop_ns && r->stop_ns < until)
		until = r->stop_ns;
	if (late < until)
		until = late;
	return slice < until ? slice : until;
}

/* Events come before due actions: after a pause (Ctrl-Z) they carry the present state. */
int round__await(struct round *r, enum round_event event)
{
	unsigned int crowd = 0;
	int err = 0;

	r->ping_ns = loop__now_ns() + time_limit__ns(PING_NS);
	r->awake = (struct awake){0};
	for (int side = 0; side < NIO_SIDE_NR; side++)
		r->heard_ns[side] = loop__now_ns();
	while (!err && !round__has(r, event)) {
		uint64_t now = loop__now_ns();
		uint64_t until = next_due(r);
		bool any;

		err = handle_next(r, now, until, &any);
		crowd = any ? crowd + 1 : 0;
		if (err || now < until || (any && crowd < CROWD_MAX) || round__has(r, event))
			continue;
		crowd = 0;
		err = check_deadline(r, now, event);
	}
	return err;
}
