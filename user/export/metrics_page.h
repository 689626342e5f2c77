/* SPDX-License-Identifier: GPL-2.0-only */
/* Owns the text of the metrics page, as OpenMetrics 1.0 or as Prometheus text 0.0.4. Pure. */
#ifndef EXPORT_METRICS_PAGE_H
#define EXPORT_METRICS_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "aggregates.h"
#include "base/num.h"
#include "probes/plan.h"

enum page_format {
	PAGE_PROMETHEUS,
	PAGE_OPENMETRICS,
};

#define PAGE_TYPE_PROMETHEUS  "text/plain; version=0.0.4; charset=utf-8"
#define PAGE_TYPE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct metrics {
	const struct aggregates *groups;
	const char *kernel, *backend;
	const struct plan_row *plan;
	size_t plan_nr;
	struct num missed;             /* program runs that the kernel refused */
	uint64_t left_out;             /* sockets that no program could record */
	struct num run_ns[PROBE_NR];   /* how long the programs of each probe have run */
	const char *run_times_unknown; /* why none of them is known; or NULL */
	double started;                /* seconds since 1970: when the exporter began */
	double snapshot;               /* seconds since 1970: of the last refresh */
	double snapshot_s;             /* how long the refresh took */
	double interval_s;             /* from the begin of a refresh to the next (--interval) */
	bool no_histograms;
};

/* The format that an Accept header asks for. NULL: no header. */
enum page_format page_format__of_accept(const char *accept);

/* Writes the page. A metric that is not measured is absent. */
void metrics_page__write(FILE *f, enum page_format format, const struct metrics *m);

/* The exporter's own process, by the names of Prometheus clients; what cannot be read is absent:
 * process_cpu_seconds_total (getrusage), process_start_time_seconds (field 22 of
 * /proc/self/stat), process_resident_memory_bytes, process_virtual_memory_bytes (/proc/self/statm),
 * process_open_fds and process_max_fds. open: as OpenMetrics. */
void process_metrics__write(FILE *f, bool open);

/* The highest q of a name in a header's list (RFC 9110, 12.4.2, 12.5), 1 without q; 0: not named,
 * or NULL. */
double accept__weight(const char *header, const char *name);

#endif
