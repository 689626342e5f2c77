/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a run that data sets, the report and comparisons speak of: each named once, by its
 * path in a run of the result document, with its unit and which direction is the better one. A
 * number is a double; NaN is "not measured" and never 0. Pure.
 */
#ifndef NETIOTRACE_METRIC_H
#define NETIOTRACE_METRIC_H

#include <stdbool.h>
#include <stdint.h>

enum better {
	BETTER_NEITHER,
	BETTER_LOWER,
	BETTER_HIGHER,
};

/*
 * Read from the data: id, path in a run (its CSV column has underscores for dots), words, unit,
 * better. perf.<counter> without a side is what a foreign CSV gives for the whole run; where it is
 * missing and both sides are known it is their sum. latency_ns is a latency whose kind a foreign
 * CSV does not say.
 */
/* clang-format off */
#define METRICS_READ(X)                                                                            \
	X(DURATION,      "duration_s",                  "measured time",         "s",      NEITHER) \
	X(TX_BYTES,      "app.tx_bytes",                "bytes sent",            "B",      NEITHER) \
	X(TX_MESSAGES,   "app.tx_messages",             "messages sent",         "",       NEITHER) \
	X(RX_BYTES,      "app.rx_bytes",                "bytes received",        "B",      NEITHER) \
	X(RX_MESSAGES,   "app.rx_messages",             "messages received",     "",       NEITHER) \
	X(GBPS,          "app.throughput_gbps",         "throughput",            "Gbit/s", HIGHER)  \
	X(CPU_SENDER,    "app.cpu_s.sender",            "sender's CPU time",     "s",      NEITHER) \
	X(CPU_RECEIVER,  "app.cpu_s.receiver",          "receiver's CPU time",   "s",      NEITHER) \
	X(CPU_PER_GB,    "app.cpu_s_per_gb",            "CPU time",              "s/GB",   LOWER)   \
	X(RETRANS,       "app.tcp.bytes_retrans",       "bytes sent again",      "B",      NEITHER) \
	X(ZC_SENDS,      "app.zerocopy.sends",          "zero-copy sends",       "",       NEITHER) \
	X(ZC_COMPLETED,  "app.zerocopy.completed",      "completions",           "",       NEITHER) \
	X(ZC_COPIED,     "app.zerocopy.copied",         "completed as copied",   "",       NEITHER) \
	X(ZC_ENOBUFS,    "app.zerocopy.enobufs",        "ENOBUFS fallbacks",     "",       NEITHER) \
	X(SEND_P50,      "app.latency_ns.send_call.p50",  "send call, median",   "ns",     LOWER)   \
	X(SEND_P99,      "app.latency_ns.send_call.p99",  "send call, p99",      "ns",     LOWER)   \
	X(SEND_COUNT,    "app.latency_ns.send_call.count", "send calls timed",   "",       NEITHER) \
	X(DELIVERY_P50,  "app.latency_ns.delivery.p50",   "delivery, median",    "ns",     LOWER)   \
	X(DELIVERY_P99,  "app.latency_ns.delivery.p99",   "delivery, p99",       "ns",     LOWER)   \
	X(COMPLETION_P50, "app.latency_ns.completion.p50", "completion, median", "ns",     LOWER)   \
	X(COMPLETION_P99, "app.latency_ns.completion.p99", "completion, p99",    "ns",     LOWER)   \
	X(LATENCY,       "latency_ns",                  "latency (kind unnamed)", "ns",    LOWER)   \
	X(BYTES_GATHER,   "ledger.user_gather.bytes",   "user_gather",           "B",      NEITHER) \
	X(BYTES_TX_COPY,  "ledger.tx_copy.bytes",       "tx_copy",               "B",      NEITHER) \
	X(BYTES_TX_PIN,   "ledger.tx_pin.bytes",        "tx_pin",                "B",      NEITHER) \
	X(BYTES_SPLICE,   "ledger.tx_splice.bytes",     "tx_splice",             "B",      NEITHER) \
	X(BYTES_DEFERRED, "ledger.deferred_copy.bytes", "deferred_copy",         "B",      NEITHER) \
	X(BYTES_RX_COPY,  "ledger.rx_copy.bytes",       "rx_copy",               "B",      NEITHER) \
	X(BYTES_OTHER,    "ledger.other_copy.bytes",    "other_copy",            "B",      NEITHER) \
	X(NS_GATHER,      "ledger.user_gather.ns",      "time in user_gather",   "ns",     NEITHER) \
	X(NS_TX_COPY,     "ledger.tx_copy.ns",          "time in tx_copy",       "ns",     NEITHER) \
	X(NS_TX_PIN,      "ledger.tx_pin.ns",           "time in tx_pin",        "ns",     NEITHER) \
	X(NS_SPLICE,      "ledger.tx_splice.ns",        "time in tx_splice",     "ns",     NEITHER) \
	X(NS_DEFERRED,    "ledger.deferred_copy.ns",    "time in deferred_copy", "ns",     NEITHER) \
	X(NS_RX_COPY,     "ledger.rx_copy.ns",          "time in rx_copy",       "ns",     NEITHER) \
	X(NS_OTHER,       "ledger.other_copy.ns",       "time in other_copy",    "ns",     NEITHER) \
	X(UNACCOUNTED_TX, "ledger.unaccounted_tx",      "unaccounted, sent",     "B",      NEITHER) \
	X(UNACCOUNTED_RX, "ledger.unaccounted_rx",      "unaccounted, received", "B",      NEITHER) \
	X(COPIES,         "ledger.copies_per_byte",     "copies per byte",       "",       LOWER)   \
	X(COPIED_FRACTION, "verdict.copied_fraction",   "zero-copy sends copied", "",      LOWER)   \
	X(PATH_TOTAL,     "path_ns.send_total",         "send call, whole",      "ns",     NEITHER) \
	X(PATH_LOCK,      "path_ns.lock",               "lock",                  "ns",     NEITHER) \
	X(PATH_COPY,      "path_ns.copy",               "copy",                  "ns",     NEITHER) \
	X(PATH_PIN,       "path_ns.pin",                "pin",                   "ns",     NEITHER) \
	X(PATH_WAIT,      "path_ns.wait",               "memory wait",           "ns",     NEITHER) \
	X(PATH_TRANSMIT,  "path_ns.transmit",           "transmit",              "ns",     NEITHER) \
	X(PATH_INLINE,    "path_ns.inline_receive",     "inline receive",        "ns",     NEITHER) \
	X(PATH_RELEASE,   "path_ns.release",            "release",               "ns",     NEITHER) \
	METRICS_PERF(X, S_, "perf.sender.", "sender's ")                                            \
	METRICS_PERF(X, R_, "perf.receiver.", "receiver's ")                                        \
	X(CYCLES,        "perf.cycles",                 "cycles",                "",       NEITHER) \
	X(INSTRUCTIONS,  "perf.instructions",           "instructions",          "",       NEITHER) \
	X(L1D_MISSES,    "perf.l1d_misses",             "L1D misses",            "",       NEITHER) \
	X(LLC_MISSES,    "perf.llc_misses",             "LLC misses",            "",       NEITHER) \
	X(DTLB_MISSES,   "perf.dtlb_misses",            "dTLB misses",           "",       NEITHER) \
	X(BRANCH_MISSES, "perf.branch_misses",          "branch misses",         "",       NEITHER) \
	X(SWITCHES,      "perf.context_switches",       "context switches",      "",       NEITHER) \
	X(MIGRATIONS,    "perf.cpu_migrations",         "CPU migrations",        "",       NEITHER) \
	X(FAULTS,        "perf.page_faults",            "page faults",           "",       NEITHER) \
	X(TASK_CLOCK,    "perf.task_clock_ns",          "CPU time on task",      "ns",     NEITHER) \
	X(MISSED,         "health.missed",              "events missed",         "",       NEITHER)

