/* SPDX-License-Identifier: GPL-2.0-only */
/* The live side of a run: picks a view, keeps the totals of each mode, computes rates, draws. */
#ifndef SCREEN_DISPLAY_H
#define SCREEN_DISPLAY_H

#include <stdio.h>

#include "base/loop.h"
#include "live_model.h"
#include "common/workload.h"

enum display_kind {
	DISPLAY_NONE,
	DISPLAY_LINES,  /* a line each interval on stderr */
	DISPLAY_SCREEN, /* the full-screen view, with keys */
};

struct display {
	enum display_kind kind;
	struct live_model model; /* of the screen */
	struct loop *loop;       /* reads the keys of the screen */
	uint64_t interval_ns;
	struct live_frame frame;
	const struct result *result;     /* of the rounds that are over */
	struct run_result done[MODE_NR]; /* by frame column: rounds finished, and their figures */
	uint64_t last_bytes[MODE_NR][NIO_STAGE_NR];
	uint64_t last_rx[MODE_NR];
	uint64_t last_ns[MODE_NR]; /* measured time then */
};

/* What there will be to show. */
struct display_settings {
	const struct workload *workload;
	uint64_t interval_ns; /* between draws: of a line view, a line each */
	const enum mode *modes;
	size_t modes_nr;
	const struct result *result;
	const char *backend;
	bool quiet;
};

/*
 * Opens the view that fits: curses when stdin and stdout are a terminal, else a line each interval
 * on stderr, none when quiet. The result must outlive the display, and so must the loop, which
 * gets the view's keys to read and the signals of job control.
 */
void display__open(struct display *d, const struct display_settings *s, struct loop *loop);
void display__close(struct display *d);       /* restores the terminal; may be called twice */
void display__clear(struct display *d);       /* close, and free the totals */
bool display__shows(const struct display *d); /* false: output is discarded */

/* A mode's round begins; where the round is; a round's numbers so far; a round is over. */
void display__round(struct display *d, enum mode mode, unsigned int round, unsigned int probes);
void display__phase(struct display *d, enum live_phase phase);
void display__update(struct display *d, const struct run_result *partial);
void display__finish_round(struct display *d, const struct run_result *run);

/* The frame as one line without newline. */
void display__line(FILE *out, const struct live_frame *f);

bool display__input(struct display *d); /* true: q was pressed */

#endif
