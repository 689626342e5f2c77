/* SPDX-License-Identifier: GPL-2.0-only */
/* Pauses of this process; see pause_watch.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "pause_watch.h"

void pause_watch__open(struct pause_watch *p)
{
	p->fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

void pause_watch__close(struct pause_watch *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

/* The second number (kernel/sched/core.c, sched_info). UINT64_MAX: unknown. */
static uint64_t read_waited(const struct pause_watch *p)
{
	char text[64];
	ssize_t n = p->fd < 0 ? -1 : pread(p->fd, text, sizeof(text) - 1, 0);
	uint64_t waited;

	if (n <= 0)
		return UINT64_MAX;
	text[n] = '\0';
	/* Zero where the kernel counts nothing: a thread that has started has waited. */
	return sscanf(text, "%*u %" SCNu64, &waited) == 1 && waited ? waited : UINT64_MAX;
}

void pause_watch__sleep(struct pause_watch *p)
{
	p->waited_ns = read_waited(p);
}

uint64_t pause_watch__of(uint64_t late_ns, uint64_t waited_ns)
{
	if (waited_ns == UINT64_MAX)
		return late_ns >= PAUSE_WATCH_BLIND_NS ? late_ns : 0;
	if (late_ns < waited_ns || late_ns - waited_ns < PAUSE_WATCH_LATE_NS)
		return 0;
	return late_ns - waited_ns;
}

uint64_t pause_watch__wake(const struct pause_watch *p, uint64_t due, uint64_t now)
{
	uint64_t waited;

	if (now < due + PAUSE_WATCH_LATE_NS)
		return 0;
	waited = read_waited(p);
	if (p->waited_ns == UINT64_MAX || waited == UINT64_MAX)
		return pause_watch__of(now - due, UINT64_MAX);
	return pause_watch__of(now - due, waited - p->waited_ns);
}
