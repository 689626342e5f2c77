/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the stops of threads; see tracer.h. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/loop.h"
#include "tracer.h"

#define WAIT_NS 500000000ULL
/* A thread that is left before it has stepped gets SIGTRAP, which ends the program. */
#define STEP_WAIT_NS 10000000000ULL
#define HELD_NS      350000ULL /* until a thread that is held for its stop goes on by itself */
#define STEP_NS      20000ULL  /* of most steps; a longer one may wait for this process's CPU */

static bool is_seized(const struct tracer *t, uint32_t tid)
{
	for (unsigned int i = 0; i < t->seized_nr; i++)
		if (t->seized[i] == tid)
			return true;
	return false;
}

static bool seize(struct tracer *t, uint32_t tid)
{
	if (is_seized(t, tid))
		return true;
	if (t->seized_nr == TRACER_THREADS || ptrace(PTRACE_SEIZE, tid, 0, 0))
		return false;
	t->seized[t->seized_nr++] = tid;
	return true;
}

/* Sleeps until a thread stops (SIGCHLD, which is blocked), for a millisecond at most. */
static void leave_cpu(void)
{
	const struct timespec most = {.tv_nsec = 1000000};
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGCHLD);
	sigtimedwait(&stops, NULL, &most);
}

/*
 * Polls at first: a sleeping tracer could wake on the CPU where the thread is held. Then it sleeps:
 * the kernel may have put the thread on this CPU, where no other task runs beside a real-time one.
 */
static bool await(uint32_t tid, int *status, uint64_t poll_ns, uint64_t wait_ns)
{
	uint64_t begin = loop__now_ns(), passed = 0;
	pid_t found;

	for (;;) {
		found = waitpid((pid_t)tid, status, __WALL | WNOHANG);
		if (found || passed > wait_ns)
			return found > 0 && WIFSTOPPED(*status);
		passed = loop__now_ns() - begin;
		if (passed > poll_ns)
			leave_cpu();
	}
}

static int event_of(int status)
{
	return status >> 16;
}

/* A stop of ours: of PTRACE_INTERRUPT. A group stop has another signal. */
static bool is_our_stop(int status)
{
	return event_of(status) == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}

/* Lets the thread take its signal, or stay in its group stop. */
static void pass(uint32_t tid, int status)
{
	if (!WIFSTOPPED(status))
		return;
	if (event_of(status) == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
		ptrace(PTRACE_LISTEN, tid, 0, 0);
	else
		ptrace(PTRACE_CONT, tid, 0, event_of(status) ? 0 : WSTOPSIG(status));
}

/* A thread that was held no longer and did not stop yet waited for a CPU, as without this process.
 */
static void leave_out_wait(struct tracer *t)
{
	uint64_t held = loop__now_ns() - HELD_NS;

	if (held > t->stopped_ns)
		t->stopped_ns = held;
}

bool tracer__stop(struct tracer *t, uint32_t tid, struct user_regs_struct *regs)
{
	int status;

	t->stopped_ns = loop__now_ns();
	if (!seize(t, tid) || ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return false;
	while (await(tid, &status, HELD_NS, WAIT_NS)) {
		if (is_our_stop(status)) {
			leave_out_wait(t);
			return !ptrace(PTRACE_GETREGS, tid, 0, regs);
		}
		pass(tid, status);
	}
	return false;
}

void tracer__continue(struct tracer *t, uint32_t tid)
{
	(void)t;
	ptrace(PTRACE_CONT, tid, 0, 0);
}

bool tracer__step(struct tracer *t, uint32_t tid, struct user_regs_struct *regs)
{
	int status, signal;

	(void)t;
	if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0) || !await(tid, &status, STEP_NS, STEP_WAIT_NS))
		return false;
	signal = WSTOPSIG(status);
	if (event_of(status) || signal != SIGTRAP) {
		/* The signal is delivered; the step ends in its handler. */
		if (!event_of(status) && !ptrace(PTRACE_SINGLESTEP, tid, 0, signal))
			await(tid, &status, STEP_NS, STEP_WAIT_NS);
		return false;
	}
	return !ptrace(PTRACE_GETREGS, tid, 0, regs);
}

bool tracer__pass_signals(struct tracer *t)
{
	int status;
	pid_t tid = waitpid(-1, &status, __WALL | WNOHANG | __WNOTHREAD);

	(void)t;
	if (tid > 0)
		pass((uint32_t)tid, status);
	return tid >= 0 || errno != ECHILD;
}

bool tracer__read(uint32_t tgid, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return process_vm_readv((pid_t)tgid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}
