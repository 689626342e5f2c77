/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes one sample; see sample.h. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/loop.h"
#include "sample.h"
#include "tracer.h"

#define KEPT_NS    100000000ULL /* a byte that stays longer is not followed further */
#define RESENT_NS  300000000ULL /* until the memory of a sent byte is sent again */
#define CALLS_MIN  4            /* mean distance to the sample, in calls of the largest size */
#define TRAFFIC_NS 2e6          /* the same, in time */

/* Of the process that follows. */
struct following {
	struct byte_sampler *sampler;
	struct sample *sample;
	struct tracer tracer;
	struct chain_io io;
	/* The last touch: one instruction can touch two watched bytes. */
	uint32_t last_tid;
	uint64_t last_ip, continued_ns;
	uint64_t end_ns; /* of the following; the time of stops does not count */
};

static uint64_t io_now(void *ctx)
{
	(void)ctx;
	return loop__now_ns();
}

static bool io_read(void *ctx, uint64_t address, void *to, size_t len)
{
	struct following *f = ctx;

	return tracer__read(f->sample->chain.tgid, address, to, len);
}

static bool io_step(void *ctx, uint32_t tid, struct user_regs_struct *regs)
{
	struct following *f = ctx;
	volatile struct nio_follow *shared = watchpoints__shared(f->sampler->watch);
	bool stepped;

	shared->stepped = tid;
	stepped = tracer__step(&f->tracer, tid, regs);
	shared->stepped = 0;
	return stepped;
}

static bool io_decode(void *ctx, struct decoder_request *request, struct decoder_answer *answer)
{
	struct following *f = ctx;

	return decoder__ask(f->sampler->decoder, request, answer);
}

static bool io_watch(void *ctx, unsigned int slot, uint64_t address)
{
	struct following *f = ctx;

	return watchpoints__set(f->sampler->watch, slot, address);
}

static void io_unwatch(void *ctx, unsigned int slot)
{
	struct following *f = ctx;

	watchpoints__clear(f->sampler->watch, slot);
}

static void unwatch_all(struct following *f)
{
	for (unsigned int i = 0; i < NIO_FOLLOW_PLACES; i++)
		watchpoints__clear(f->sampler->watch, i);
	watchpoints__shared(f->sampler->watch)->tgid = 0;
}

static void book_stop(struct following *f)
{
	uint64_t ns = loop__now_ns() - f->tracer.stopped_ns;
	struct sample *s = f->sample;

	f->end_ns += ns;
	s->stops++;
	s->stopped_ns += ns;
	if (ns > s->longest_ns)
		s->longest_ns = ns;
}

/* Was the thread stopped where the event saw it? Otherwise it has gone on. */
static bool is_in_time(const struct following *f, const struct nio_follow_event *e,
		       const struct user_regs_struct *regs)
{
	volatile struct nio_follow *shared = watchpoints__shared(f->sampler->watch);

	return regs->rip == e->ip && regs->rsp == e->sp &&
	       shared->returned[e->id % NIO_FOLLOW_RETURNS] != e->id;
}

static void handle_stop(struct following *f, const struct nio_follow_event *e)
{
	struct chain *c = &f->sample->chain;
	struct user_regs_struct regs;

	if (!tracer__stop(&f->tracer, e->tid, &regs)) {
		chain__finish(c, CHAIN_GONE);
		return;
	}
	if (!is_in_time(f, e, &regs)) {
		chain__finish(c, CHAIN_LATE);
	} else if (e->kind == NIO_FOLLOW_TOUCH) {
		chain__touch(c, e, &regs);
	} else {
		watchpoints__shared(f->sampler->watch)->tgid = e->tgid;
		chain__begin(c, e);
	}
	if (c->over)
		unwatch_all(f);
	f->last_tid = e->tid;
	f->last_ip = e->ip;
	f->continued_ns = loop__now_ns();
	tracer__continue(&f->tracer, e->tid);
	book_stop(f);
}

static void handle_event(void *ctx, const struct nio_follow_event *e)
{
	struct following *f = ctx;
	struct chain *c = &f->sample->chain;

	if (c->over || e->sample != f->sampler->number)
		return;
	switch (e->kind) {
	case NIO_FOLLOW_SAMPLE:
		if (!c->begun)
			handle_stop(f, e);
		return;
	case NIO_FOLLOW_COVER:
	case NIO_FOLLOW_MOVE:
	case NIO_FOLLOW_CHILD:
		chain__cover(c, e);
		return;
	case NIO_FOLLOW_TOUCH:
		if (chain__place_at(c, e->address) >= 0 &&
		    !(e->tid == f->last_tid && e->ip == f->last_ip && e->ns < f->continued_ns))
			handle_stop(f, e);
		return;
	}
}

