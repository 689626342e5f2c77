/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of one thread (tally, without lock), and the copy that other threads read (board). */
#ifndef LOADGEN_TALLY_H
#define LOADGEN_TALLY_H

#include <pthread.h>
#include <stdint.h>

#include "common/hist.h"

/* clang-format off */
#define TALLY_COUNTERS(X)                                                    \
	X(bytes)            /* payload sent or received */                   \
	X(messages)         /* whole messages */                             \
	X(calls)            /* recv() that returned bytes */                 \
	X(partial_sends)    /* send calls that took only a part */           \
	X(eagain)                                                            \
	X(eintr)                                                             \
	X(gather_bytes)     /* packed by memcpy in twocopy mode */           \
	X(gather_events)                                                     \
	X(gather_sampled)   /* timed gathers */                              \
	X(gather_ns)        /* duration of timed gathers */                  \
	X(zc_sends)         /* MSG_ZEROCOPY calls that queued bytes */       \
	X(zc_completed)                                                      \
	X(zc_copied)                                                         \
	X(zc_not_copied)                                                     \
	X(zc_enobufs)       /* messages finished by copy */                  \
	X(zc_fallback)      /* bytes of these copies */                      \
	X(reply_bytes)      /* replies: sent or read */                      \
	X(reply_messages)                                                    \
	X(verify_errors)    /* messages with a wrong byte or number */       \
	X(bad_stamps)       /* messages stamped 0 or in the future */        \
	X(foreign_stamps)   /* messages stamped by another clock */
/* clang-format on */

enum tally_hist {
	TALLY_SEND_CALL,
	TALLY_SLOT_WAIT, /* messages that waited for a zero-copy slot */
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
	uint64_t last_call_ns; /* sender: begin of the last send call; 0: none */
	struct hist *hist[TALLY_HIST_NR];
};

int tally__init(struct tally *t); /* 0 or -ENOMEM */
void tally__clear(struct tally *t);
void tally__reset(struct tally *t);
void tally__add(struct tally *dst, const struct tally *src);

struct board {
	pthread_mutex_t lock;
	struct tally shown;
};

/* How often a busy thread publishes its tally. */
#define BOARD_INTERVAL_NS 10000000ULL

int board__init(struct board *b);
void board__clear(struct board *b);

/* Replaces the published counters; t NULL: zeroes them. */
void board__publish(struct board *b, const struct tally *t);

void board__read(struct board *b, struct tally *dst);

uint64_t board__messages(struct board *b);

#endif
