/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that can have 4096 CPUs; this process may use CPUs 1 and 1500: replaces the C
 * library's sched_getaffinity(2) in the program that includes this.
 */
#ifndef SUPPORT_MANY_CPUS_H
#define SUPPORT_MANY_CPUS_H

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/types.h>

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	const size_t bits = 8 * sizeof(unsigned long);
	unsigned long *word = (unsigned long *)set;

	(void)pid;
	if (8 * size < 4096) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, size);
	word[0] = 1UL << 1;
	word[1500 / bits] = 1UL << 1500 % bits;
	return 0;
}

#endif
