/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time of a process; see cpu_clock.h. */
#include "cpu_clock.h"

#include <errno.h>
#include <time.h>

#define NS_PER_S 1000000000ULL

int cpu_clock__add(uint64_t *ns, pid_t pid)
{
	struct timespec t;
	clockid_t clock;
	int err = clock_getcpuclockid(pid, &clock);

	if (err)
		return -err;
	if (clock_gettime(clock, &t))
		return -errno;
	*ns += (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
	return 0;
}
