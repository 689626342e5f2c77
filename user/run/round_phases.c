/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One round: the two load generator processes taken through start, warm-up, measured phase and end
 * by the protocol of docs/reference/loadgen.md, with the kernel's counters read at both ends of the
 * measured phase, when nothing is in flight.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/capabilities.h"
#include "base/resource_limits.h"
#include "base/log.h"
#include "common/half.h"
#include "common/xalloc.h"
#include "event_sampling.h"
#include "host/tap.h"
#include "kernel/mappings.h"
#include "kernel/sample_fold.h"
#include "kernel/sampler.h"
#include "load/loadgen_args.h"
#include "model/ledger.h"
#include "model/ledger_bytes.h"
#include "model/remote.h"
#include "model/verdict.h"
#include "round_phases.h"
#include "watched_sockets.h"

#define COUNTERS_UNREAD "cannot read the kernel's counters: %s."
#define FIRST_TICK_NS   200000000ULL

static int start(struct round *r, enum nio_side side)
{
	const struct runner *runner = r->runner;
	const char *address = runner->path->address, *step;
	struct driver *d = &r->drivers[side];
	struct arglist args = {0};
	int err;

	if (side == NIO_SIDE_RECEIVER)
		loadgen_args__receiver(&args, runner->loadgen, &runner->workload, address);
	else
		loadgen_args__sender(&args, runner->loadgen, &runner->workload, r->mode, address,
				     r->port);
	err = child__start(&d->child, args.argv, runner->path->netns[side], &step);
	arglist__clear(&args);
	if (err)
		return round__fail(r, err, "cannot start the load generator's %s (%s): %s.",
				   round_side_names[side], step, limits__strerror(err));
	return loop__add(&r->runner->loop, d->child.out);
}

static int watch_sockets(struct round *r)
{
	int err = r->runner->probes ? watched_sockets__watch(r) : 0;

	return err ? round__fail(r, err, "cannot watch the sockets of the load generator: %s.",
				 strerror(-err))
		   : 0;
}

static int connect_sides(struct round *r)
{
	int err;

	display__phase(&r->runner->display, LIVE_STARTING);
	err = round__is_remote(r) ? 0 : start(r, NIO_SIDE_RECEIVER);
	if (!err)
		err = round__await(r, ROUND_LISTENING);
	if (!err)
		err = start(r, NIO_SIDE_SENDER);
	if (!err)
		err = round__await(r, ROUND_READY);
	/* The programs may not all be attached then (declared_probes__open()). */
	if (!err && r->runner->stopped)
		err = -EINTR;
	return err ? err : watch_sockets(r);
}

static int warm_up(struct round *r)
{
	struct runner *runner = r->runner;
	int err;

	display__phase(&runner->display, LIVE_WARMUP);
	late_phase__begin(r, "warm-up", runner->workload.warmup_ns);
	err = round__send_line(r, NIO_SIDE_SENDER, "start");
	if (!err)
		err = round__await(r, ROUND_QUIESCED);
	late_phase__end(r);
	if (!err && runner->probes) {
		err = watched_sockets__read_base(r);
		if (err)
			round__fail(r, err, COUNTERS_UNREAD, strerror(-err));
	}
	/* Between two phases, when all threads are idle. */
	for (int side = 0; !err && side < round__sides_here(r); side++)
		perf_watch__open(&runner->perf, side, r->drivers[side].child.pid);
	return err;
}

void round_phases__start_samples(struct round *r)
{
	struct sampling *s = &r->runner->sampling;
	const pid_t pids[NIO_SIDE_NR] = {r->drivers[NIO_SIDE_SENDER].child.pid,
					 r->drivers[NIO_SIDE_RECEIVER].child.pid};
	/* Without a sender here, the path is the receiver's to it. */
	struct nio_run run = {htons((uint16_t)r->port), netpath__last_word(r->runner->path),
			      !pids[NIO_SIDE_SENDER]};

	s->err = sampler__start(s->sampler, pids, &run, SAMPLER_HZ, s->why, sizeof(s->why));
}