#define METRICS_PERF(X, side, path, words)                                                       \
	X(side##CYCLES, path "cycles.value", words "cycles", "", NEITHER)                        \
	X(side##INSTRUCTIONS, path "instructions.value", words "instructions", "", NEITHER)      \
	X(side##L1D_MISSES, path "l1d_misses.value", words "L1D misses", "", NEITHER)            \
	X(side##LLC_MISSES, path "llc_misses.value", words "LLC misses", "", NEITHER)            \
	X(side##DTLB_MISSES, path "dtlb_misses.value", words "dTLB misses", "", NEITHER)         \
	X(side##BRANCH_MISSES, path "branch_misses.value", words "branch misses", "", NEITHER)   \
	X(side##SWITCHES, path "context_switches.value", words "context switches", "", NEITHER)  \
	X(side##MIGRATIONS, path "cpu_migrations.value", words "CPU migrations", "", NEITHER)    \
	X(side##FAULTS, path "page_faults.value", words "page faults", "", NEITHER)              \
	X(side##TASK_CLOCK, path "task_clock_ns.value", words "CPU time on task", "ns", NEITHER)

/* Computed from those: id, formula, words, unit, better. */
#define METRICS_DERIVED(X)                                                                         \
	X(PAYLOAD, "bytes received, or throughput x time / 8", "payload", "B", NEITHER)            \
	X(GBPS_PER_THREAD, "throughput / threads", "throughput per thread", "Gbit/s", HIGHER)      \
	X(CPU_NS_PER_KIB, "(sender + receiver CPU time) / payload", "CPU time", "ns/KiB", LOWER)   \
	X(CPU_S_NS_PER_KIB, "sender CPU time / payload", "sender's CPU time", "ns/KiB", LOWER)     \
	X(CPU_R_NS_PER_KIB, "receiver CPU time / payload", "receiver's CPU time", "ns/KiB", LOWER) \
	X(CYCLES_PER_BYTE, "cycles / payload", "CPU cycles per byte", "", LOWER)                   \
	X(IPC, "instructions / cycles", "instructions per cycle", "", HIGHER)                      \
	X(L1D_PER_KIB, "L1D misses / payload", "L1D misses per KiB", "", LOWER)                    \
	X(LLC_PER_KIB, "LLC misses / payload", "LLC misses per KiB", "", LOWER)                    \
	X(SWITCHES_PER_GB, "context switches / payload", "context switches per GB", "", LOWER)     \
	X(CPB_GATHER, "user_gather bytes / payload", "user_gather", "B/B", NEITHER)                \
	X(CPB_TX_COPY, "tx_copy bytes / payload", "tx_copy", "B/B", NEITHER)                       \
	X(CPB_TX_PIN, "tx_pin bytes / payload", "tx_pin", "B/B", NEITHER)                          \
	X(CPB_SPLICE, "tx_splice bytes / payload", "tx_splice", "B/B", NEITHER)                    \
	X(CPB_DEFERRED, "deferred_copy bytes / payload", "deferred_copy", "B/B", NEITHER)          \
	X(CPB_RX_COPY, "rx_copy bytes / payload", "rx_copy", "B/B", NEITHER)                       \
	X(CPB_OTHER, "other_copy bytes / payload", "other_copy", "B/B", NEITHER)

enum metric {
#define X(id, path, words, unit, better) METRIC_##id,
	METRICS_READ(X)
	METRICS_DERIVED(X)
#undef X
	METRIC_NR,
};

#define X(id, path, words, unit, better) + 1
enum { METRIC_READ_NR = 0 METRICS_READ(X) };
#undef X
/* clang-format on */

/* Those that come in a row, one for each stage of the ledger, part of a send call, counter. */
#define METRIC_STAGE_BYTES(stage) ((enum metric)(METRIC_BYTES_GATHER + (int)(stage)))
#define METRIC_STAGE_NS(stage)    ((enum metric)(METRIC_NS_GATHER + (int)(stage)))
#define METRIC_STAGE_CPB(stage)   ((enum metric)(METRIC_CPB_GATHER + (int)(stage)))
#define METRIC_PATH(part)         ((enum metric)(METRIC_PATH_TOTAL + (int)(part)))

const char *metric__path(enum metric m);    /* in a run of the document; NULL: derived */
const char *metric__formula(enum metric m); /* in words; NULL: read from the data */
const char *metric__words(enum metric m);
const char *metric__unit(enum metric m); /* "" when it has none */
enum better metric__better(enum metric m);

/*
 * The metric whose CSV column is name: our own column, or the alias of a published data set (see
 * docs/OUTPUT.md, "Columns of other data sets"; case and -, _ and spaces do not count). *scale is
 * what a value is to be multiplied by. METRIC_NR: no metric has this column.
 */
enum metric metric__of_column(const char *name, double *scale);

/* Are two column names the same but for case, '-', '_' and ' '? */
bool metric__same_name(const char *a, const char *b);

/* Fills in sums and derived numbers of one run, where what they need is known. */
void metric__derive(double value[METRIC_NR], unsigned int threads);

#endif
