/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of one thread (counters, without lock), and the copy that other threads read
 * (shared_counters). */
#ifndef LOADGEN_COUNTERS_H
#define LOADGEN_COUNTERS_H

#include <pthread.h>
#include <stdint.h>

#include "common/hist.h"

/* clang-format off */
#define COUNTERS(X)                                                    \
	X(bytes)            /* payload sent or received */                   \
	X(messages)         /* whole messages */                             \
	X(calls)            /* receive calls that returned bytes */          \
	X(uncopied)         /* bytes of these that the call did not copy */  \
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

/* 1 gather in so many is timed: two clock readings would cost as much as a small gather. */
#define COUNTERS_GATHER_SAMPLE 64

/* clang-format off */
/* Histograms: enum suffix; name in the report; does the sender record it? */
#define COUNTERS_HISTS(X)                                                                     \
	X(SEND_CALL, "send_call", true)                                                       \
	X(SLOT_WAIT, "slot_wait", true) /* messages that waited for a zero-copy slot */       \
	X(COMPLETION, "completion", true)                                                     \
	X(DELIVERY, "delivery", false)                                                        \
	X(RECV_CALL, "recv_call", false) /* receive calls that returned bytes */              \
	X(HALF_ROUND_TRIP, "half_round_trip", true) /* with --request-response */             \
	X(MISSED, "missed", true) /* --rate: due and not sent; how long they waited, at least */
/* clang-format on */

enum counters_hist {
#define X(id, ...) COUNTERS_##id,
	COUNTERS_HISTS(X)
#undef X
		COUNTERS_HIST_NR,
};

struct counters {
#define X(name) uint64_t name;
	COUNTERS(X)
#undef X
	uint64_t last_ns;      /* time of the last byte sent or received; 0: none */
	uint64_t last_call_ns; /* sender: begin of the last send call; 0: none */
	struct hist *hist[COUNTERS_HIST_NR];
};

void counters__init(struct counters *t);
void counters__clear(struct counters *t);
void counters__reset(struct counters *t);
void counters__add(struct counters *dst, const struct counters *src);

struct shared_counters {
	pthread_mutex_t lock;
	struct counters shown;
};

/* How often a busy thread publishes its counters. */
#define SHARED_COUNTERS_INTERVAL_NS 10000000ULL

void shared_counters__init(struct shared_counters *b);
void shared_counters__clear(struct shared_counters *b);

/* Replaces the published counters; t NULL: zeroes them. */
void shared_counters__publish(struct shared_counters *b, const struct counters *t);

void shared_counters__read(struct shared_counters *b, struct counters *dst);

uint64_t shared_counters__messages(struct shared_counters *b);

#endif
