/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the event loop: signals, one timer and descriptors through epoll; no signal handlers. */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum loop_kind {
	LOOP_TIMEOUT,
	LOOP_SIGNAL,
	LOOP_TICK,
	LOOP_READABLE, /* or closed */
};

struct loop_event {
	enum loop_kind kind;
	int signo;
	int fd;
};

struct loop {
	int epfd;
	int sigfd;
	int timerfd;
};

#define LOOP_INIT                                      \
	{                                              \
		.epfd = -1, .sigfd = -1, .timerfd = -1 \
	}

/*
 * Opens the loop. SIGINT, SIGTERM, SIGHUP (unless ignored: nohup), SIGQUIT and SIGWINCH become
 * events. An exit code: a failure was reported. loop__close() also takes LOOP_INIT.
 */
int loop__open(struct loop *l);
void loop__close(struct loop *l);

/* catch: SIGTSTP and SIGCONT become events. 0 or -errno. loop__pause() stops until SIGCONT. */
int loop__catch_pauses(struct loop *l, bool catch);
void loop__pause(void);

int loop__add(struct loop *l, int fd);
void loop__remove(struct loop *l, int fd);

/* Is a signal pending that ends the program, and which (0: none)? For long work between waits. */
bool loop__is_to_end(void);
int loop__ending_signal(void);

/* Ticks after first_ns (0: never), then every interval_ns. 0 or -errno. */
int loop__set_timer(struct loop *l, uint64_t first_ns, uint64_t interval_ns);

/* Waits for one event, at most until this time (UINT64_MAX: forever). 0 or -errno. */
int loop__wait(struct loop *l, struct loop_event *ev, uint64_t until_ns);

/* Reports that loop__wait() or loop__set_timer() failed with err. EXIT_RUN_FAILED. */
int loop__report(int err);

uint64_t loop__now_ns(void); /* CLOCK_MONOTONIC */

/* Closes a descriptor that is open, and makes it -1. */
void fd__close(int *fd);

#endif
