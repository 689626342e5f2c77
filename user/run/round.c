/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One round: the two load generator processes taken through start, warm-up, measured phase and end
 * by the protocol of docs/LOADGEN.md, with the kernel's counters read at both ends of the measured
 * phase, when nothing is in flight.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "load/loadgen_args.h"
#include "load/driver.h"
#include "model/ledger.h"
#include "base/log.h"
#include "model/remote.h"
#include "run.h"
#include "host/tap.h"
#include "model/verdict.h"

#define CONNECT_TIMEOUT_MS 10000
#define DRAIN_TIMEOUT_MS   15000
/* After Ctrl-C: how long a drain may take before the load generator is killed. */
#define STOP_TIMEOUT_NS 500000000ULL
#define FIRST_TICK_NS   200000000ULL

struct round {
	struct run *run;
	enum mode mode;
	unsigned int slot;
	struct driver drivers[NIO_SIDE_NR];
	bool listening, quiesced;
	bool ready[NIO_SIDE_NR], stats[NIO_SIDE_NR], done[NIO_SIDE_NR];
	uint64_t cookies[NIO_SIDE_NR][LOAD_CONNECTIONS_MAX];
	size_t cookies_nr[NIO_SIDE_NR];
	unsigned int port;
	bool measuring;
	uint64_t stop_ns; /* when waiting ends after a stop; 0: no stop */
	struct snapshot base, now;
	struct run_result *out;
};

static const char *const side_names[NIO_SIDE_NR] = {"sender", "receiver"};

static bool is_remote(const struct round *r)
{
	return r->run->o->remote;
}

static int book(struct round *r)
{
	int err = ledger__book(r->out, &r->run->plans[r->mode], &r->base, &r->now);

	if (!err && is_remote(r))
		remote__book(r->out);
	return err;
}

/* How many sides are processes of ours: with --connect the sender only, which is the first. */
static int sides_here(const struct round *r)
{
	return is_remote(r) ? NIO_SIDE_RECEIVER : NIO_SIDE_NR;
}

/* Both sides have said how much they did so far: shows it. */
static void show_progress(struct round *r)
{
	struct run *run = r->run;

	r->stats[NIO_SIDE_SENDER] = r->stats[NIO_SIDE_RECEIVER] = false;
	for (int side = 0; side < sides_here(r); side++)
		perf_watch__read(&run->perf, side, r->out);
	if (run->session) {
		if (session__read(run->session, r->slot, &r->now) || book(r))
			return;
	}
	display__update(&run->display, r->out);
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
	struct congestion *c = &r->run->result.env.congestion;

	if (side == NIO_SIDE_SENDER)
		snprintf(c->used, sizeof(c->used), "%s", r->drivers[side].report.congestion);
}

/* What one process of the load generator reports, at the end or on the way. */
static int take_numbers(struct round *r, enum nio_side side)
{
	int err = ledger__app(r->out, &r->drivers[side].report, side);

	if (is_remote(r)) {
		remote__app(r->out, &r->drivers[side].report, r->run->o->traffic.verify);
		return err;
	}
	/* Without --verify only sequence numbers are compared: no errors found is then no finding.
	 */
	if (!r->run->o->traffic.verify && !r->out->app.verify_errors.value)
		r->out->app.verify_errors = (struct num){.reason = "--verify was not given"};
	return err;
}

static int say_remote_error(const struct round *r, const char *message)
{
	const struct address *to = &r->run->connect;
	char text[ADDRESS_TEXT_MAX];

	address__format(text, sizeof(text), to->host, to->port);
	if (r->ready[NIO_SIDE_SENDER])
		log_error("the session with the receiver at %s failed: %s.", text, message);
	else
		log_error("no session with the receiver at %s: %s.", text, message);
	return -EIO;
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
			perf_watch__finish(&r->run->perf, side, r->out);
		return take_numbers(r, side);
	case DRIVER_ERROR:
		if (is_remote(r))
			return say_remote_error(r, report->message);
		log_error("the load generator's %s failed: %s", side_names[side], report->message);
		return -EIO;
	case DRIVER_EOF:
		loop__remove(&r->run->loop, r->drivers[side].child.out);
		if (r->done[side] || r->stop_ns)
			return 0;
		log_error("the load generator's %s ended unexpectedly.", side_names[side]);
		return -EIO;
	default:
		return 0;
	}
}

static int read_driver(struct round *r, enum nio_side side)
{
	struct driver *d = &r->drivers[side];
	enum driver_event event;
	int err;

	do {
		err = driver__next(d, &event);
		if (err == -EPROTO)
			log_error("the load generator's %s said what is not the protocol: %s",
				  side_names[side], d->report.message);
		if (!err)
			err = take_event(r, side, event);
	} while (!err && event != DRIVER_NOTHING && event != DRIVER_EOF);
	if (!err && r->stats[NIO_SIDE_SENDER] && (r->stats[NIO_SIDE_RECEIVER] || is_remote(r)))
		show_progress(r);
	return err;
}

