/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits with one poll() for all events of the main thread. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "plane.h"

/* A wait with a deadline wakes this often, to notice that this process did not run. */
#define ROUND_NS NS_PER_SEC

enum { AT_CONSOLE, AT_SIGNAL, AT_CHANNEL, AT_WAKE, AT_EXTRA, AT_NR };

int plane__open(struct plane *p, bool console, bool signals)
{
	sigset_t set;

	*p = (struct plane){.signal_fd = -1, .wake_fd = -1, .has_console = console};
	p->channel.fd = -1;
	console__init(&p->console, STDIN_FILENO);
	if (!signals)
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	p->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->signal_fd < 0 ? -errno : 0;
}

void plane__close(struct plane *p)
{
	if (p->signal_fd >= 0)
		close(p->signal_fd);
	p->signal_fd = -1;
	channel__close(&p->channel);
}

static int plane__poll(struct pollfd *fds, nfds_t n, uint64_t deadline)
{
	struct timespec ts = {0}, *timeout = NULL;
	uint64_t now;
	int got;

	do {
		if (deadline != UINT64_MAX) {
			now = clock__now();
			ts.tv_sec = deadline > now ? (time_t)((deadline - now) / NS_PER_SEC) : 0;
			ts.tv_nsec = deadline > now ? (long)((deadline - now) % NS_PER_SEC) : 0;
			timeout = &ts;
		}
		got = ppoll(fds, n, timeout, NULL);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static void plane__look(struct plane *p)
{
	p->missed += awake__missed(&p->awake, clock__now());
}

uint64_t plane__missed(struct plane *p)
{
	uint64_t missed = p->missed;

	p->missed = 0;
	return missed;
}

/* Returns at an event, at the deadline, or after a pause of this process. */
static int plane__sleep(struct plane *p, struct pollfd *fds, nfds_t n, uint64_t deadline)
{
	uint64_t now, until;
	int got;

	if (deadline == UINT64_MAX) {
		got = plane__poll(fds, n, deadline);
		p->awake = (struct awake){0};
		return got;
	}
	do {
		plane__look(p);
		now = clock__now();
		until = deadline > now + time_limit__ns(ROUND_NS) ? now + time_limit__ns(ROUND_NS)
								  : deadline;
		awake__sleep(&p->awake, until > now ? until : now);
		got = plane__poll(fds, n, until);
		plane__look(p);
	} while (!got && until < deadline && !p->missed);
	return got;
}

int plane__wait(struct plane *p, uint64_t deadline, int extra)
{
	struct pollfd fds[AT_NR] = {
		[AT_CONSOLE] = {.fd = p->has_console ? p->console.fd : -1, .events = POLLIN},
		[AT_SIGNAL] = {.fd = p->signal_fd, .events = POLLIN},
		[AT_CHANNEL] = {.fd = p->channel.fd, .events = POLLIN},
		[AT_WAKE] = {.fd = p->wake_fd, .events = POLLIN},
		[AT_EXTRA] = {.fd = extra, .events = POLLIN},
	};
	int got, events = 0, i;

	if (p->has_console && console__pending(&p->console))
		return PLANE_COMMAND;
	got = plane__sleep(p, fds, AT_NR, deadline);
	if (got < 0)
		return got;
	for (i = 0; i < AT_NR; i++)
		if (fds[i].revents)
			events |= 1 << i;
	return events;
}

void plane__take_signal(struct plane *p)
{
	struct signalfd_siginfo info;

	while (read(p->signal_fd, &info, sizeof(info)) > 0)
		;
}

void plane__take_wake(struct plane *p)
{
	eventfd_t count;

	while (!eventfd_read(p->wake_fd, &count))
		;
}
