/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures made of counters: each formula is in docs/reference/run.md, perf.derived. Pure.
 *
 * Figures are for one side, or for the sum of both sides: a deferred copy is charged to either side
 * (in the sender's system call, or in a softirq that interrupts the receiver), so only the sum
 * compares copy modes.
 */
#ifndef MODEL_PERF_FIGURES_H
#define MODEL_PERF_FIGURES_H

#include "result.h"

/* clang-format off */
/* CPU time by the processes' own accounting. Columns as in PERF_FIGURES, without of, by. */
#define PERF_CPU_FIGURES(X)                                       \
	X(CPU_S_PER_GIB, "cpu_s_per_gib", "CPU", "s per GiB", "") \
	X(CPU_NS_PER_KIB, "cpu_ns_per_kib", "CPU", "ns per KiB", "CPU ns/KiB")

enum perf_derived {
#define X(id, ...) DERIVED_##id,
	PERF_FIGURES(X)
	PERF_CPU_FIGURES(X)
#undef X
	DERIVED_NR,
};
/* clang-format on */

enum perf_whose {
	PERF_OF_SENDER = NIO_SIDE_SENDER,
	PERF_OF_RECEIVER = NIO_SIDE_RECEIVER,
	PERF_OF_BOTH,
	PERF_WHOSE_NR,
};

const char *perf_derived__key(enum perf_derived d);   /* "l1d_misses_per_kib" */
const char *perf_derived__words(enum perf_derived d); /* "L1D misses" */
const char *perf_derived__unit(enum perf_derived d);  /* "per KiB" */
const char *perf_derived__head(enum perf_derived d);  /* "LLC miss/KiB"; "": not on the screen */
bool perf_derived__needs_pmu(enum perf_derived d);
const char *perf_whose__key(enum perf_whose w); /* "sender", "receiver", "both" */

/* The sides of the figures shown: both, or the sender alone with a remote receiver. */
enum perf_whose perf_whose__here(const struct run_result *r);

/* Unknown, with the reason, if an input is, or if the divisor is 0. */
struct real perf_derive(const struct run_result *r, enum perf_derived d, enum perf_whose w);

/* Why hardware counters are missing on all local sides; NULL: some are known, or reasons differ. */
const char *perf_derive__no_hardware(const struct run_result *r);

/* A scaled count below this share of the time is warned of. */
#define PERF_RUNNING_MIN 0.9

/* The lowest share of the time that a counter of r was counting; unknown when none was. */
struct real perf_derive__lowest_running(const struct run_result *r);

#endif