/* Until the chain ends. Polls, since a held thread waits for each answer. */
static void follow_byte(struct following *f, uint64_t wait_ns)
{
	volatile struct nio_follow *shared = watchpoints__shared(f->sampler->watch);
	struct chain *c = &f->sample->chain;
	uint64_t lost = shared->lost;
	bool begun = false;

	f->end_ns = loop__now_ns() + wait_ns;
	while (!c->over) {
		int taken = watchpoints__read_events(f->sampler->watch, handle_event, f);

		if (c->begun && !begun) {
			begun = true;
			shared->wanted = 0;
			f->end_ns = loop__now_ns() + (c->backward ? RESENT_NS : KEPT_NS);
		}
		if (taken > 0 || c->over)
			continue;
		if (loop__now_ns() > f->end_ns)
			chain__finish(c, !begun        ? CHAIN_NONE
					 : c->backward ? CHAIN_NOT_SENT
						       : CHAIN_KEPT);
		else if (begun && !tracer__pass_signals(&f->tracer))
			chain__finish(c, CHAIN_GONE);
	}
	shared->wanted = 0;
	unwatch_all(f);
	/* A touch that was lost may have been a copy. */
	if (begun && shared->lost != lost)
		chain__finish(c, CHAIN_LOST);
}

static _Noreturn void follow(struct byte_sampler *s, uint64_t wait_ns)
{
	static struct following f;
	static struct chain_fills fills;
	const struct sched_param priority = {.sched_priority = 1};
	sigset_t stops;

	f = (struct following){.sampler = s, .sample = s->shared};
	f.io = (struct chain_io){&f, io_now, io_read, io_step, io_decode, io_watch, io_unwatch};
	f.sample->chain.io = &f.io;
	f.sample->chain.fills = &fills;
	f.sample->chain.slots = watchpoints__slots(s->watch);
	sigemptyset(&stops);
	sigaddset(&stops, SIGCHLD);
	sigprocmask(SIG_BLOCK, &stops, NULL);
	signal(SIGCHLD, SIG_DFL); /* may be ignored since before exec() */
	/* A held thread spins until this process acts. */
	sched_setscheduler(0, SCHED_FIFO, &priority);
	watchpoints__shared(s->watch)->wanted = 1;
	follow_byte(&f, wait_ns);
	f.sample->complete = true;
	_exit(0);
}

int byte_sampler__open(struct byte_sampler *s, struct watchpoints *watch, struct worker *decoder)
{
	void *shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*s = (struct byte_sampler){.watch = watch, .decoder = decoder};
	if (shared == MAP_FAILED)
		return -errno;
	s->shared = shared;
	return 0;
}

void byte_sampler__close(struct byte_sampler *s)
{
	if (s->shared)
		munmap(s->shared, sizeof(*s->shared));
	s->shared = NULL;
}

/* An exponential distance makes every byte equally likely. */
static int64_t draw_distance(const struct byte_sampler *s)
{
	double mean = s->rates[s->direction] * TRAFFIC_NS;
	double largest = (double)watchpoints__shared(s->watch)->largest[s->direction];

	if (mean < CALLS_MIN * largest)
		mean = CALLS_MIN * largest;
	if (mean < 1)
		mean = 1;
	return 1 + (int64_t)(-log(1 - drand48()) * mean);
}

pid_t byte_sampler__begin(struct byte_sampler *s, enum nio_follow_direction direction,
			  uint64_t wait_ns)
{
	volatile struct nio_follow *shared = watchpoints__shared(s->watch);
	struct chain *c = &s->shared->chain;
	pid_t pid;
	int err;

	/* All but the stacks. */
	memset(s->shared, 0, offsetof(struct sample, chain.links));
	for (int i = 0; i < CHAIN_LINKS_MAX; i++)
		c->links[i].stack.len = 0;
	s->shared->stops = 0;
	s->shared->stopped_ns = s->shared->longest_ns = 0;
	s->shared->complete = false;
	c->backward = direction == NIO_FOLLOW_SENT;
	s->direction = direction;
	shared->direction = direction;
	shared->sample = ++s->number;
	shared->bytes_left = draw_distance(s);
	s->begun_bytes = shared->bytes[direction];
	err = watchpoints__choose(s->watch, !c->backward);
	if (!err)
		err = watchpoints__attach(s->watch);
	if (err)
		return err;
	s->begun_ns = loop__now_ns();
	pid = fork();
	if (!pid)
		follow(s, wait_ns);
	return pid < 0 ? -errno : pid;
}

void byte_sampler__end(struct byte_sampler *s)
{
	volatile struct nio_follow *shared = watchpoints__shared(s->watch);
	uint64_t ns = loop__now_ns() - s->begun_ns;

	/* If the process died, its watchpoints are still set. */
	shared->wanted = 0;
	shared->tgid = 0;
	for (unsigned int i = 0; i < NIO_FOLLOW_PLACES; i++)
		watchpoints__clear(s->watch, i);
	watchpoints__detach(s->watch);
	if (ns)
		s->rates[s->direction] =
			(double)(shared->bytes[s->direction] - s->begun_bytes) / (double)ns;
}
