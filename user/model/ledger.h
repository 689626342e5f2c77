/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of the copy ledger: from what the kernel side counted and what the load generator
 * says to the numbers of a run_result. Pure: no I/O, no libbpf.
 */
#ifndef NETIOTRACE_LEDGER_H
#define NETIOTRACE_LEDGER_H

#include "load_report.h"
#include "plan.h"
#include "result.h"
#include "snapshot.h"

/*
 * Fills the kernel side of r from two snapshots of its slot, now minus base. plan says what each
 * number is worth. 0 or -ENOMEM.
 */
int ledger__book(struct run_result *r, const struct plan *plan, const struct snapshot *base,
		 const struct snapshot *now);

/* No kernel side at all: every stage but user_gather is unknown, for this (static) reason. */
void ledger__no_kernel(struct run_result *r, const char *reason);

/* Fills what one process of the load generator reports: totals, latencies, user_gather. 0 or
 * -ENOMEM. */
int ledger__app(struct run_result *r, const struct load_report *report, enum nio_side side);

/*
 * Of a phase that is over, whose messages were due at a rate (messages/s; 0: at none), after the
 * totals of both sides: n messages that were due take n times the time from one to the next, though
 * the last is read as soon as it is sent. Never shortens what the phase took.
 */
void ledger__due(struct run_result *r, uint64_t rate);

/*
 * Adds src to dst, run by run: counts and bytes add up, a number unknown in one is unknown in the
 * sum. An empty dst (run_result__init) takes src as it is. 0 or -ENOMEM.
 */
int ledger__add(struct run_result *dst, const struct run_result *src);

/*
 * Draws the balance between the application's own count and the kernel's: unaccounted_tx = sent -
 * queued, unaccounted_rx = received - taken, both by sequence numbers, or where these are not known
 * by the sum of the stages; copies_per_byte = bytes of the copying stages / bytes received. final:
 * the totals are those of a finished phase; else the balance stays unknown, since bytes are in
 * flight.
 */
void ledger__close(struct run_result *r, bool final);

/*
 * Before that: the phase was ended before what was in flight had come to its end, so that the load
 * generator's totals are those it told last, and the kernel's are of later.
 */
void ledger__cut_short(struct run_result *r);

#endif
