/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of a report. Its files stay in memory until all are there: a kill before leaves
 * nothing. A process that may still be root then writes them (base/publisher.h), whole or not at
 * all: into a temporary directory beside the target, which takes the target's name at the end. A
 * report of ours that is there is replaced: one whose every file its marker names
 * (base/managed_dir.h). Anything else is refused and not touched.
 *
 * Killed at any moment, the old files or the new are there, whole. A kill in the short time of
 * writing leaves ".netiotrace-report-NAME" beside them; the next report to the same place removes
 * it.
 */
#ifndef REPORT_REPORT_DIR_H
#define REPORT_REPORT_DIR_H

#include <stddef.h>
#include <stdio.h>

#include "base/publisher.h"

#define REPORT_DATA "data" /* its sub-directory with the data of the pictures */

struct report_dir {
	struct publisher *publisher;
	char *target;
	FILE *request; /* to the writer; NULL: not open */
	char *text;    /* of the request */
	size_t len;
};

/* 0, or -errno with the reason in why: not writable, or contains foreign files. */
int report_dir__open(struct report_dir *d, struct publisher *publisher, const char *target,
		     char why[PUBLISHER_WHY]);

/* Adds a file, "NAME" or "data/NAME". */
void report_dir__add(struct report_dir *d, const char *name, const char *data, size_t len);

/* Writes all of them. 0 or -errno with a sentence in why; closed in any case. */
int report_dir__publish(struct report_dir *d, char why[PUBLISHER_WHY]);

/* Forgets them; takes a zeroed or closed one. */
void report_dir__abort(struct report_dir *d);

/*
 * The publisher_serve of a report. ctx is the output directory that the caller named; any target
 * but it, or it followed by "-LETTERS", is refused.
 */
int report_dir__serve(void *ctx, const char *data, size_t len, char why[PUBLISHER_WHY]);

#endif
