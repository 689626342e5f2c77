/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The copy ledger of one run: turns two snapshots of the kernel side and the totals of the load
 * generator into the numbers of a run_result. Pure: no I/O, no libbpf.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include "load_report.h"
#include "plan.h"
#include "result.h"
#include "snapshot.h"

/*
 * Fills the kernel side of r from two snapshots of its slot, now minus base: bytes, events, times
 * and counters. plan says what each number is worth.
 */
void ledger__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		  const struct snapshot *now);

/* Fills what one process of the load generator reports: totals, latencies, user_gather. */
void ledger__app(struct run_result *r, const struct load_report *report, enum nio_side side);

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
 * are those of a finished phase; otherwise bytes are in flight and the balance stays unknown.
 */
void ledger__close(struct run_result *r, bool final);

/*
 * Call before ledger__close() if the phase ended while bytes were in flight: the totals of the load
 * generator are then older than those of the kernel.
 */
void ledger__cut_short(struct run_result *r);

/*
 * Fills the windows of counters inside the stages from their cells, summed over CPUs.
 * no_llc: why last-level misses were not counted, a static string; NULL: they were.
 */
void ledger__book_windows(struct run_result *r,
			  const struct nio_perf_cell cells[NIO_PERF_WINDOW_NR], const char *no_llc);
void ledger__add_windows(struct run_result *dst, const struct run_result *src);

/* Adds to the entry of the same place or caller. If the list is full, the last entry has the rest.
 */
void ledger__add_place(struct run_result *r, const struct place_result *more);
void ledger__add_other(struct run_result *r, const struct other_result *more);

#endif
