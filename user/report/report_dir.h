/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a report, kept in memory until all are there: being killed before leaves nothing.
 * They are written by report_place.c, in a process that may have other rights than this one.
 */
#ifndef NETIOTRACE_REPORT_DIR_H
#define NETIOTRACE_REPORT_DIR_H

#include <stddef.h>
#include <stdio.h>

#include "base/publisher.h"

#define REPORT_DATA "data" /* its sub-directory with what the pictures are made from */

struct report_dir {
	struct publisher *publisher;
	char *target;
	FILE *request; /* what report_place.c is asked to write; NULL: not open */
	char *text;    /* of the request */
	size_t len;
};

/* 0, or -errno with a sentence in why: cannot be written, or holds what is not ours. */
int report_dir__open(struct report_dir *d, struct publisher *publisher, const char *target,
		     char why[PUBLISHER_WHY]);

/* Adds a file, "NAME" or "data/NAME". 0 or -errno. */
int report_dir__add(struct report_dir *d, const char *name, const char *data, size_t len);
int report_dir__add_text(struct report_dir *d, const char *name, const char *text);

/* Writes all of them. 0 or -errno with a sentence in why; closed in any case. */
int report_dir__publish(struct report_dir *d, char why[PUBLISHER_WHY]);

/* Forgets them; takes a zeroed or closed one. */
void report_dir__abort(struct report_dir *d);

#endif
