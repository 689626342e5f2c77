/* SPDX-License-Identifier: GPL-2.0-only */
/* How a data set of others was read, in words: for the head of a report, and --explain. */
#ifndef NETIOTRACE_IMPORT_WORDS_H
#define NETIOTRACE_IMPORT_WORDS_H

#include <stdio.h>

#include "dataset.h"

/*
 * The i-th sentence for the head of a report: what the modes stand for, which units were assumed,
 * which columns were not read and why, then the notes. NULL: there are no more, or memory is
 * short. Caller frees.
 */
char *import_words__sentence(const struct dataset *d, size_t i);

/* The sentence on columns that were not read; NULL: all were. Caller frees. */
char *import_words__unread(const struct dataset *d);

/* Every column with its field, unit and values, or why it is not read; 80 columns wide. */
void import_words__table(const struct dataset *d, FILE *f);

#endif
