/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a run in data sets, the report and comparisons: each one has a name, its path in a
 * run of the result document, unit, better direction, and where it is shown. A number is a double;
 * NaN is "not measured", never 0. Pure.
 */
#ifndef STUDY_METRIC_H
#define STUDY_METRIC_H

#include <stdbool.h>

#include "model/result.h"

enum better {
	BETTER_NEITHER,
	BETTER_LOWER,
	BETTER_HIGHER,
};

/* clang-format off */
/*
 * Read from the data: id, path in a run (its CSV column has underscores for dots; contrib/import-csv reads them), label, unit,
 * better direction, where it is shown, name on compare's command line ("": not compared). Then
 * follow, generated: each ledger stage, part of a send call, counter and class of CPU
 * time. latency_ns is a latency of unknown kind, in imported data only.
 */
#define METRICS_READ(X)                                                                          \
	X(DURATION, "duration_s", "measured time", "s", NEITHER, 0, "")                          \
	X(TX_BYTES, "app.tx_bytes", "bytes sent", "B", NEITHER, 0, "")                           \
	X(TX_MESSAGES, "app.tx_messages", "messages sent", "", NEITHER, 0, "")                   \
	X(RX_BYTES, "app.rx_bytes", "bytes received", "B", NEITHER, 0, "")                       \
	X(RX_MESSAGES, "app.rx_messages", "messages received", "", NEITHER, 0, "")               \
	X(REPLY_BYTES, "app.replies.rx_bytes", "bytes of replies received", "B", NEITHER,      \
	  0, "")                                                                                 \
	X(GBPS, "app.throughput_gbps", "throughput", "Gbit/s", HIGHER,                           \
	  VISIBILITY_REPORT | VISIBILITY_INTERVAL | VISIBILITY_COMPARE | VISIBILITY_EXPECTED, "throughput_gbps")     \
	X(COPIES, "ledger.copies_per_byte", "copies per byte", "", LOWER,                        \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE, "copies_per_byte")                                       \
	X(COPIES_AT_MOST, "ledger.copies_per_byte_at_most", "copies per byte, at most", "",      \
	  NEITHER, 0, "")                                                                        \
	X(COPIED_FRACTION, "verdict.copied_fraction", "zero-copy sends copied", "", LOWER,       \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE, "copied_fraction")                                       \
	X(CPU_SENDER, "app.cpu_s.sender", "sender's CPU time", "s", NEITHER, 0, "")              \
	X(CPU_RECEIVER, "app.cpu_s.receiver", "receiver's CPU time", "s", NEITHER, 0, "")        \
	X(CPU_PER_GB, "app.cpu_s_per_gb", "CPU time", "s/GB", LOWER, 0, "")                      \
	X(SOFTIRQ, "cpu.softirq.ns_per_kib", "softirq work on other tasks", "ns/KiB", NEITHER,   \
	  0, "")                                                                                 \
	X(SOFTIRQ_AT_MOST, "cpu.softirq.ns_per_kib_at_most",                                     \
	  "softirq work on other tasks, at most", "ns/KiB", NEITHER, 0, "")                      \
	X(ZC_SENDS, "app.zerocopy.sends", "zero-copy sends", "", NEITHER, 0, "")                 \
	X(ZC_COMPLETED, "app.zerocopy.completed", "completions", "", NEITHER, 0, "")             \
	X(ZC_COPIED, "app.zerocopy.copied", "completed as copied", "", NEITHER, 0, "")           \
	X(KERNEL_ZC_COPIED, "kernel_zerocopy.copied", "seen copied", "", NEITHER, 0, "")         \
	X(KERNEL_ZC_COPIED_AT_MOST, "kernel_zerocopy.copied_at_most",                            \
	  "seen copied, or not seen", "", NEITHER, 0, "")                                        \
	X(SEND_P50, "app.latency_ns.send_call.p50", "send call, median", "ns", LOWER,            \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE, "send_call_p50")                                         \
	X(SEND_P99, "app.latency_ns.send_call.p99", "send call, p99", "ns", LOWER,               \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE, "send_call_p99")                                         \
	X(SLOT_WAIT_P50, "app.latency_ns.slot_wait.p50", "wait for a zero-copy buffer, median",  \
	  "ns", LOWER, VISIBILITY_COMPARE, "slot_wait_p50")                                           \
	X(SLOT_WAIT_P99, "app.latency_ns.slot_wait.p99", "wait for a zero-copy buffer, p99",     \
	  "ns", LOWER, VISIBILITY_COMPARE, "slot_wait_p99")                                           \
	X(DELIVERY_P50, "app.latency_ns.delivery.p50", "delivery, median", "ns", LOWER,          \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE | VISIBILITY_EXPECTED, "delivery_p50")                         \
	X(DELIVERY_P99, "app.latency_ns.delivery.p99", "delivery, p99", "ns", LOWER,             \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE, "delivery_p99")                                          \
	X(RECV_P50, "app.latency_ns.recv_call.p50", "recv call, median", "ns", NEITHER,          \
	  VISIBILITY_REPORT, "")                                                                 \
	X(RECV_P99, "app.latency_ns.recv_call.p99", "recv call, p99", "ns", NEITHER,             \
	  VISIBILITY_REPORT, "")                                                                 \
	X(HALF_TRIP_P50, "app.latency_ns.half_round_trip.p50", "half round trip, median", "ns",  \
	  LOWER, VISIBILITY_COMPARE, "half_round_trip_p50")                                           \
	X(HALF_TRIP_P99, "app.latency_ns.half_round_trip.p99", "half round trip, p99", "ns",     \
	  LOWER, VISIBILITY_COMPARE, "half_round_trip_p99")                                           \
	X(COMPLETION_P50, "app.latency_ns.completion.p50", "completion, median", "ns", LOWER,    \
	  VISIBILITY_COMPARE | VISIBILITY_EXPECTED, "completion_p50")                                      \
	X(COMPLETION_P99, "app.latency_ns.completion.p99", "completion, p99", "ns", LOWER,       \
	  VISIBILITY_COMPARE, "completion_p99")                                                       \
	X(UNSENT, "app.latency_ns.missed.count", "messages due and not sent", "", NEITHER, 0, "") \
	X(LATENCY, "latency_ns", "latency (kind unnamed)", "ns", LOWER,                          \
	  VISIBILITY_REPORT | VISIBILITY_COMPARE, "latency")                                               \
	X(UNACCOUNTED_TX, "ledger.unaccounted_tx", "unaccounted, sent", "B", NEITHER, 0, "")     \
	X(UNACCOUNTED_RX, "ledger.unaccounted_rx", "unaccounted, received", "B", NEITHER, 0, "") \
	X(TIMES_MESSAGES, "times.messages", "messages sent while times were taken", "", NEITHER, \
	  0, "")                                                                                 \
	X(MISSED, "health.missed", "events missed", "", NEITHER, 0, "")                          \
	X(S_KERNEL_CYCLES, "perf.sender.cycles.kernel", "sender's cycles in the kernel", "",     \
	  NEITHER, 0, "")                                                                        \
	X(R_KERNEL_CYCLES, "perf.receiver.cycles.kernel", "receiver's cycles in the kernel", "", \
	  NEITHER, 0, "")                                                                        \
	X(PATH_TOTAL, "path_ns.send_total", "send call, whole", "ns", NEITHER, 0, "")

