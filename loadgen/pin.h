/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts threads on the CPUs of --cpus. */
#ifndef LOADGEN_PIN_H
#define LOADGEN_PIN_H

#include <pthread.h>

#include "settings.h"

/* Pins the thread to CPU number turn modulo the list; an empty list does not pin. 0 or -errno. */
int pin__start(pthread_t *thread, const struct cpu_list *cpus, unsigned int turn,
	       void *(*run)(void *arg), void *arg);

#endif
