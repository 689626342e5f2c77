/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads on chosen CPUs. */
#include <sched.h>

#include "pin.h"

/* A thread of ours needs no more; 256 of them at the usual 8 MiB would alarm small machines. */
#define STACK_SIZE (256 << 10)

int pin__start(pthread_t *thread, const struct cpu_list *cpus, unsigned int turn,
	       void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	cpu_set_t cpu;
	int err;

	err = pthread_attr_init(&attr);
	if (err)
		return -err;
	err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!err && cpus->nr) {
		CPU_ZERO(&cpu);
		CPU_SET(cpus->cpu[turn % cpus->nr], &cpu);
		err = pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
	}
	if (!err)
		err = pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return -err;
}