static void fold_samples(struct round *r)
{
	struct sampling *s = &r->runner->sampling;
	struct cpu_result *out = &r->out->cpu;
	struct mappings maps[NIO_SIDE_NR] = {0};
	struct sample_fold f = {.symbols = sampler__symbols(s->sampler),
				.gathers = mode__has(r->mode, MODE_GATHERS),
				.out = out};

	/* A side on another machine has no process here. */
	for (int side = 0; side < NIO_SIDE_NR; side++)
		if (r->drivers[side].child.pid &&
		    !mappings__read(&maps[side], r->drivers[side].child.pid, true))
			f.maps[side] = &maps[side];
	s->err = sampler__read(s->sampler, sample_fold__add, &f);
	if (s->err)
		snprintf(s->why, sizeof(s->why), "the samples could not be read: %s",
			 strerror(-s->err));
	for (int w = 0; w < NIO_SAMPLE_OWNER_NR; w++)
		out->by[w].lost = sampler__lost(s->sampler, w);
	for (int side = 0; side < NIO_SIDE_NR; side++)
		mappings__free(&maps[side]);
	sampler__describe(s->sampler, out);
	out->known = !s->err;
}

void round_phases__stop_samples(struct round *r)
{
	struct sampling *s = &r->runner->sampling;

	sampler__stop(s->sampler);
	if (!s->err)
		fold_samples(r);
}

/* What the receiver's machine is asked to measure. */
static enum half_kind half_kind(const struct round *r)
{
	const struct runner *runner = r->runner;

	if (!round__is_remote(r))
		return HALF_NONE;
	if (runner->o->backend == BACKEND_NONE)
		return HALF_COUNTS;
	if (runner->kind == ROUND_SAMPLED)
		return HALF_SAMPLES;
	if (runner->kind == ROUND_TIMED)
		return HALF_TIMES;
	return event_sampling__fits(runner) ? HALF_SHARE : HALF_CALLS;
}

/* A receiver that asks for no proof gives a challenge all the same. */
static int prove(struct round *r)
{
	char line[sizeof("prove ") + HALF_PROOF_TEXT] = "prove ";

	if (!r->runner->token.len || !r->challenge[0])
		return 0;
	serve_token__prove(&r->runner->token, r->challenge, line + strlen(line));
	return round__send_line(r, NIO_SIDE_SENDER, line);
}

static int send_measure(struct round *r)
{
	enum half_kind kind = half_kind(r);
	char line[32] = "measure";
	int err;

	if (kind != HALF_NONE)
		snprintf(line, sizeof(line), "measure %d", kind);
	err = prove(r);
	return err ? err : round__send_line(r, NIO_SIDE_SENDER, line);
}

/* The sender's process passes on the receiver's half when its own counters have been read. */
static int join_half(struct round *r)
{
	int err;

	if (half_kind(r) == HALF_NONE || !round__has(r, ROUND_DONE) || r->runner->stopped_by_peer)
		return 0;
	r->half_asked = true;
	err = round__send_line(r, NIO_SIDE_SENDER, "half");
	if (!err)
		err = round__await(r, ROUND_HALF);
	if (!err && r->half)
		remote__join(r->out, r->half, &r->runner->result.env);
	else if (!err && !r->runner->stopped)
		remote__no_half(r->out);
	/* An interrupted run does not wait for it. */
	return err == -EINTR && r->runner->stopped ? 0 : err;
}

static void mark_cpus(const struct round *r, struct cpu_mark *m)
{
	const pid_t pids[NIO_SIDE_NR] = {r->drivers[NIO_SIDE_SENDER].child.pid,
					 r->drivers[NIO_SIDE_RECEIVER].child.pid};

	machine__mark(m, pids, NIO_SIDE_NR);
}

static int measure_phase(struct round *r)
{
	static const enum live_phase phases[] = {
		[ROUND_COMPARED] = LIVE_RUNNING,
		[ROUND_SAMPLED] = LIVE_SAMPLING,
		[ROUND_TIMED] = LIVE_TIMING,
		[ROUND_FOLLOWED] = LIVE_FOLLOWING,
	};
	struct runner *runner = r->runner;
	const struct options *o = runner->o;
	uint64_t first = o->interval_ns < FIRST_TICK_NS ? o->interval_ns : FIRST_TICK_NS;
	struct cpu_mark cpu_end;
	int err;

	perf_watch__enable(&runner->perf);
	if (runner->kind == ROUND_SAMPLED)
		round_phases__start_samples(r);
	if (runner->kind == ROUND_FOLLOWED)
		followed_round__start(&runner->following, r->drivers[NIO_SIDE_SENDER].child.pid);
	mark_cpus(r, &r->cpu_begin);
	r->measure_ns = loop__now_ns();
	err = send_measure(r);
	if (err)
		return err;
	r->measuring = true;
	event_sampling__begin(r);
	log_info("%s, round %u: measuring", mode__name(r->mode), r->out->round);
	display__phase(&runner->display, phases[runner->kind]);
	loop__set_timer(&runner->loop, first, o->interval_ns);
	late_phase__begin(r, "measured phase",
			  runner->workload.messages ? 0 : workload__round_ns(&runner->workload));
	err = round__await(r, ROUND_DONE);
	mark_cpus(r, &cpu_end);
	machine__book(&r->out->health, &r->cpu_begin, &cpu_end,
		      runner->result.env.machine.irq_time);
	late_phase__end(r);
	loop__set_timer(&runner->loop, 0, 0);
	if (runner->kind == ROUND_SAMPLED)
		round_phases__stop_samples(r);
	if (runner->kind == ROUND_FOLLOWED)
		followed_round__stop(&runner->following);
	log_info("%s, round %u: measured", mode__name(r->mode), r->out->round);
	return err;
}