/* Computed from those: id, formula, then as above. To these come PERF_FIGURES. */
#define METRICS_DERIVED(X)                                                                         \
	X(PAYLOAD, "bytes received, replies too; or throughput x time / 8", "payload", "B", NEITHER, 0, "")     \
	X(GBPS_PER_THREAD, "throughput / threads", "throughput per thread", "Gbit/s", HIGHER,      \
	  0, "")                                                                                   \
	X(CPU_NS_PER_KIB, "(sender + receiver CPU time) / payload", "CPU time of the processes", "ns/KiB", LOWER,   \
	  VISIBILITY_REPORT | VISIBILITY_INTERVAL | VISIBILITY_COMPARE | VISIBILITY_EXPECTED, "cpu_ns_per_kib")        \
	X(BYTES_PER_CYCLE, "payload / cycles", "bytes per cycle", "B", HIGHER, 0, "")              \
	X(CPU_S_NS_PER_KIB, "sender CPU time / payload", "sender's CPU time", "ns/KiB", LOWER,     \
	  0, "")                                                                                   \
	X(CPU_R_NS_PER_KIB, "receiver CPU time / payload", "receiver's CPU time", "ns/KiB", LOWER, \
	  0, "")                                                                                   \
	X(KERNEL_CYCLES, "sender's + receiver's", "cycles in the kernel", "", NEITHER, 0, "")

/* A counter without a side: of the whole run in a foreign CSV, else the sum of both sides. */
#define METRIC_ROW(name) METRIC_##name##_ROW, METRIC_##name##_BACK = METRIC_##name##_ROW - 1,

