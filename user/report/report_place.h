/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a report is written: whole or not at all. Everything goes into a temporary directory beside
 * the target, which takes its name at the end. A report of ours that is there already is replaced:
 * one whose every file its marker names (base/owned_dir.h). Anything else is refused and not
 * touched.
 *
 * Killed at any moment, the old files or the new are there, whole; what a kill in the short time of
 * writing leaves beside them (".netiotrace-report-NAME") the next report to the same place removes.
 *
 * All is done relative to one descriptor of the directory that the target is in.
 */
#ifndef NETIOTRACE_REPORT_PLACE_H
#define NETIOTRACE_REPORT_PLACE_H

#include "base/publisher.h"

/* Requests: a verb, the target, each ended by a NUL; to write, then NAME, LENGTH and the data. */
#define REPORT_PLACE_CHECK "check"
#define REPORT_PLACE_WRITE "write"

/*
 * The publisher_serve of a report. ctx is the output directory that the caller named; targets other
 * than it, or it with "-LETTERS" behind, are refused.
 */
int report_place__serve(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY]);

#endif
