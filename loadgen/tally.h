/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is counted, by each thread for itself, and the board on which a thread shows its counts to
 * the others. A tally has one writer and no lock; it becomes visible only when copied to the board,
 * every few milliseconds and at the end of a phase, so the path of a message pays nothing.
 */
#ifndef LOADGEN_TALLY_H
#define LOADGEN_TALLY_H

#include <pthread.h>
#include <stdint.h>

#include "common/hist.h"

/* clang-format off */
#define TALLY_COUNTERS(X)                                                    \
	X(bytes)            /* payload sent or received */                   \
	X(messages)         /* whole messages */                             \
	X(calls)            /* recv() that brought bytes */                  \
	X(partial_sends)    /* send calls that took less than offered */     \
	X(eagain)                                                            \
	X(eintr)                                                             \
	X(gather_bytes)     /* packed by memcpy in twocopy mode */           \
	X(gather_events)                                                     \
	X(gather_sampled)   /* of these, timed */                            \
	X(gather_ns)        /* time of the sampled ones */                   \
	X(zc_sends)         /* MSG_ZEROCOPY calls that queued bytes: ids */  \
	X(zc_completed)                                                      \
	X(zc_copied)                                                         \
	X(zc_not_copied)                                                     \
	X(zc_enobufs)       /* remainders sent without MSG_ZEROCOPY */       \
	X(zc_fallback)      /* bytes of these */                             \
	X(reply_bytes)      /* answers: sent by a receiver, read by a sender */ \
	X(reply_messages)                                                    \
	X(verify_errors)    /* messages with a wrong byte or number */       \
	X(bad_stamps)       /* messages stamped 0 or in the future */        \
	X(foreign_stamps)   /* messages stamped by another machine */
/* clang-format on */

enum tally_hist {
	TALLY_SEND_CALL,
	TALLY_SLOT_WAIT, /* of messages that found no zero-copy slot free */
	TALLY_COMPLETION,
	TALLY_DELIVERY,
	TALLY_HALF_ROUND_TRIP, /* with --request-response */
	TALLY_HIST_NR,
};

struct tally {
#define X(name) uint64_t name;
	TALLY_COUNTERS(X)
#undef X
	uint64_t last_ns;      /* time of the last byte sent or received; 0: none */
	uint64_t last_call_ns; /* of a sender: when its last send call began; 0: none */
	struct hist *hist[TALLY_HIST_NR];
};

int tally__init(struct tally *t); /* -ENOMEM */
void tally__clear(struct tally *t);
void tally__reset(struct tally *t);
void tally__add(struct tally *dst, const struct tally *src);

struct board {
	pthread_mutex_t lock;
	struct tally shown;
};

/* How often a thread that has work to do shows its tally. */
#define BOARD_INTERVAL_NS 10000000ULL

int board__init(struct board *b);
void board__clear(struct board *b);

/* Shows t; NULL: nothing, as at the beginning of a phase. */
void board__publish(struct board *b, const struct tally *t);

/* Adds what is shown to dst. */
void board__read(struct board *b, struct tally *dst);

/* How many messages are shown. */
uint64_t board__messages(struct board *b);

#endif
