/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sockets of a round: declares them to the programs that count their bytes and events, and to
 * the meter, and reads what both have counted.
 */
#ifndef RUN_WATCHED_SOCKETS_H
#define RUN_WATCHED_SOCKETS_H

#include "round.h"

/* Loads the programs of the plans (NULL: unused). 0 or -errno: then nothing is loaded. */
int watched_sockets__open(struct runner *runner, const struct plan *const *plans, size_t plans_nr);
void watched_sockets__close(struct runner *runner);
/* Detaches all programs, between rounds. */
void watched_sockets__rest(const struct runner *runner);

/* Watches the sockets of the sides here, from r->cookies. 0 or -errno. */
int watched_sockets__watch(struct round *r);
void watched_sockets__unwatch(struct round *r);

/* The measured phase is about to begin, and nothing moves: reads all into r->base. 0 or -errno. */
int watched_sockets__read_base(struct round *r);
/* Reads all into r->now. still: nothing moves. 0 or -errno. */
int watched_sockets__read_now(struct round *r, bool still);
/*
 * Bytes that the sockets of a side have received, or of senders: that were acknowledged. False: not
 * readable.
 */
bool watched_sockets__moved(struct round *r, enum nio_side side, uint64_t *bytes);

#endif
