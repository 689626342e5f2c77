/* SPDX-License-Identifier: GPL-2.0-only */
/* The copy ledger of a run: from two snapshots and the totals of the load generator. Pure. */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include "load_report.h"
#include "probes/plan.h"
#include "result.h"
#include "snapshot.h"

/* Fills the kernel side of r from two snapshots. plan says what each number is worth. */
void ledger__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		  const struct snapshot *now);

/* Fills what one process of the load generator reports: totals, latencies, user_gather. */
void ledger__app(struct run_result *r, const struct load_report *report, enum nio_side side);

/*
 * Counts the messages that were due and not sent (--rate) in the latencies that begin when a
 * message was due, with the time that they had waited: their quantiles are then lower bounds. Once,
 * after the last report of both sides.
 */
void ledger__missed(struct app_result *app);

/*
 * Corrects the duration of a finished phase whose messages were due at a rate (messages/s; 0:
 * none), after the totals of both sides: n due messages take n intervals, although the last message
 * is read as soon as it is sent. Never shortens the duration.
 */
void ledger__due(struct run_result *r, uint64_t rate);

/*
 * Adds src to dst: counts and bytes add up; a number that one run lacks is unknown in the sum, with
 * the reason of the first that lacks it. An empty dst (run_result__init) becomes a copy of src.
 */
void ledger__add(struct run_result *dst, const struct run_result *src);

/*
 * Compares the application's count with the kernel's: unaccounted_tx = sent - queued,
 * unaccounted_rx = received - taken, both by sequence numbers, or if these are unknown by the sum
 * of the stages; copies_per_byte = bytes of the copying stages / bytes received. final: the totals
 * belong to a finished phase; otherwise bytes are in flight and the balance stays unknown.
 */
void ledger__close(struct run_result *r, bool final);

/* Call before ledger__close() if bytes were in flight at the end: the totals are then older. */
void ledger__cut_short(struct run_result *r);

/* Fills the windows of counters from their cells. no_llc: why LLC misses are unknown, or NULL. */
void ledger__book_windows(struct run_result *r,
			  const struct nio_perf_cell cells[NIO_PERF_WINDOW_NR], const char *no_llc);
void ledger__add_windows(struct run_result *dst, const struct run_result *src);

/* Adds to the entry of the same place or caller; if the list is full, to the last one. */
void ledger__add_place(struct run_result *r, const struct place_result *more);
void ledger__add_other(struct run_result *r, const struct other_result *more);

#endif
