/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the stops of threads; see tracer.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/num.h"
#include "tracer.h"

#define WAIT_NS      500000000ULL
#define HELD_NS      350000ULL    /* until a thread that is held for its stop goes on by itself */
#define STEP_NS      20000ULL     /* of most steps; a longer one may wait for this process's CPU */
#define STEP_LOOK_NS 2000000ULL   /* then it is looked what the thread waits for */
#define STEP_WAIT_NS 100000000ULL /* then nobody waits for the result */

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

static int event_of(int status)
{
	return status >> 16;
}

/* The end of a step; other SIGTRAPs are the program's own. */
static bool is_step(uint32_t tid, int status)
{
	siginfo_t info;

	return !event_of(status) && WSTOPSIG(status) == SIGTRAP &&
	       !ptrace(PTRACE_GETSIGINFO, tid, 0, &info) && info.si_code == TRAP_TRACE;
}

static bool is_group_stop(int status)
{
	return WIFSTOPPED(status) && event_of(status) == PTRACE_EVENT_STOP &&
	       WSTOPSIG(status) != SIGTRAP;
}

/* Lets the thread take its signal, or stay in its group stop. */
static void pass(uint32_t tid, int status)
{
	if (!WIFSTOPPED(status))
		return;
	if (is_group_stop(status))
		ptrace(PTRACE_LISTEN, tid, 0, 0);
	else
		ptrace(PTRACE_CONT, tid, 0, event_of(status) ? 0 : WSTOPSIG(status));
}

enum awaited {
	AWAITED_STOP, /* t->status */
	AWAITED_END,
	AWAITED_NOTHING,
};

/*
 * Polls at first: a sleeping tracer could wake on the CPU where the thread is held. Then it sleeps:
 * the kernel may have put the thread on this CPU, where no other task runs beside a real-time one.
 * Other threads take their signals meanwhile.
 */
static enum awaited await(struct tracer *t, uint32_t tid, uint64_t poll_ns, uint64_t wait_ns)
{
	uint64_t begin = loop__now_ns(), passed = 0;

	for (;;) {
		pid_t found = waitpid(-1, &t->status, __WALL | WNOHANG | __WNOTHREAD);

		if (found == (pid_t)tid)
			return WIFSTOPPED(t->status) ? AWAITED_STOP : AWAITED_END;
		if (found < 0)
			return AWAITED_END;
		if (found)
			pass((uint32_t)found, t->status);
		else if (passed > wait_ns)
			return AWAITED_NOTHING;
		passed = loop__now_ns() - begin;
		if (passed > poll_ns)
			leave_cpu();
	}
}

bool tracer__stop(struct tracer *t, uint32_t tid, struct user_regs_struct *regs)
{
	t->stopped_ns = loop__now_ns();
	if (!seize(t, tid) || ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return false;
	while (await(t, tid, HELD_NS, WAIT_NS) == AWAITED_STOP) {
		/* A stop of ours: of PTRACE_INTERRUPT. A group stop has another signal. */
		if (event_of(t->status) == PTRACE_EVENT_STOP && WSTOPSIG(t->status) == SIGTRAP) {
			/* Held no longer and not stopped yet, it waited for a CPU, as without us.
			 */
			t->stopped_ns = u64__most(t->stopped_ns, loop__now_ns() - HELD_NS);
			return !ptrace(PTRACE_GETREGS, tid, 0, regs);
		}
		pass(tid, t->status);
	}
	return false;
}

/*
 * PTRACE_CONT and PTRACE_DETACH take the trap flag away (user_disable_single_step()), PTRACE_LISTEN
 * and the end of the tracer do not: a thread that entered a group stop in a step is detached.
 */
void tracer__continue(struct tracer *t, uint32_t tid)
{
	if (is_step(tid, t->status))
		ptrace(PTRACE_CONT, tid, 0, 0);
	else if (is_group_stop(t->status))
		ptrace(PTRACE_DETACH, tid, 0, 0);
	else
		pass(tid, t->status);
}

/* Does it wait in the kernel? One that waits for a CPU is R, one that has stopped t. */
static bool is_asleep(uint32_t tid)
{
	char path[32], line[128] = "", *name_end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "re");
	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	name_end = strrchr(line, ')');
	return name_end && (name_end[2] == 'S' || name_end[2] == 'D');
}

enum tracer_step tracer__step(struct tracer *t, uint32_t tid, struct user_regs_struct *regs)
{
	uint64_t begin = loop__now_ns();
	enum awaited awaited;
	bool asleep = false;

	if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0))
		return TRACER_SIGNAL;
	do {
		awaited = await(t, tid, STEP_NS, STEP_LOOK_NS);
		asleep = asleep || (awaited == AWAITED_NOTHING && is_asleep(tid));
		t->pending = awaited == AWAITED_NOTHING;
	} while (t->pending && loop__now_ns() - begin < STEP_WAIT_NS);
	/* Without this process, it had waited for the page, too. */
	if (asleep)
		t->stopped_ns += loop__now_ns() - begin;
	if (t->pending || asleep)
		return asleep ? TRACER_FAULT : TRACER_SLOW;
	return awaited == AWAITED_STOP && is_step(tid, t->status) &&
			       !ptrace(PTRACE_GETREGS, tid, 0, regs)
		       ? TRACER_STEPPED
		       : TRACER_SIGNAL;
}

void tracer__await_step(struct tracer *t, uint32_t tid)
{
	while (await(t, tid, 0, STEP_WAIT_NS) == AWAITED_NOTHING)
		;
	tracer__continue(t, tid);
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

/*
 * Reading a page that is not in memory would wait for it (disk, network file system, userfaultfd),
 * and the stopped thread with it.
 */
static bool is_present(uint32_t tgid, uint64_t address, size_t len)
{
	static uint32_t opened;
	static int fd = -1;
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), entry;
	char path[32];

	if (opened != tgid) {
		if (fd >= 0)
			close(fd);
		snprintf(path, sizeof(path), "/proc/%u/pagemap", tgid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		opened = tgid;
	}
	for (uint64_t page = address / size; len && page <= (address + len - 1) / size; page++)
		if (pread(fd, &entry, sizeof(entry), (off_t)(page * sizeof(entry))) !=
			    sizeof(entry) ||
		    !(entry >> 63))
			return false;
	return true;
}

bool tracer__read(uint32_t tgid, uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

	return is_present(tgid, address, len) &&
	       process_vm_readv((pid_t)tgid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}