static int measure(struct round *r)
{
	int err;

	capabilities__lower(CAPABILITY_OF_RUN);
	err = measure_phase(r);
	capabilities__raise();
	return err;
}

/* The final numbers; after an interrupted drain, the last report without a comparison. */
static int close_books(struct round *r)
{
	struct runner *runner = r->runner;
	int err;

	if (runner->probes) {
		event_sampling__note(r, &r->now);
		r->now.moving = !round__has(r, ROUND_DONE);
		err = watched_sockets__read_now(r, !r->now.moving);
		if (err)
			return round__fail(r, err, COUNTERS_UNREAD, strerror(-err));
		round__book(r);
	}
	err = join_half(r);
	if (err)
		return err;
	ledger__missed(&r->out->app);
	r->out->interrupted |= runner->stopped;
	perf_watch__warn(&runner->perf, r->out);
	if (!round__has(r, ROUND_DONE))
		ledger__cut_short(r->out);
	ledger_bytes__bound_device(r->out, &runner->result.env);
	ledger__close(r->out, round__has(r, ROUND_DONE));
	tap__search(&runner->result.env.taps, runner->path);
	verdict__give(r->out, &runner->result.env);
	if (!runner->stopped && !r->out->duration_ns)
		return round__fail(r, -ENODATA, "nothing was measured: no time passed.");
	return 0;
}

static void end(struct round *r)
{
	perf_watch__end(&r->runner->perf);
	/* Both at once: a receiver that still runs would report each connection that ends. */
	for (int side = 0; side < NIO_SIDE_NR; side++)
		child__send_kill(&r->drivers[side].child);
	for (int side = 0; side < NIO_SIDE_NR; side++) {
		struct driver *d = &r->drivers[side];

		if (d->child.out >= 0)
			loop__remove(&r->runner->loop, d->child.out);
		driver__clear(d);
	}
	if (r->runner->probes)
		watched_sockets__unwatch(r);
}

static void init(struct round *r, struct runner *runner, enum mode mode, struct run_result *out)
{
	r->runner = runner;
	r->mode = mode;
	r->plan = runner->kind == ROUND_TIMED ? &runner->timing.plans[mode] : &runner->plans[mode];
	r->out = out;
	out->mode = mode;
	out->size = runner->o->workload.size;
	out->fields = mode__fields(mode, &runner->o->workload);
	out->threads = runner->o->workload.threads;
	out->connections = workload__connections(&runner->o->workload);
	out->request_response = runner->o->workload.request_response;
	out->receive = runner->o->workload.receive;
	for (int side = 0; side < NIO_SIDE_NR; side++)
		driver__init(&r->drivers[side], side);
	perf_watch__begin(&runner->perf, out);
	if (round__is_remote(r)) {
		/* A remote receiver needs no reports here: it confirms over the connection. */
		r->listening = true;
		r->ready[NIO_SIDE_RECEIVER] = r->done[NIO_SIDE_RECEIVER] = true;
		r->port = runner->path->port;
		remote__begin(out);
	}
	if (!runner->probes)
		run_result__no_kernel(out, "the kernel was not watched (--backend none)");
}

static int make(struct round *r)
{
	int err = connect_sides(r);

	if (!err)
		err = warm_up(r);
	if (!err)
		err = measure(r);
	if (err == -EINTR && r->runner->stopped)
		err = 0;
	if (!err && r->measuring)
		err = close_books(r);
	/* Errors without a message of their own. */
	return err ? round__fail(r, err, "%s.", strerror(-err)) : 0;
}

int round_phases__run(struct runner *runner, enum mode mode, unsigned int index,
		      struct run_result *out)
{
	struct round *r = xcalloc(1, sizeof(*r));
	int err;

	runner->reason[0] = '\0';
	init(r, runner, mode, out);
	out->round = index;
	display__round(&runner->display, mode, index, plan__probes(r->plan));
	err = make(r);
	end(r);
	if (r->half)
		run_result__clear(r->half);
	free(r->half);
	free(r);
	return err;
}
