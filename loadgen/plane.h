/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a side's main thread: commands, signals, frames, wake-ups by threads. */
#ifndef LOADGEN_PLANE_H
#define LOADGEN_PLANE_H

#include <stdbool.h>
#include <stdint.h>

#include "channel.h"
#include "common/time_limit.h"
#include "console.h"

enum plane_event {
	PLANE_COMMAND = 1,
	PLANE_SIGNAL = 2,
	PLANE_FRAME = 4,
	PLANE_WAKE = 8,
	PLANE_EXTRA = 16, /* the caller's descriptor */
};

struct plane {
	bool has_console;
	struct console console;
	int signal_fd; /* SIGINT and SIGTERM; -1: default action */
	struct channel channel;
	int wake_fd;
	struct awake awake;
	uint64_t missed; /* ns that this process did not run, since plane__missed() */
};

/* signals: receive SIGINT and SIGTERM as events. Call before any thread starts. 0 or -errno. */
int plane__open(struct plane *p, bool console, bool signals);
void plane__close(struct plane *p);

/*
 * Waits until `deadline` (clock__now(); UINT64_MAX: none). extra: one more descriptor, or -1.
 * Returns a set of plane_event, or -errno. 0: the deadline, or this process did not run for a time.
 */
int plane__wait(struct plane *p, uint64_t deadline, int extra);

/* Takes the ns that this process did not run; the silence of peers in that time does not count. */
uint64_t plane__missed(struct plane *p);

/* Clear the event that plane__wait() returned. */
void plane__take_signal(struct plane *p);
void plane__take_wake(struct plane *p);

#endif
