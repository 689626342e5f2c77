/* SPDX-License-Identifier: GPL-2.0-only */
/* Stops of a thread that must not harm the program. No root. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "follow/tracer.h"
#include "support/test.h"

#define TRIES 2000 /* of 10 ms */

struct shared {
	volatile pid_t waiter; /* the victim's second thread */
	volatile uint64_t turns;
	volatile int done;
};

static struct shared *share(void)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static bool within_20_s(bool (*is)(const struct shared *s, uint64_t n), const struct shared *s,
			uint64_t n)
{
	for (int i = 0; i < TRIES && !is(s, n); i++)
		usleep(10000);
	return is(s, n);
}

static bool has_turned(const struct shared *s, uint64_t n)
{
	return s->turns > n && s->waiter;
}

/* Is the thread in a group stop? */
static bool waiter_is_stopped(const struct shared *s, uint64_t process)
{
	char path[64], line[256] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%lu/task/%d/stat", process, s->waiter);
	f = fopen(path, "re");
	if (f) {
		(void)!fgets(line, sizeof(line), f);
		fclose(f);
	}
	end = strrchr(line, ')');
	return end && end[2] == 'T';
}

/* fork(), of a child that ends with this process. */
static pid_t start(void)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(1);
	return pid;
}

static void *wait_for_signals(void *arg)
{
	struct shared *s = arg;

	s->waiter = gettid();
	for (;;)
		pause();
	return NULL;
}

/* A process of two threads: one counts until the end, one waits. */
static pid_t start_victim(struct shared *s)
{
	pid_t pid = start();
	pthread_t thread;

	if (pid)
		return pid;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&thread, NULL, wait_for_signals, s);
	while (!s->done)
		s->turns++;
	_exit(0);
}

/* The other thread takes SIGSTOP, so that this one enters the group stop in its step. */
static int stop_in_a_step(pid_t victim, const struct shared *s)
{
	static struct tracer t;
	struct user_regs_struct regs;
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGCHLD);
	sigprocmask(SIG_BLOCK, &stops, NULL);
	if (!tracer__stop(&t, (uint32_t)victim, &regs) ||
	    tracer__step(&t, (uint32_t)victim, &regs) != TRACER_STEPPED)
		return 1;
	kill(victim, SIGSTOP);
	if (!within_20_s(waiter_is_stopped, s, (uint64_t)victim) ||
	    tracer__step(&t, (uint32_t)victim, &regs) != TRACER_SIGNAL)
		return 2;
	tracer__continue(&t, (uint32_t)victim);
	return 0;
}

/* The trap flag of a step that ended in a group stop would end the program with SIGTRAP. */
TEST(a_thread_that_enters_a_group_stop_in_a_step_goes_on_after_SIGCONT)
{
	struct shared *s = share();
	pid_t victim = start_victim(s), tracer;
	uint64_t turns;
	int status;

	assert_true(within_20_s(has_turned, s, 0));
	tracer = start();
	if (!tracer)
		_exit(stop_in_a_step(victim, s));
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	/* Still stopped, as everybody else sees it. */
	assert_true(within_20_s(waiter_is_stopped, s, (uint64_t)victim));
	turns = s->turns;
	kill(victim, SIGCONT);
	assert_true(within_20_s(has_turned, s, turns + 1000));
	s->done = 1;
	assert_int_equal(waitpid(victim, &status, 0), victim);
	assert_true(WIFEXITED(status));
	munmap(s, sizeof(*s));
}

/* Such a page may come from a server that does not answer, while the thread is stopped. */
TEST(a_page_that_is_not_in_memory_is_not_read)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t first = (uint64_t)(uintptr_t)pages;
	char byte = 0, two[2];
	pid_t pid;

	assert_true(pages != MAP_FAILED);
	madvise(pages, 2 * size, MADV_NOHUGEPAGE);
	pages[0] = 'x';
	pid = start();
	while (!pid)
		pause();
	assert_true(tracer__read((uint32_t)pid, first, &byte, 1));
	assert_int_equal(byte, 'x');
	assert_false(tracer__read((uint32_t)pid, first + size, &byte, 1));
	/* A part in memory is not enough. */
	assert_false(tracer__read((uint32_t)pid, first + size - 1, two, 2));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap(pages, 2 * size);
}
