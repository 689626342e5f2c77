/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting threads on the CPUs of --cpus. Knows nothing of what they do. */
#ifndef LOADGEN_PIN_H
#define LOADGEN_PIN_H

#include <pthread.h>

#include "settings.h"

/* Starts a thread on the CPU whose turn it is (turn modulo the list), or anywhere. 0 or -errno. */
int pin__start(pthread_t *thread, const struct cpu_list *cpus, unsigned int turn,
	       void *(*run)(void *arg), void *arg);

#endif