/* Ends the round early: drained if it is being measured, at once if it is not. */
static void stop(struct round *r)
{
	struct run *run = r->run;

	run->stopped = true;
	if (r->stop_ns)
		return;
	r->stop_ns = loop__now_ns();
	if (r->measuring) {
		r->stop_ns += STOP_TIMEOUT_NS;
		child__say(&r->drivers[NIO_SIDE_SENDER].child, "stop");
	}
}

static void take_signal(struct round *r, int signo)
{
	if (signo == SIGWINCH) {
		display__resize(&r->run->display);
		return;
	}
	r->run->signo = signo;
	stop(r);
}

static void ask_stats(struct round *r)
{
	if (!r->measuring)
		return;
	if (r->run->tick)
		r->run->tick(r->run, r->run->tick_arg);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (!r->done[side])
			child__say(&r->drivers[side].child, "stats");
}

static int dispatch(struct round *r, const struct loop_event *ev)
{
	switch (ev->kind) {
	case LOOP_SIGNAL:
		take_signal(r, ev->signo);
		return 0;
	case LOOP_TICK:
		ask_stats(r);
		return 0;
	case LOOP_READABLE:
		if (ev->fd == r->drivers[NIO_SIDE_SENDER].child.out)
			return read_driver(r, NIO_SIDE_SENDER);
		if (ev->fd == r->drivers[NIO_SIDE_RECEIVER].child.out)
			return read_driver(r, NIO_SIDE_RECEIVER);
		if (display__input(&r->run->display) == LIVE_QUIT)
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

/*
 * Handles events until done() holds. -EINTR: a stop was asked for and its time is over; -ETIMEDOUT
 * (said, with what was awaited) after timeout_ms, -1 for no limit.
 */
static int pump(struct round *r, bool (*done)(const struct round *r), int64_t timeout_ms,
		const char *awaited)
{
	uint64_t deadline = UINT64_MAX;
	int err;

	if (timeout_ms >= 0)
		deadline = loop__now_ns() + timeout_ms * 1000000ULL;
	while (!done(r)) {
		uint64_t until = r->stop_ns && r->stop_ns < deadline ? r->stop_ns : deadline;
		struct loop_event ev;

		if (r->stop_ns && loop__now_ns() >= r->stop_ns)
			return -EINTR;
		if (loop__now_ns() >= deadline) {
			log_error("the load generator did not %s in time.", awaited);
			return -ETIMEDOUT;
		}
		err = loop__wait(&r->run->loop, &ev, ms_until(until));
		if (!err)
			err = dispatch(r, &ev);
		if (err)
			return err;
	}
	return 0;
}

static bool is_listening(const struct round *r)
{
	return r->listening;
}

static bool is_ready(const struct round *r)
{
	return r->ready[NIO_SIDE_SENDER] && r->ready[NIO_SIDE_RECEIVER];
}

static bool is_quiesced(const struct round *r)
{
	return r->quiesced;
}

static bool is_done(const struct round *r)
{
	return r->done[NIO_SIDE_SENDER] && r->done[NIO_SIDE_RECEIVER];
}

static int start(struct round *r, enum nio_side side, char *const argv[])
{
	struct driver *d = &r->drivers[side];
	const char *step;
	int err;

	err = child__start(&d->child, argv, netpath__netns(r->run->path, side), &step);
	if (err) {
		log_error("cannot start the load generator's %s (%s): %s", side_names[side], step,
			  strerror(-err));
		return err;
	}
	return loop__add(&r->run->loop, d->child.out);
}

static int start_receiver(struct round *r)
{
	const struct run *run = r->run;
	struct arglist args = {0};
	int err;

	err = loadgen_args__receiver(&args, run->loadgen, &run->traffic,
				     netpath__address(run->path));
	if (!err)
		err = start(r, NIO_SIDE_RECEIVER, args.argv);
	arglist__clear(&args);
	return err;
}

static int start_sender(struct round *r)
{
	const struct run *run = r->run;
	struct arglist args = {0};
	int err;

	err = loadgen_args__sender(&args, run->loadgen, &run->traffic, r->mode,
				   netpath__address(run->path), r->port);
	if (!err)
		err = start(r, NIO_SIDE_SENDER, args.argv);
	arglist__clear(&args);
	return err;
}

static int watch_sockets(struct round *r)
{
	struct session *s = r->run->session;
	int err;

	if (!s)
		return 0;
	err = session__attach(s, &r->run->plans[r->mode]);
	for (int side = 0; side < NIO_SIDE_NR && !err; side++)
		err = session__watch(s, r->cookies[side], r->cookies_nr[side], r->slot, side);
	if (err)
		log_error("cannot watch the sockets of the load generator: %s", strerror(-err));
	return err;
}

static int connect_sides(struct round *r)
{
	int err;

	display__phase(&r->run->display, LIVE_STARTING);
	err = is_remote(r) ? 0 : start_receiver(r);
	if (!err)
		err = pump(r, is_listening, CONNECT_TIMEOUT_MS, "listen");
	if (!err)
		err = start_sender(r);
	if (!err)
		err = pump(r, is_ready, CONNECT_TIMEOUT_MS, "connect");
	return err ? err : watch_sockets(r);
}

/* Between two phases, when all threads are idle. */
static void open_counters(struct round *r)
{
	for (int side = 0; side < sides_here(r); side++)
		perf_watch__open(&r->run->perf, side, r->drivers[side].child.pid);
}

static int warm_up(struct round *r)
{
	struct run *run = r->run;
	int err;

	display__phase(&run->display, LIVE_WARMUP);
	err = child__say(&r->drivers[NIO_SIDE_SENDER].child, "start");
	if (!err)
		err = pump(r, is_quiesced, run->o->traffic.warmup_ns / 1000000 + DRAIN_TIMEOUT_MS,
			   "finish its warm-up");
	if (!err && run->session)
		err = session__read(run->session, r->slot, &r->base);
	if (!err)
		open_counters(r);
	return err;
}

static int measure(struct round *r)
{
	struct run *run = r->run;
	const struct options *o = run->o;
	uint64_t first = o->interval_ns < FIRST_TICK_NS ? o->interval_ns : FIRST_TICK_NS;
	int64_t limit = o->traffic.messages ? -1
					    : (int64_t)(traffic__round_ns(&o->traffic) / 1000000) +
						      DRAIN_TIMEOUT_MS;
	int err;

	perf_watch__enable(&run->perf);
	err = child__say(&r->drivers[NIO_SIDE_SENDER].child, "measure");
	if (err)
		return err;
	r->measuring = true;
	log_info("%s, round %u: measuring", mode__name(r->mode), r->out->round);
	display__phase(&run->display, LIVE_RUNNING);
	loop__set_timer(&run->loop, first, o->interval_ns);
	err = pump(r, is_done, limit, "finish");
	loop__set_timer(&run->loop, 0, 0);
	log_info("%s, round %u: measured", mode__name(r->mode), r->out->round);
	return err;
}

/* The final numbers; of an interrupted round whatever the last report said, without a balance. */
static int close_books(struct round *r)
{
	struct run *run = r->run;
	int err = 0;

	if (run->session) {
		err = session__read(run->session, r->slot, &r->now);
		if (!err)
			err = book(r);
	}
	if (err) {
		log_error("cannot read the kernel's counters: %s", strerror(-err));
		return err;
	}
	r->out->interrupted |= run->stopped;
	perf_watch__warn(&run->perf, r->out);
	ledger__close(r->out, is_done(r));
	tap__look(&run->result.env.taps, run->path);
	verdict__give(r->out, &run->result.env);
	return 0;
}

static void end(struct round *r)
{
	perf_watch__end(&r->run->perf);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct driver *d = &r->drivers[side];

		if (d->child.out >= 0)
			loop__remove(&r->run->loop, d->child.out);
		driver__clear(d);
		if (r->run->session)
			session__unwatch(r->run->session, r->cookies[side], r->cookies_nr[side]);
	}
}

static void init(struct round *r, struct run *run, enum mode mode, struct run_result *out)
{
	r->run = run;
	r->mode = mode;
	r->slot = mode;
	r->out = out;
	out->mode = mode;
	out->size = run->o->traffic.size;
	out->fields = run->o->traffic.fields;
	out->threads = run->o->traffic.threads;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		driver__init(&r->drivers[side], side);
	perf_watch__begin(&run->perf, out);
	if (is_remote(r)) {
		/* What a receiver of ours would say is taken as said. */
		r->listening = true;
		r->ready[NIO_SIDE_RECEIVER] = r->done[NIO_SIDE_RECEIVER] = true;
		r->port = netpath__port(run->path);
		remote__begin(out);
	}
	if (!run->session)
		ledger__no_kernel(out, "the kernel was not watched (--backend none)");
}

int round__run(struct run *run, enum mode mode, unsigned int index, struct run_result *out)
{
	struct round *r = calloc(1, sizeof(*r));
	int err;

	if (!r) {
		log_error("out of memory.");
		return EXIT_RUN_FAILED;
	}
	init(r, run, mode, out);
	out->round = index;
	display__round(&run->display, mode, index, plan__probes(&run->plans[mode]));
	err = connect_sides(r);
	if (!err)
		err = warm_up(r);
	if (!err)
		err = measure(r);
	if (err == -EINTR && run->stopped)
		err = 0;
	if (!err && r->measuring)
		err = close_books(r);
	end(r);
	free(r);
	return err ? EXIT_RUN_FAILED : EXIT_DONE;
}
