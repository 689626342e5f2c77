/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live views show: filled by the run loop at each refresh, drawn by live_curses.c on a
 * terminal and by live_line.c elsewhere. Neither knows where the numbers come from.
 */
#ifndef NETIOTRACE_LIVE_H
#define NETIOTRACE_LIVE_H

#include "model/result.h"

enum live_phase {
	LIVE_STARTING,
	LIVE_WARMUP,
	LIVE_RUNNING,
	LIVE_SAMPLING, /* a round of its own, of which nothing is shown */
	LIVE_TIMING,   /* likewise */
	LIVE_DRAINING,
	LIVE_DONE,
};

/* One column: one mode of this session. */
struct live_mode {
	enum mode mode;
	bool running;            /* the mode whose round is under way */
	bool seen;               /* total holds something */
	struct run_result total; /* all rounds of the mode so far, this one included */
	/* bytes a second of each stage over the last interval; of a mode not running: of its last
	 */
	double stage_rate[NIO_STAGE_NR];
	double gbps;
};

struct live_frame {
	const char *version;
	const struct environment *env;
	const char *backend;
	enum live_phase phase;
	uint64_t size;
	unsigned int fields, threads;
	unsigned int round, rounds; /* 1-based; over all modes of a round */
	uint64_t elapsed_ns,
		planned_ns; /* of the whole session; planned 0: not known (--messages) */
	double interval_s;  /* the rates' interval */
	struct live_mode modes[MODE_NR];
	size_t modes_nr;
	unsigned int probes;
	struct health health;
};

enum live_action {
	LIVE_NONE,
	LIVE_QUIT,
};

/*
 * A view. open() takes over the terminal (curses) or does nothing (line); -errno with the terminal
 * untouched. draw() shows a frame; the frame may be overwritten once it returns, so what a paused
 * view shows is kept by the view. input() is called when fd is readable, and redraws by itself;
 * resize() after SIGWINCH. leave() gives the terminal back until enter(). close() restores the
 * terminal and is safe to call twice. fd is -1 when there is nothing to poll.
 */
struct live_view;

struct live_view_ops {
	int (*open)(struct live_view **view);
	void (*draw)(struct live_view *view, const struct live_frame *frame);
	enum live_action (*input)(struct live_view *view);
	void (*resize)(struct live_view *view);
	int (*fd)(const struct live_view *view);
	void (*leave)(struct live_view *view);
	void (*enter)(struct live_view *view);
	void (*close)(struct live_view *view);
};

extern const struct live_view_ops live_view_curses;
extern const struct live_view_ops live_view_line; /* a line each draw, on stderr */

#endif
