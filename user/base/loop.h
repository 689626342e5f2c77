/* SPDX-License-Identifier: GPL-2.0-only */
/* The event loop: signals, one timer and file descriptors through epoll; no work in handlers. */
#ifndef NETIOTRACE_LOOP_H
#define NETIOTRACE_LOOP_H

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
 * Opens the loop and blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGWINCH, which from here on are
 * events; an ignored SIGHUP (nohup) stays ignored. 0 or -errno. loop__close() takes a loop that was
 * never opened.
 */
int loop__open(struct loop *l);
void loop__close(struct loop *l);

/*
 * For who has a screen to give back before the program is paused (Ctrl-Z) and to draw again after:
 * SIGTSTP and SIGCONT are events, too, until take is false. 0 or -errno. loop__pause() then does
 * what SIGTSTP would have done; returns when the program goes on.
 */
int loop__take_pauses(struct loop *l, bool take);
void loop__pause(void);

int loop__add(struct loop *l, int fd);
void loop__remove(struct loop *l, int fd);

/*
 * Does a signal that ends the program wait to be an event, and which (0: none)? For work between
 * two waits that takes long and can be left undone then.
 */
bool loop__is_to_end(void);
int loop__ending_signal(void);

/* Ticks after first_ns, then every interval_ns. */
int loop__set_timer(struct loop *l, uint64_t first_ns, uint64_t interval_ns);

/* Waits for one event, timeout_ms at most (-1: for ever). 0 or -errno. */
int loop__wait(struct loop *l, struct loop_event *ev, int timeout_ms);

uint64_t loop__now_ns(void); /* CLOCK_MONOTONIC */

#endif
