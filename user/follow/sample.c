/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes one sample; see sample.h. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "sample.h"
#include "tracer.h"

#define KEPT_NS    100000000ULL /* a byte that stays longer is not followed further */
#define RESENT_NS  300000000ULL /* until the memory of a sent byte is sent again */
#define POLL_NS    4000000ULL   /* with real-time priority on end */
#define URGENT_US  2000000      /* more than a sample takes */
#define CALLS_MIN  4            /* mean distance to the sample, in calls of the largest size */
#define TRAFFIC_NS 2e6          /* the same, in time */

/* Of the process that follows. */
struct following {
	struct byte_sampler *sampler;
	struct sample *sample;
	struct tracer tracer;
	struct chain_io io;
	pid_t parent;
	bool urgent;         /* it has real-time priority */
	uint64_t polling_ns; /* since when it polls on end */
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

static enum chain_end io_step(void *ctx, uint32_t tid, struct user_regs_struct *regs)
{
	struct following *f = ctx;
	static const enum chain_end ends[] = {
		[TRACER_STEPPED] = CHAIN_NONE,
		[TRACER_SIGNAL] = CHAIN_INTERRUPTED,
		[TRACER_FAULT] = CHAIN_FAULT,
		[TRACER_SLOW] = CHAIN_SLOW,
	};
	volatile struct nio_follow *shared = watchpoints__shared(f->sampler->watch);
	enum tracer_step step;

