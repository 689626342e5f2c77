/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pauses: time in which this thread did not run although it did not wait for a CPU. Its process was
 * stopped (SIGSTOP, Ctrl-Z) or frozen (cgroup), or its machine was.
 */
#ifndef COMMON_PAUSE_WATCH_H
#define COMMON_PAUSE_WATCH_H

#include <stdint.h>

struct pause_watch {
	int fd;             /* /proc/thread-self/schedstat; -1: not readable */
	uint64_t waited_ns; /* time that the thread has waited for a CPU, before its wait */
};

/* Lateness from which a wake-up is a pause. */
#define PAUSE_WATCH_LATE_NS 500000000ULL
/* The same where the kernel does not count the time of waiting for a CPU, which may be the cause.
 */
#define PAUSE_WATCH_BLIND_NS 2000000000ULL

/* By the thread that waits. Never fails. */
void pause_watch__open(struct pause_watch *p);
void pause_watch__close(struct pause_watch *p);

/* The thread will sleep. */
void pause_watch__sleep(struct pause_watch *p);

/* It woke up at `now`, and should have by `due`. Returns the least ns that it was paused, or 0. */
uint64_t pause_watch__wake(const struct pause_watch *p, uint64_t due, uint64_t now);

/* Pure: of a wake-up that was late by late_ns, waited_ns of them for a CPU (UINT64_MAX: unknown).
 */
uint64_t pause_watch__of(uint64_t late_ns, uint64_t waited_ns);

#endif
