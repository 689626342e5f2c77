/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live view of a run shows (a frame, filled by display.c), and the state of the
 * full-screen view: the frame frozen by a pause, the frame that a reset made the baseline, and what
 * the keys chose. Knows no layout.
 */
#ifndef SCREEN_LIVE_MODEL_H
#define SCREEN_LIVE_MODEL_H

#include "help_page.h"
#include "model/figures.h"
#include "model/result.h"

enum live_phase {
	LIVE_STARTING,
	LIVE_WARMUP,
	LIVE_RUNNING,
	LIVE_SAMPLING,  /* an auxiliary round, not shown */
	LIVE_FOLLOWING, /* the same */
	LIVE_TIMING,    /* an auxiliary round, not shown */
	LIVE_DRAINING,
	LIVE_DONE,
};

/* One column: one mode of this session. */
struct live_mode {
	enum mode mode;
	bool running;            /* the mode of the current round */
	bool seen;               /* total holds something */
	struct run_result total; /* all rounds of the mode so far, this one included */
	/* bytes a second of each stage over the last interval in which the mode ran */
	double stage_rate[NIO_STAGE_NR];
	double gbps; /* likewise; the line of each interval has both */
};

struct live_frame {
	const char *version;
	const struct environment *env;
	const char *backend;
	enum live_phase phase;
	uint64_t size;
	unsigned int fields, threads;
	unsigned int round, rounds; /* 1-based; over all modes of a round */
	uint64_t elapsed_ns;        /* of the whole session, like the next */
	uint64_t planned_ns;        /* 0: not known (--messages) */
	struct live_mode modes[MODE_NR];
	size_t modes_nr;
	unsigned int probes;
	struct health health;
	struct ranking fastest, cheapest; /* of the rounds that are over */
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
	LIVE_MISSED,
/* clang-format off */
#define LIVE_STAGE_HIST(id)    LIVE_##id,
#define LIVE_STAGE_NO_HIST(id)
#define X(id, key, head, side, copies, account, probe, hist, help) LIVE_STAGE_##hist(id)
	NIO_STAGES(X)
#undef X
	/* clang-format on */
	LIVE_QUANTITY_NR,
};

/* Frees what a copy of a frame owns. Safe on zeroed memory. */
void live_frame__clear(struct live_frame *f);

struct live_model {
	const struct live_frame *now; /* borrowed; NULL: there is none yet */
	struct live_frame frozen;     /* while paused */
	struct live_frame base;       /* after a reset */
	bool paused, since_reset;
	enum live_quantity quantity;
	bool times; /* shows times of a stage's events, not sizes */
	struct help_page help;
};

/* Answers a key: a character or an enum screen_key. true: q, it is over. */
bool live_model__key(struct live_model *m, int key);

/*
 * What is to be shown: the frozen or the present frame, minus the baseline if there is one; then it
 * is *copy, which the caller clears in any case. NULL: nothing yet.
 */
const struct live_frame *live_model__shown(const struct live_model *m, struct live_frame *copy);

void live_model__clear(struct live_model *m);

#endif
