/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and formulas of the numbers of a run; see metric.h. Knows no files and no statistics. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "metric.h"

#define KIB 1024.0

struct metric_info {
	const char *path, *formula, *words, *unit;
	enum better better;
};

/* clang-format off */
static const struct metric_info infos[METRIC_NR] = {
#define X(id, path, words, unit, better) \
	[METRIC_##id] = {path, NULL, words, unit, BETTER_##better},
	METRICS_READ(X)
#undef X
#define X(id, formula, words, unit, better) \
	[METRIC_##id] = {NULL, formula, words, unit, BETTER_##better},
	METRICS_DERIVED(X)
#undef X
};

/* Columns of the published data sets people have of this experiment. */
static const struct {
	const char *name;
	enum metric metric;
	double scale;
} aliases[] = {
	{"throughput_gbps",  METRIC_GBPS, 1},
	{"throughput",       METRIC_GBPS, 1},
	{"latency_us",       METRIC_LATENCY, 1000},
	{"avg_latency_us",   METRIC_LATENCY, 1000},
	{"duration",         METRIC_DURATION, 1},
	{"duration_sec",     METRIC_DURATION, 1},
	{"bytes",            METRIC_RX_BYTES, 1},
	{"total_bytes",      METRIC_RX_BYTES, 1},
	{"cycles",           METRIC_CYCLES, 1},
	{"cpu_cycles",       METRIC_CYCLES, 1},
	{"instructions",     METRIC_INSTRUCTIONS, 1},
	{"l1_misses",        METRIC_L1D_MISSES, 1},
	{"l1d_misses",       METRIC_L1D_MISSES, 1},
	{"l1_dcache_load_misses", METRIC_L1D_MISSES, 1},
	{"llc_misses",       METRIC_LLC_MISSES, 1},
	{"llc_load_misses",  METRIC_LLC_MISSES, 1},
	{"cache_misses",     METRIC_LLC_MISSES, 1},
	{"branch_misses",    METRIC_BRANCH_MISSES, 1},
	{"context_switches", METRIC_SWITCHES, 1},
	{"ctx_switches",     METRIC_SWITCHES, 1},
};
/* clang-format on */

const char *metric__path(enum metric m)
{
	return infos[m].path;
}

const char *metric__formula(enum metric m)
{
	return infos[m].formula;
}

const char *metric__words(enum metric m)
{
	return infos[m].words;
}

const char *metric__unit(enum metric m)
{
	return infos[m].unit;
}

enum better metric__better(enum metric m)
{
	return infos[m].better;
}

static bool is_filler(char c)
{
	return c == '-' || c == '_' || c == ' ';
}

bool metric__same_name(const char *a, const char *b)
{
	for (;;) {
		while (is_filler(*a))
			a++;
		while (is_filler(*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static bool is_column_of(const char *name, const char *path)
{
	for (; *path; path++, name++)
		if (*name != (*path == '.' ? '_' : *path))
			return false;
	return !*name;
}

enum metric metric__of_column(const char *name, double *scale)
{
	size_t i;
	int m;

	*scale = 1;
	for (m = 0; m < METRIC_READ_NR; m++)
		if (is_column_of(name, infos[m].path))
			return (enum metric)m;
	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (metric__same_name(name, aliases[i].name)) {
			*scale = aliases[i].scale;
			return aliases[i].metric;
		}
	}
	return METRIC_NR;
}

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
	int i, n = METRIC_TASK_CLOCK - METRIC_CYCLES + 1;

	for (i = 0; i < n; i++)
		set_missing(&v[METRIC_CYCLES + i], v[METRIC_S_CYCLES + i] + v[METRIC_R_CYCLES + i]);
}

/* Gbit/s times seconds are 10^9 bits. */
static double payload_of(const double *v)
{
	if (!isnan(v[METRIC_RX_BYTES]))
		return v[METRIC_RX_BYTES];
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
	v[METRIC_CYCLES_PER_BYTE] = per(v[METRIC_CYCLES], payload);
	v[METRIC_IPC] = per(v[METRIC_INSTRUCTIONS], v[METRIC_CYCLES]);
	v[METRIC_L1D_PER_KIB] = per(v[METRIC_L1D_MISSES], kib);
	v[METRIC_LLC_PER_KIB] = per(v[METRIC_LLC_MISSES], kib);
	v[METRIC_SWITCHES_PER_GB] = per(v[METRIC_SWITCHES] * 1e9, payload);
}

void metric__derive(double value[METRIC_NR], unsigned int threads)
{
	int i;

	add_sides(value);
	value[METRIC_PAYLOAD] = payload_of(value);
	value[METRIC_GBPS_PER_THREAD] = per(value[METRIC_GBPS], threads);
	derive_cost(value);
	for (i = 0; i <= METRIC_CPB_OTHER - METRIC_CPB_GATHER; i++)
		value[METRIC_CPB_GATHER + i] =
			per(value[METRIC_BYTES_GATHER + i], value[METRIC_PAYLOAD]);
}
