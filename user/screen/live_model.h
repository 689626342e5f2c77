/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the interactive view: the last frame, the frame frozen by a pause, the frame that a
 * reset made the baseline, and what the keys chose. Owns copies of all it shows, so the run loop
 * may overwrite its frame. Never alters the session's data; knows no terminal and no layout.
 */
#ifndef NETIOTRACE_VIEW_MODEL_H
#define NETIOTRACE_VIEW_MODEL_H

#include "live.h"

/*
 * What a histogram column can show, in the order of the arrow keys. A call's time is first: sizes
 * of a load whose messages are all alike are one bar.
 */
enum view_quantity {
	VIEW_SEND_CALL,
	VIEW_CALL_PARTS, /* no histogram: what the time of a send call is made of */
	VIEW_CPU,        /* none, too: CPU time by class */
	VIEW_DELIVERY,
	VIEW_COMPLETION,
	VIEW_SLOT_WAIT,
	VIEW_HALF_ROUND_TRIP,
/* clang-format off */
#define VIEW_STAGE_HIST(id)    VIEW_##id,
#define VIEW_STAGE_NO_HIST(id)
#define X(id, key, head, side, copies, account, done, probe, hist, help) VIEW_STAGE_##hist(id)
	NIO_STAGES(X)
#undef X
	/* clang-format on */
	VIEW_QUANTITY_NR,
};

enum view_key {
	VIEW_KEY_OTHER,
	VIEW_KEY_QUIT,
	VIEW_KEY_PAUSE,
	VIEW_KEY_LEFT,
	VIEW_KEY_RIGHT,
	VIEW_KEY_RESET,
	VIEW_KEY_TIMES,
	VIEW_KEY_HELP,
};

/* A frame with everything it points to that a run loop could free or overwrite. */
struct frame_copy {
	bool valid;
	struct live_frame frame;
	struct environment env;
};

/* 0 or -ENOMEM, *copy then unchanged. Clearing is safe at any time on zeroed memory. */
int frame_copy__set(struct frame_copy *copy, const struct live_frame *frame);
void frame_copy__clear(struct frame_copy *copy);

struct view_model {
	struct frame_copy latest;
	struct frame_copy frozen; /* valid while paused */
	struct frame_copy base;   /* valid after a reset */
	enum view_quantity quantity;
	bool times; /* of a stage's events their times are shown, not their sizes */
	bool help;
};

/* Takes in a new frame. -ENOMEM: the former one stays. */
int view_model__frame(struct view_model *m, const struct live_frame *frame);
enum live_action view_model__key(struct view_model *m, enum view_key key);

/*
 * What is to be shown: the frozen or the latest frame, less the baseline. Filled into *shown, which
 * the caller clears. -ENODATA before the first frame, -ENOMEM.
 */
int view_model__shown(const struct view_model *m, struct frame_copy *shown);

void view_model__clear(struct view_model *m);

#endif
