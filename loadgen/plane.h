/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the main thread of either side waits for: commands, signals, frames of the control
 * connection, its own threads. Knows nothing of what follows from them.
 */
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
	PLANE_EXTRA = 16, /* the caller's own descriptor */
};

struct plane {
	bool has_console;
	struct console console;
	int signal_fd; /* SIGINT and SIGTERM; -1: default action */
	struct channel channel;
	int wake_fd;
	struct awake awake;
	uint64_t missed; /* ns that this process did not run, not yet asked for */
};

/* signals: take SIGINT and SIGTERM as events. Must come before any thread is started. */
int plane__open(struct plane *p, bool console, bool signals);
void plane__close(struct plane *p);

/*
 * Waits until something happened or the time `deadline` (clock__now(); UINT64_MAX: no limit) has
 * come: a set of plane_event, 0 at the deadline, or -errno. extra: one more descriptor to wait for,
 * or -1.
 */
int plane__wait(struct plane *p, uint64_t deadline, int extra);

/*
 * For how many ns this process did not run (Ctrl-Z, SIGSTOP, a frozen container) since the last
 * call, while a deadline was waited for: the silence of others in that time proves nothing.
 */
uint64_t plane__missed(struct plane *p);

/* Forgets the signal or the wake-up that plane__wait() told of. */
void plane__take_signal(struct plane *p);
void plane__take_wake(struct plane *p);

#endif
