/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The performance counters of a run and the figures made of them, one row each: event, JSON key,
 * CSV column, label, and whether the live view has it follow from that row. Pure.
 */
#ifndef MODEL_COUNTER_H
#define MODEL_COUNTER_H

/* clang-format off */
/*
 * Counters of one side's threads: id; JSON key; label; heading of its figure in the live view, "":
 * not there; the payload of its figure (PER_KIB, PER_GIB; PER_NONE: no figure); the perf event's
 * type and config (PERF_TYPE_ and PERF_COUNT_); PARTS if user and kernel mode are counted
 * separately, else WHOLE; bundle: counters of one bundle are divided by each other, so they are
 * counted at the same time. Hardware counters (bundle above 0) come first. The last four are the
 * kernel's own accounting and always available.
 *
 * Last-level misses are the generic event, which every PMU driver maps; many lack LLC-load-misses.
 */
#define PERF_COUNTERS_WITH(F, X)                                                       \
	F(X, CYCLES, "cycles", "cycles", "",                                           \
	  PER_NONE, HARDWARE, HW_CPU_CYCLES, PARTS, 1)                                 \
	F(X, INSTRUCTIONS, "instructions", "instructions", "",                         \
	  PER_NONE, HARDWARE, HW_INSTRUCTIONS, PARTS, 1)                               \
	F(X, L1D_MISSES, "l1d_misses", "L1D misses", "",                               \
	  PER_KIB, HW_CACHE, HW_CACHE_READ_MISS(L1D), PARTS, 2)                        \
	F(X, LLC_REFERENCES, "llc_references", "LLC references", "",                   \
	  PER_NONE, HARDWARE, HW_CACHE_REFERENCES, PARTS, 3)                           \
	F(X, LLC_MISSES, "llc_misses", "LLC misses", "LLC miss/KiB",                   \
	  PER_KIB, HARDWARE, HW_CACHE_MISSES, PARTS, 3)                                \
	F(X, DTLB_MISSES, "dtlb_misses", "dTLB misses", "",                            \
	  PER_KIB, HW_CACHE, HW_CACHE_READ_MISS(DTLB), PARTS, 4)                       \
	F(X, BRANCHES, "branches", "branches", "",                                     \
	  PER_NONE, HARDWARE, HW_BRANCH_INSTRUCTIONS, PARTS, 5)                        \
	F(X, BRANCH_MISSES, "branch_misses", "branch misses", "",                      \
	  PER_KIB, HARDWARE, HW_BRANCH_MISSES, PARTS, 5)                               \
	F(X, CONTEXT_SWITCHES, "context_switches", "context switches", "switches/GiB", \
	  PER_GIB, SOFTWARE, SW_CONTEXT_SWITCHES, WHOLE, 0)                            \
	F(X, CPU_MIGRATIONS, "cpu_migrations", "CPU migrations", "",                   \
	  PER_GIB, SOFTWARE, SW_CPU_MIGRATIONS, WHOLE, 0)                              \
	F(X, PAGE_FAULTS, "page_faults", "page faults", "",                            \
	  PER_GIB, SOFTWARE, SW_PAGE_FAULTS, PARTS, 0)                                 \
	F(X, TASK_CLOCK_NS, "task_clock_ns", "CPU time on task", "",                   \
	  PER_NONE, SOFTWARE, SW_TASK_CLOCK, WHOLE, 0)

#define PERF_APPLY(X, ...) X(__VA_ARGS__)
#define PERF_COUNTERS(X)   PERF_COUNTERS_WITH(PERF_APPLY, X)

enum perf_counter {
#define X(id, ...) PERF_##id,
	PERF_COUNTERS(X)
#undef X
	PERF_NR,
	PERF_HARDWARE_NR = PERF_CONTEXT_SWITCHES,
};

/*
 * Figures: id; key in perf.derived; quantity; per what (both form its label); heading in the live
 * view, "": not there; of, by and factor: the figure is factor * of / by, with counters,
 * KERNEL_CYCLES, PAYLOAD (bytes) or DURATION (s).
 */
#define PERF_FIGURES(X)                                                              \
	X(IPC, "ipc", "instructions", "per cycle", "IPC", INSTRUCTIONS, CYCLES, 1)   \
	X(CYCLES_PER_BYTE, "cycles_per_byte", "cycles", "per byte", "cycles/B",      \
	  CYCLES, PAYLOAD, 1)                                                        \
	X(KERNEL_SHARE, "kernel_share", "kernel share", "of the cycles", "",         \
	  KERNEL_CYCLES, CYCLES, 1)                                                  \
	PERF_COUNTERS_WITH(PERF_FIGURE_OF, X)                                        \
	X(LLC_MISS_RATIO, "llc_miss_ratio", "LLC misses", "per LLC reference", "",   \
	  LLC_MISSES, LLC_REFERENCES, 1)                                             \
	X(BRANCH_MISS_RATIO, "branch_miss_ratio", "branch misses", "per branch", "", \
	  BRANCH_MISSES, BRANCHES, 1)                                                \
	X(SWITCHES_PER_S, "switches_per_s", "context switches", "per s", "",         \
	  CONTEXT_SWITCHES, DURATION, 1)

#define PERF_FIGURE_OF(X, id, key, words, head, per, ...) PERF_FIGURE_##per(X, id, key, words, head)
#define PERF_FIGURE_PER_NONE(X, id, key, words, head)
#define PERF_FIGURE_PER_KIB(X, id, key, words, head) \
	X(id##_PER_KIB, key "_per_kib", words, "per KiB", head, id, PAYLOAD, 1024.0)
#define PERF_FIGURE_PER_GIB(X, id, key, words, head) \
	X(id##_PER_GIB, key "_per_gib", words, "per GiB", head, id, PAYLOAD, 1024.0 * 1024 * 1024)
/* clang-format on */

const char *perf_counter__key(enum perf_counter c);   /* "l1d_misses" */
const char *perf_counter__words(enum perf_counter c); /* "L1D misses" */

#endif
