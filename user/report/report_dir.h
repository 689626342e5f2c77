/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of output written whole or not at all: everything goes into a temporary one beside
 * it, which takes its name at the end. A report that is there already is replaced; anything else is
 * not.
 */
#ifndef NETIOTRACE_REPORT_DIR_H
#define NETIOTRACE_REPORT_DIR_H

#define REPORT_DATA "data" /* its sub-directory with what the pictures are made from */

struct report_dir {
	char *target;
	char *temporary; /* where to write; NULL: not open */
};

/* 0, or -errno with a sentence in *why (static): cannot be written, or holds what is no report. */
int report_dir__open(struct report_dir *d, const char *target, const char **why);

/* Writes one file in the temporary directory. 0 or -errno. */
int report_dir__write(const struct report_dir *d, const char *name, const char *text);

/* Gives it its name. 0 or -errno; the directory is then closed in any case. */
int report_dir__publish(struct report_dir *d);

/* Removes what was written; takes a zeroed or closed one. */
void report_dir__abort(struct report_dir *d);

#endif
