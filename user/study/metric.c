/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and formulas of the numbers of a run; see metric.h. Knows no files and no statistics. */
#include <math.h>
#include <stddef.h>

#include "metric.h"

#define KIB 1024.0

struct metric_info {
	const char *path, *formula, *words, *unit;
	enum better better;
	unsigned int shown;
	const char *name;
};

/* Where bytes and times of a stage are shown; readers miss copies most. */
#define STAGE_SHOWN(copies) ((copies) ? VISIBILITY_EXPECTED : 0)

/* clang-format off */
static const struct metric_info infos[] = {
#define X(id, path, words, unit, better, shown, name) \
	[METRIC_##id] = {path, NULL, words, unit, BETTER_##better, shown, name},
	METRICS_READ(X)
#undef X
#define X(id, formula, words, unit, better, shown, name) \
	[METRIC_##id] = {NULL, formula, words, unit, BETTER_##better, shown, name},
	METRICS_DERIVED(X)
#undef X
#define X(id, key, head, side, copies, ...)                                            \
	[METRIC_BYTES_##id] = {"ledger." key ".bytes", NULL, key, "B", BETTER_NEITHER, \
			       VISIBILITY_EXPECTED, ""},                                    \
	[METRIC_NS_##id] = {"ledger." key ".ns", NULL, "time in " key, "ns",           \
			    BETTER_NEITHER, STAGE_SHOWN(copies), ""},                  \
	[METRIC_TIMED_##id] = {"ledger." key ".timed_bytes", NULL, "bytes timed in " key, \
			       "B", BETTER_NEITHER, 0, ""},                             \
	[METRIC_CPB_##id] = {NULL, key " bytes / payload", key, "B/B", BETTER_NEITHER, 0, ""},
	NIO_STAGES(X)
#undef X
#define X(id, key, head, ...) \
	[METRIC_PATH_##id] = {"path_ns." key, NULL, "send call: " head, "ns", BETTER_NEITHER, VISIBILITY_EXPECTED, ""},
	NIO_PATH_PARTS(X)
#undef X
#define X(id, key, words, ...)                                                           \
	[METRIC_S_##id] = {"perf.sender." key ".value", NULL, "sender's " words, "",     \
			   BETTER_NEITHER, 0, ""},                                       \
	[METRIC_R_##id] = {"perf.receiver." key ".value", NULL, "receiver's " words, "", \
			   BETTER_NEITHER, 0, ""},                                       \
	[METRIC_##id] = {"perf." key, NULL, words, "", BETTER_NEITHER, VISIBILITY_EXPECTED, ""},
	PERF_COUNTERS(X)
#undef X
#define X(id, key, head, ...)                                                              \
	[METRIC_CLASS_S_##id] = {"cpu.sender.ns_per_kib." key ".value", NULL,              \
				 "sender's CPU time: " head, "ns/KiB", BETTER_LOWER, 0, ""}, \
	[METRIC_CLASS_R_##id] = {"cpu.receiver.ns_per_kib." key ".value", NULL,            \
				 "receiver's CPU time: " head, "ns/KiB", BETTER_LOWER, 0, ""}, \
	[METRIC_ELSEWHERE_S_##id] = {"cpu.elsewhere.ns_per_kib." key ".value", NULL,       \
				     "CPU time elsewhere: " head, "ns/KiB", BETTER_LOWER, 0, ""}, \
	[METRIC_ELSEWHERE_R_##id] = {"cpu.receiver_elsewhere.ns_per_kib." key ".value", NULL, \
				     "receiver's CPU time elsewhere: " head, "ns/KiB",     \
				     BETTER_LOWER, 0, ""},                                 \
	[METRIC_CLASS_##id] = {NULL, "sender's + receiver's " key, "CPU time: " head, "ns/KiB", \
			       BETTER_LOWER, VISIBILITY_COMPARE | VISIBILITY_ASKED, "cpu_" key},
	CPU_CLASSES(X)
#undef X
#define X(id, key, what, each, head, better, of, by, factor, shown, formula) \
	[METRIC_##id] = {NULL, formula, what " " each, "", BETTER_##better, shown, key},
	PERF_FIGURES(X)
#undef X
};

const char *metric__path(enum metric m)             { return infos[m].path; }
const char *metric__formula(enum metric m)          { return infos[m].formula; }
const char *metric__words(enum metric m)            { return infos[m].words; }
const char *metric__unit(enum metric m)             { return infos[m].unit; }
enum better metric__better(enum metric m)           { return infos[m].better; }
bool metric__shown(enum metric m, enum visibility where) { return infos[m].shown & where; }
/* clang-format on */

const char *metric__name(enum metric m)
{
	return metric__shown(m, VISIBILITY_COMPARE) ? infos[m].name : "";
}

bool metric__compared(enum metric m)
{
	return *metric__name(m) && !metric__shown(m, VISIBILITY_ASKED);
}

/* clang-format off */
/* A figure is missing because its counter is; a sum of both sides, because the sender's is. */
enum metric metric__source(enum metric m)
{
	switch (m) {
#define X(id, ...) case METRIC_##id: return METRIC_S_##id;
	PERF_COUNTERS(X)
	X(KERNEL_CYCLES)
#undef X
	case METRIC_BYTES_PER_CYCLE: return METRIC_S_CYCLES;
#define X(id, ...) case METRIC_CLASS_##id: return METRIC_CLASS_S_##id;
	CPU_CLASSES(X)
#undef X
#define X(id, key, what, each, head, better, of, ...) case METRIC_##id: return METRIC_S_##of;
	PERF_FIGURES(X)
#undef X
	default:
		return m;
	}
}
/* clang-format on */

/* Unknown (NaN) where either is, and where the divisor is 0. */
static double per(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static void set_missing(double *value, double to)
{
	if (isnan(*value))
		*value = to;
}

static void add_sides(double *v)
{
	for (int c = 0; c < PERF_NR; c++)
		set_missing(&v[METRIC_PERF_BOTH(c)], v[METRIC_PERF(NIO_SIDE_SENDER, c)] +
							     v[METRIC_PERF(NIO_SIDE_RECEIVER, c)]);
	for (int c = 0; c < CPU_CLASS_NR; c++)
		v[METRIC_CLASS_BOTH(c)] =
			v[METRIC_CLASS(NIO_SIDE_SENDER, c)] + v[METRIC_CLASS(NIO_SIDE_RECEIVER, c)];
	v[METRIC_KERNEL_CYCLES] = v[METRIC_S_KERNEL_CYCLES] + v[METRIC_R_KERNEL_CYCLES];
}

/* Gbit/s times seconds are 10^9 bits. */
static double payload_of(const double *v)
{
	double replies = isnan(v[METRIC_REPLY_BYTES]) ? 0 : v[METRIC_REPLY_BYTES];

	if (!isnan(v[METRIC_RX_BYTES]))
		return v[METRIC_RX_BYTES] + replies;
	return v[METRIC_GBPS] * v[METRIC_DURATION] * 1e9 / 8;
}

static void derive_cost(double *v)
{
	double payload = v[METRIC_PAYLOAD], kib = payload / KIB;

	v[METRIC_CPU_S_NS_PER_KIB] = per(v[METRIC_CPU_SENDER] * 1e9, kib);
	v[METRIC_CPU_R_NS_PER_KIB] = per(v[METRIC_CPU_RECEIVER] * 1e9, kib);
	v[METRIC_CPU_NS_PER_KIB] = v[METRIC_CPU_S_NS_PER_KIB] + v[METRIC_CPU_R_NS_PER_KIB];
	/* Seconds a gigabyte are nanoseconds a byte. */
	set_missing(&v[METRIC_CPU_NS_PER_KIB], v[METRIC_CPU_PER_GB] * KIB);
}

static void derive_figures(double *v)
{
#define X(id, key, what, each, head, better, of, by, factor, shown, formula) \
	v[METRIC_##id] = (factor)*per(v[METRIC_##of], v[METRIC_##by]);
	PERF_FIGURES(X)
#undef X
}

void metric__derive(double value[METRIC_NR], unsigned int threads)
{
	add_sides(value);
	value[METRIC_PAYLOAD] = payload_of(value);
	value[METRIC_GBPS_PER_THREAD] = per(value[METRIC_GBPS], threads);
	value[METRIC_BYTES_PER_CYCLE] = per(value[METRIC_PAYLOAD], value[METRIC_CYCLES]);
	derive_cost(value);
	derive_figures(value);
	for (int s = 0; s < NIO_STAGE_NR; s++)
		value[METRIC_STAGE_CPB(s)] =
			per(value[METRIC_STAGE_BYTES(s)], value[METRIC_PAYLOAD]);
}
