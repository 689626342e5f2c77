/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of output written whole or not at all: everything goes into a temporary one beside
 * it, which takes its name at the end. A report of ours that is there already is replaced: one
 * whose every file its marker names (base/owned_dir.h). Anything else is refused and not touched.
 *
 * Killed at any moment, the old files or the new are there, whole; what a kill leaves beside them
 * (".netiotrace-report-NAME") the next report to the same place removes.
 */
#ifndef NETIOTRACE_REPORT_DIR_H
#define NETIOTRACE_REPORT_DIR_H

#include "base/owned_dir.h"

#define REPORT_DATA     "data" /* its sub-directory with what the pictures are made from */
#define REPORT_DIR_WHY  512
#define REPORT_DIR_KIND "report" /* in the marker */

struct report_dir {
	char *target;
	char *temporary; /* where to write; NULL: not open */
	struct owned_dir owned;
};

/* 0, or -errno with a sentence in why: cannot be written, or holds what is not ours. */
int report_dir__open(struct report_dir *d, const char *target, char why[REPORT_DIR_WHY]);

/* Must be called before a file of this name is written by others. 0 or -errno. */
int report_dir__claim(struct report_dir *d, const char *name);

/* Writes one file in the temporary directory. 0 or -errno. */
int report_dir__write(struct report_dir *d, const char *name, const char *text);

/* Gives it its name. 0 or -errno; the directory is then closed in any case. */
int report_dir__publish(struct report_dir *d);

/* Removes what was written; takes a zeroed or closed one. */
void report_dir__abort(struct report_dir *d);

#endif
