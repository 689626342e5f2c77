/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the metrics of the exporter's own process, with the names that Prometheus clients use. A
 * metric that cannot be read is absent.
 */
#ifndef EXPORT_PROCESS_METRICS_H
#define EXPORT_PROCESS_METRICS_H

#include <stdbool.h>
#include <stdio.h>

/* Writes process_cpu_seconds_total (getrusage), process_start_time_seconds (field 22 of
 * /proc/self/stat), process_resident_memory_bytes, process_virtual_memory_bytes (/proc/self/statm),
 * process_open_fds and process_max_fds. open: as OpenMetrics. */
void process_metrics__write(FILE *f, bool open);

#endif
