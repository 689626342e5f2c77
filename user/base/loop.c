/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns epoll, signalfd and timerfd of the event loop; see loop.h. */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "exit_code.h"
#include "log.h"
#include "loop.h"
#include "resource_limits.h"

#define NS_PER_S      1000000000ULL
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
static const int pausing[] = {SIGTSTP, SIGCONT};

/*
 * A blocked signal reaches a signalfd even if ignored (sig_ignored(), kernel/signal.c). An ignored
 * SIGHUP (nohup) stays ignored. An ignored SIGINT or SIGQUIT is taken: a shell without job control
 * ignores them in background jobs, but one sent to this process asks for an orderly end.
 */
static bool is_ignored(int signo)
{
	struct sigaction sa;

	return signo == SIGHUP && !sigaction(signo, NULL, &sa) && sa.sa_handler == SIG_IGN;
}

/* fd: the signalfd to change, or -1 for a new one. Returns the signalfd or -errno. */
static int open_signals(int fd, bool pauses)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (!is_ignored(taken[i]))
			sigaddset(&set, taken[i]);
	for (size_t i = 0; i < ARRAY_SIZE(pausing) && pauses; i++)
		sigaddset(&set, pausing[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(fd, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int loop__catch_pauses(struct loop *l, bool catch)
{
	int fd = open_signals(l->sigfd, catch);
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(pausing); i++)
		sigaddset(&set, pausing[i]);
	if (!catch)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	return fd < 0 ? fd : 0;
}

int loop__ending_signal(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (taken[i] != SIGWINCH && !is_ignored(taken[i]) &&
		    sigismember(&pending, taken[i]))
			return taken[i];
	return 0;
}

bool loop__is_to_end(void)
{
	return loop__ending_signal() != 0;
}

void loop__pause(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	kill(getpid(), SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int loop__report(int err)
{
	log_error("cannot wait for events: %s.", limits__strerror(err));
	return EXIT_RUN_FAILED;
}

static int open_all(struct loop *l)
{
	int err;

	l->epfd = epoll_create1(EPOLL_CLOEXEC);
	l->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epfd < 0 || l->timerfd < 0)
		return -errno;
	l->sigfd = open_signals(-1, false);
	if (l->sigfd < 0)
		return l->sigfd;
	err = loop__add(l, l->sigfd);
	return err ? err : loop__add(l, l->timerfd);
}

int loop__open(struct loop *l)
{
	int err = open_all(l);

	return err ? loop__report(err) : EXIT_DONE;
}

void fd__close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void loop__close(struct loop *l)
{
	fd__close(&l->sigfd);
	fd__close(&l->timerfd);
	fd__close(&l->epfd);
}

int loop__add(struct loop *l, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(l->epfd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

void loop__remove(struct loop *l, int fd)
{
	epoll_ctl(l->epfd, EPOLL_CTL_DEL, fd, NULL);
}

int loop__set_timer(struct loop *l, uint64_t first_ns, uint64_t interval_ns)
{
	struct itimerspec its = {
		.it_value = {.tv_sec = first_ns / NS_PER_S, .tv_nsec = first_ns % NS_PER_S},
		.it_interval = {.tv_sec = interval_ns / NS_PER_S,
				.tv_nsec = interval_ns % NS_PER_S},
	};

	return timerfd_settime(l->timerfd, 0, &its, NULL) ? -errno : 0;
}

/* Milliseconds until ns, rounded up; -1 for never. */
static int ms_until(uint64_t ns)
{
	uint64_t now = loop__now_ns();

	if (ns == UINT64_MAX)
		return -1;
	if (ns <= now)
		return 0;
	return (ns - now) / 1000000 < INT32_MAX ? (int)((ns - now) / 1000000 + 1) : INT32_MAX;
}

static void take_signal(struct loop *l, struct loop_event *ev)
{
	struct signalfd_siginfo info;

	if (read(l->sigfd, &info, sizeof(info)) == sizeof(info))
		*ev = (struct loop_event){
			.kind = LOOP_SIGNAL, .signo = (int)info.ssi_signo, .fd = -1};
}

/* A signal comes before other events: epoll would take them in turn. */
int loop__wait(struct loop *l, struct loop_event *ev, uint64_t until_ns)
{
	struct epoll_event ready;
	uint64_t ticks;
	int n;

	*ev = (struct loop_event){.kind = LOOP_TIMEOUT, .fd = -1};
	take_signal(l, ev);
	if (ev->kind == LOOP_SIGNAL)
		return 0;
	n = epoll_wait(l->epfd, &ready, 1, ms_until(until_ns));
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return 0;
	if (ready.data.fd == l->sigfd) {
		take_signal(l, ev);
	} else if (ready.data.fd == l->timerfd) {
		if (read(l->timerfd, &ticks, sizeof(ticks)) == sizeof(ticks))
			ev->kind = LOOP_TICK;
	} else {
		*ev = (struct loop_event){.kind = LOOP_READABLE, .fd = ready.data.fd};
	}
	return 0;
}

uint64_t loop__now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}
