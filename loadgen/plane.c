/* SPDX-License-Identifier: GPL-2.0-only */
/* One poll() for everything the main thread waits for. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "plane.h"

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
	int err;

	do {
		if (deadline != UINT64_MAX) {
			now = clock__now();
			ts.tv_sec = deadline > now ? (time_t)((deadline - now) / NS_PER_SEC) : 0;
			ts.tv_nsec = deadline > now ? (long)((deadline - now) % NS_PER_SEC) : 0;
			timeout = &ts;
		}
		err = ppoll(fds, n, timeout, NULL) < 0 ? -errno : 0;
	} while (err == -EINTR);
	return err;
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
	int err, events = 0, i;

	if (p->has_console && console__pending(&p->console))
		return PLANE_COMMAND;
	err = plane__poll(fds, AT_NR, deadline);
	if (err)
		return err;
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