enum metric {
#define X(id, ...) METRIC_##id,
	METRICS_READ(X)
#undef X
#define X(id, ...) METRIC_BYTES_##id,
	METRIC_ROW(BYTES) NIO_STAGES(X)
#undef X
#define X(id, ...) METRIC_NS_##id,
	METRIC_ROW(NS) NIO_STAGES(X)
#undef X
#define X(id, ...) METRIC_TIMED_##id,
	METRIC_ROW(TIMED) NIO_STAGES(X)
#undef X
#define X(id, ...) METRIC_PATH_##id,
	METRIC_ROW(PATH) NIO_PATH_PARTS(X)
#undef X
#define X(id, ...) METRIC_S_##id,
	METRIC_ROW(S) PERF_COUNTERS(X)
#undef X
#define X(id, ...) METRIC_R_##id,
	METRIC_ROW(R) PERF_COUNTERS(X)
#undef X
#define X(id, ...) METRIC_##id,
	METRIC_ROW(BOTH) PERF_COUNTERS(X)
#undef X
#define X(id, ...) METRIC_CLASS_S_##id,
	METRIC_ROW(CLASS_S) CPU_CLASSES(X)
#undef X
#define X(id, ...) METRIC_CLASS_R_##id,
	METRIC_ROW(CLASS_R) CPU_CLASSES(X)
#undef X
#define X(id, ...) METRIC_ELSEWHERE_S_##id,
	METRIC_ROW(ELSEWHERE_S) CPU_CLASSES(X)
#undef X
#define X(id, ...) METRIC_ELSEWHERE_R_##id,
	METRIC_ROW(ELSEWHERE_R) CPU_CLASSES(X)
#undef X
#define X(id, ...) METRIC_##id,
	METRICS_DERIVED(X)
	PERF_FIGURES(X)
#undef X
#define X(id, ...) METRIC_CPB_##id,
	METRIC_ROW(CPB) NIO_STAGES(X)
#undef X
#define X(id, ...) METRIC_CLASS_##id,
	METRIC_ROW(CLASS) CPU_CLASSES(X)
#undef X
	METRIC_NR,
	METRIC_READ_NR = METRIC_PAYLOAD,
};
/* clang-format on */

/* One for each ledger stage, part of a send call, counter, class: METRIC_*_ROW is the first. */
#define METRIC_OF(row, i)     ((enum metric)((int)METRIC_##row##_ROW + (int)(i)))
#define METRIC_STAGE_BYTES(s) METRIC_OF(BYTES, s)
#define METRIC_STAGE_NS(s)    METRIC_OF(NS, s)
#define METRIC_STAGE_TIMED(s) METRIC_OF(TIMED, s)
#define METRIC_STAGE_CPB(s)   METRIC_OF(CPB, s)
#define METRIC_PATH(part) \
	((part) == PATH_SEND_TOTAL ? METRIC_PATH_TOTAL : METRIC_OF(PATH, (part)-1))
#define METRIC_PERF(side, c)  ((side) ? METRIC_OF(R, c) : METRIC_OF(S, c))
#define METRIC_CLASS(side, c) ((side) ? METRIC_OF(CLASS_R, c) : METRIC_OF(CLASS_S, c))
/* Softirq work on top of other tasks of the side's machine. */
#define METRIC_ELSEWHERE(side, c) ((side) ? METRIC_OF(ELSEWHERE_R, c) : METRIC_OF(ELSEWHERE_S, c))
#define METRIC_CLASS_BOTH(c)      METRIC_OF(CLASS, c)
#define METRIC_PERF_BOTH(c)       METRIC_OF(BOTH, c)

const char *metric__path(enum metric m);    /* in a run of the document; NULL: derived */
const char *metric__formula(enum metric m); /* in words; NULL: read from the data */
const char *metric__words(enum metric m);
const char *metric__unit(enum metric m); /* "" when it has none */
enum better metric__better(enum metric m);
bool metric__shown(enum metric m, enum visibility where);

/* Compared unless others are asked for by name. */
bool metric__compared(enum metric m);

/* On the command line and in JSON of compare, "llc_misses_per_kib"; "" when it is not compared. */
const char *metric__name(enum metric m);

/* The measured metric behind m, which has the reason if m is missing; else m. */
enum metric metric__source(enum metric m);

/* Fills in sums and derived numbers of one run, if their inputs are known. */
void metric__derive(double value[METRIC_NR], unsigned int threads);

#endif
