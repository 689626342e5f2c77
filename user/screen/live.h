/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live view of a run shows: display.c fills a frame at each refresh; live_layout.c draws
 * it on a terminal, live_line.c writes it as a line elsewhere.
 */
#ifndef SCREEN_LIVE_H
#define SCREEN_LIVE_H

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

/* The frame as one line without newline. Fills buf (cut to len) and returns it. */
char *live_line__format(char *buf, size_t len, const struct live_frame *f);

#endif