	shared->stepped = tid;
	step = tracer__step(&f->tracer, tid, regs);
	shared->stepped = 0;
	return ends[step];
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

/*
 * The step of a thread is pending, for as long as its page does not come. This process stays for it
 * alone: without descriptors, so that the watchpoints are free, and nobody waits for its end.
 */
static _Noreturn void stay_for_step(struct following *f, uint32_t tid)
{
	unwatch_all(f);
	f->sample->complete = f->sample->stays = true;
	syscall(SYS_close_range, 0U, ~0U, 0U);
	tracer__await_step(&f->tracer, tid);
	_exit(0);
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
	if (f->tracer.pending)
		stay_for_step(f, e->tid);
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

/* A held thread spins until this process acts. */
static bool set_urgent(bool urgent)
{
	const struct sched_param p = {.sched_priority = urgent};

	return !sched_setscheduler(0, urgent ? SCHED_FIFO : SCHED_OTHER, &p);
}

/* Other tasks of this CPU have their turn. A byte is not chosen then: its thread would be held. */
static void give_way(struct following *f)
{
	volatile struct nio_follow *shared = watchpoints__shared(f->sampler->watch);
	uint32_t wanted = shared->wanted;

	if (!f->urgent || loop__now_ns() - f->polling_ns < POLL_NS)
		return;
	shared->wanted = 0;
	set_urgent(false);
	sched_yield();
	f->urgent = set_urgent(true);
	f->polling_ns = loop__now_ns();
	shared->wanted = wanted;
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
		if (c->over)
			break;
		if (loop__now_ns() > f->end_ns)
			chain__finish(c, !begun        ? CHAIN_NONE
					 : c->backward ? CHAIN_NOT_SENT
						       : CHAIN_KEPT);
		else if (taken > 0)
			continue;
		else if (begun && !tracer__pass_signals(&f->tracer))
			chain__finish(c, CHAIN_GONE);
		else if (getppid() != f->parent)
			chain__finish(c, CHAIN_NONE);
		else
			give_way(f);
	}
	shared->wanted = 0;
	unwatch_all(f);
	/* A touch that was lost may have been a copy. */
	if (begun && shared->lost != lost)
		chain__finish(c, CHAIN_LOST);
}

/*
 * Nothing that is meant for netiotrace reaches this process: a thread would stay stopped, or get
 * the SIGTRAP of its step. It has no terminal and a process group of its own, and ends by itself.
 */
static void stand_alone(void)
{
	sigset_t signals;

	setsid();
	sigfillset(&signals); /* SIGCHLD wakes tracer.c */
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGCHLD, SIG_DFL); /* may be ignored since before exec() */
}

/* The kernel ends a process above the limit. Root without CAP_SYS_RESOURCE may not raise it. */
static bool allow_urgent(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	if (!setrlimit(RLIMIT_RTTIME, &limit))
		return true;
	if (getrlimit(RLIMIT_RTTIME, &limit))
		return false;
	limit.rlim_cur = limit.rlim_max;
	return limit.rlim_max >= URGENT_US && !setrlimit(RLIMIT_RTTIME, &limit);
}

static _Noreturn void follow(struct byte_sampler *s, uint64_t wait_ns, pid_t parent)
{
	static struct following f;
	static struct chain_fills fills;

	f = (struct following){.sampler = s, .sample = s->shared, .parent = parent};
	f.io = (struct chain_io){&f, io_now, io_read, io_step, io_decode, io_watch, io_unwatch};
	f.sample->chain.io = &f.io;
	f.sample->chain.fills = &fills;
	f.sample->chain.slots = watchpoints__slots(s->watch);
	stand_alone();
	f.urgent = allow_urgent() && set_urgent(true);
	f.polling_ns = loop__now_ns();
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

/* Forks. The process has the one writing end of a pipe. */
static int start(struct byte_sampler *s, uint64_t wait_ns)
{
	pid_t parent = getpid();
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	s->pid = fork();
	if (!s->pid)
		follow(s, wait_ns, parent);
	if (s->pid < 0)
		err = -errno;
	close(ends[1]);
	s->over_fd = ends[0];
	if (err)
		close(ends[0]);
	return err;
}

int byte_sampler__begin(struct byte_sampler *s, enum nio_follow_direction direction,
			uint64_t wait_ns)
{
	volatile struct nio_follow *shared = watchpoints__shared(s->watch);
	struct chain *c = &s->shared->chain;
	int err;

	/* All but the stacks. */
	memset(s->shared, 0, offsetof(struct sample, chain.links));
	for (int i = 0; i < CHAIN_LINKS_MAX; i++)
		c->links[i].stack.len = 0;
	s->shared->stops = 0;
	s->shared->stopped_ns = s->shared->longest_ns = 0;
	s->shared->complete = s->shared->stays = false;
	s->shared->cpu_ns = 0;
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
	return start(s, wait_ns);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

#define END_MS 3000

static void await_end(struct byte_sampler *s)
{
	struct pollfd over = {.fd = s->over_fd, .events = POLLIN};
	struct rusage used;
	pid_t ended = 0;
	int ready;

	/* It closes its end when it ends, and when it stays. A process that is frozen does neither.
	 */
	do
		ready = poll(&over, 1, END_MS);
	while (ready < 0 && errno == EINTR);
	while (ready > 0 && !s->shared->stays && (ended = wait4(s->pid, NULL, __WALL, &used)) < 0 &&
	       errno == EINTR)
		;
	if (ended == s->pid)
		s->shared->cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
	close(s->over_fd);
}

void byte_sampler__end(struct byte_sampler *s)
{
	volatile struct nio_follow *shared = watchpoints__shared(s->watch);
	uint64_t ns = loop__now_ns() - s->begun_ns;

	await_end(s);
	/* If the process died, its watchpoints are still set. */
	shared->wanted = 0;
	shared->tgid = 0;
	for (unsigned int i = 0; i < NIO_FOLLOW_PLACES; i++)
		watchpoints__clear(s->watch, i);
	watchpoints__detach(s->watch);
	/* So that it falls again after a large call that is not repeated. */
	shared->largest[s->direction] -= shared->largest[s->direction] / 8;
	if (ns)
		s->rates[s->direction] =
			(double)(shared->bytes[s->direction] - s->begun_bytes) / (double)ns;
}
