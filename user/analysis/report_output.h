/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owns the directory of a report. analysis/ sends all files at once (base/publisher.h): a kill
 * before leaves nothing. They are written, whole or not at all, into a temporary directory beside
 * the target, which takes the target's name at the end. A report of ours that is there is replaced:
 * one whose every file its marker names (base/managed_dir.h). Anything else is refused and not
 * touched.
 *
 * Killed at any moment, the old files or the new are there, whole. A kill in the short time of
 * writing leaves ".netiotrace-report-NAME" beside them; the next report to the same place removes
 * it.
 */
#ifndef ANALYSIS_REPORT_OUTPUT_H
#define ANALYSIS_REPORT_OUTPUT_H

#include <stddef.h>

#include "base/publisher.h"

/*
 * The publisher_serve of a report: checks whether a report can be written, or writes it. ctx is the
 * output directory that the caller named; any target but it, or it followed by "-LETTERS", is
 * refused.
 */
int report_output__serve(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY]);

#endif
