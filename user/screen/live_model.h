/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live view of a run shows (a frame, filled by display.c), and the state of the
 * full-screen view: the last frame, the frame frozen by a pause, the frame that a reset made the
 * baseline, and what the keys chose. Owns copies of all that it shows. Knows no terminal and no
 * layout.
 */
#ifndef SCREEN_LIVE_MODEL_H
#define SCREEN_LIVE_MODEL_H

#include "model/result.h"

enum live_phase {
	LIVE_STARTING,
	LIVE_WARMUP,
	LIVE_RUNNING,
	LIVE_SAMPLING, /* an auxiliary round, not shown */
	LIVE_TIMING,   /* an auxiliary round, not shown */
	LIVE_DRAINING,
	LIVE_DONE,
};

/* One column: one mode of this session. */
struct live_mode {
	enum mode mode;
	bool running;            /* the mode of the current round */
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

/*
 * Quantities of a histogram column, in the order of the arrow keys. Send call times come first:
 * messages of one size would be a single bar.
 */
enum live_quantity {
	LIVE_SEND_CALL,
	LIVE_CALL_PARTS, /* no histogram: parts of a send call */
	LIVE_CPU,        /* no histogram: CPU time by class */
	LIVE_DELIVERY,
	LIVE_COMPLETION,
	LIVE_SLOT_WAIT,
	LIVE_HALF_ROUND_TRIP,
	LIVE_RECV_CALL,
/* clang-format off */
#define LIVE_STAGE_HIST(id)    LIVE_##id,
#define LIVE_STAGE_NO_HIST(id)
#define X(id, key, head, side, copies, account, done, probe, hist, help) LIVE_STAGE_##hist(id)
	NIO_STAGES(X)
#undef X
	/* clang-format on */
	LIVE_QUANTITY_NR,
};

enum live_action {
	LIVE_NONE,
	LIVE_QUIT,
};

enum live_key {
	LIVE_KEY_OTHER,
	LIVE_KEY_QUIT,
	LIVE_KEY_PAUSE,
	LIVE_KEY_LEFT,
	LIVE_KEY_RIGHT,
	LIVE_KEY_RESET,
	LIVE_KEY_TIMES,
	LIVE_KEY_HELP,
};

/* A frame with everything it points to that a run loop could free or overwrite. */
struct frame_copy {
	bool valid;
	struct live_frame frame;
	struct environment env;
};

/* Clearing is safe on zeroed memory. */
void frame_copy__set(struct frame_copy *copy, const struct live_frame *frame);
void frame_copy__clear(struct frame_copy *copy);

struct live_model {
	struct frame_copy latest;
	struct frame_copy frozen; /* valid while paused */
	struct frame_copy base;   /* valid after a reset */
	enum live_quantity quantity;
	bool times; /* shows times of a stage's events, not sizes */
	bool help;
};

/* Takes in a new frame. */
void live_model__frame(struct live_model *m, const struct live_frame *frame);
enum live_action live_model__key(struct live_model *m, enum live_key key);

/*
 * The frozen or the latest frame, minus the baseline, in *shown, which the caller clears. False
 * before the first frame.
 */
bool live_model__shown(const struct live_model *m, struct frame_copy *shown);

void live_model__clear(struct live_model *m);

#endif
