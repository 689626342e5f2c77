/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts threads on the CPUs of --cpus, and waits for their setup. */
#ifndef LOADGEN_PIN_H
#define LOADGEN_PIN_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "common/cpu_mask.h"
#include "lg_options.h"

/* 256 threads with the usual 8 MiB would be much for small machines. */
#define PIN_STACK_SIZE (256 << 10)

/* Pins the thread to CPU number turn modulo the list; an empty list does not pin. 0 or -errno. */
static inline int pin__start(pthread_t *thread, const struct cpu_list *cpus, unsigned int turn,
			     void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	struct cpu_mask mask;
	int err;

	pthread_attr_init(&attr);
	err = pthread_attr_setstacksize(&attr, PIN_STACK_SIZE);
	if (!err && cpus->nr) {
		cpu_mask__only(&mask, cpus->cpu[turn % cpus->nr]);
		err = pthread_attr_setaffinity_np(&attr, sizeof(mask), cpu_mask__set(&mask));
	}
	if (!err)
		err = pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return -err;
}

/* Waits for one post, which a thread in its setup will make. */
static inline void pin__await(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

#endif
