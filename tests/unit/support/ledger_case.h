/* SPDX-License-Identifier: GPL-2.0-only */
/* A phase whose bytes are known, for tests of the ledger's bytes. */
#ifndef SUPPORT_LEDGER_CASE_H
#define SUPPORT_LEDGER_CASE_H

#include <stdlib.h>
#include <string.h>

#include "model/ledger.h"
#include "support/probe_results.h"
#include "support/test.h"

#define MESSAGE  65536ULL
#define MESSAGES 100ULL
#define TOTAL    (MESSAGE * MESSAGES)

struct fixture {
	struct plan plan;
	struct snapshot base, now;
	struct run_result run;
};

/* Nothing was counted, and the sockets were not read. */
static inline struct fixture *fixture_without_sockets(enum mode mode)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->plan = plan_of_mode(mode);
	run_result__init(&f->run);
	f->run.mode = mode;
	f->run.duration_ns = 1000000000;
	f->run.stages[NIO_STAGE_USER_GATHER].quality = QUALITY_EXACT;
	return f;
}

/* What the sockets of one side did. */
static inline struct nio_sums *sums(struct fixture *f, enum nio_side side)
{
	return &f->now.sums[side];
}

/* All bytes were sent and read, by the sequence numbers and the application's count. */
static inline struct fixture *fixture(enum mode mode)
{
	struct fixture *f = fixture_without_sockets(mode);

	for (int side = 0; side < NIO_SIDE_NR; side++) {
		f->now.sockets_nr[side] = 1;
		*sums(f, side) = (struct nio_sums){.sockets = 1, .recordless = {1, 1}};
	}
	sums(f, NIO_SIDE_SENDER)->queued = TOTAL;
	sums(f, NIO_SIDE_RECEIVER)->taken = TOTAL;
	f->run.app.tx_bytes = f->run.app.rx_bytes = TOTAL;
	if (mode == MODE_ZEROCOPY) {
		f->run.app.zc = (struct zc_counts){MESSAGES, MESSAGES, MESSAGES, 0, 0, 0};
		sums(f, NIO_SIDE_SENDER)->ids = MESSAGES;
	}
	return f;
}

static inline void close_books(struct fixture *f)
{
	ledger__book(&f->run, &f->plan, &f->base, &f->now);
	ledger__close(&f->run, true);
}

static inline void end(struct fixture *f)
{
	run_result__clear(&f->run);
	free(f);
}

/* Books events of `bytes` each, with their sizes. */
static inline void count(struct nio_cell *cell, uint64_t bytes, unsigned int events)
{
	cell->bytes += bytes * events;
	cell->events += events;
	cell->hist[hist_bucket(bytes, NIO_HIST_SUB_BITS, NIO_HIST_BUCKETS)] += events;
}

static inline void see(struct fixture *f, enum nio_side side, enum nio_stage stage, uint64_t bytes)
{
	f->now.cells[side][stage].bytes += bytes;
	f->now.cells[side][stage].events += bytes / MESSAGE;
}

static inline const struct stage_result *stage(const struct fixture *f, enum nio_stage s)
{
	return &f->run.stages[s];
}

static inline void check_stage(const struct fixture *f, enum nio_stage s, uint64_t bytes,
			       enum quality quality)
{
	assert_int_equal(stage(f, s)->bytes, bytes);
	assert_int_equal(stage(f, s)->quality, quality);
}

/* Unaccounted bytes, sent and received. */
static inline void check_balance(const struct fixture *f, int64_t sent, int64_t received)
{
	assert_int_equal(f->run.unaccounted_tx, sent);
	assert_int_equal(f->run.unaccounted_rx, received);
}

static inline void count_by_arrivals(struct fixture *f)
{
	for (size_t i = 0; i < plan_alternatives_nr; i++)
		if (plan_alternatives[i].probe == PROBE_DEFERRED_COPY &&
		    plan_alternatives[i].backend == BACKEND_TRACEPOINT)
			f->plan.chosen[PROBE_DEFERRED_COPY] = &plan_alternatives[i];
}

#endif
