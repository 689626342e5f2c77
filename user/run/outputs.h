/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outputs of a run: the text to the terminal, each of OUTPUTS to its file. Files are opened
 * before the measurement, and written whole or not at all.
 */
#ifndef RUN_OUTPUTS_H
#define RUN_OUTPUTS_H

#include <stdbool.h>

#include "write/output.h"

struct atomic_file;

enum text_amount {
	TEXT_SUMMARY, /* the end of a run: the answer first, on a screen */
	TEXT_DETAILS, /* followed by all details */
	TEXT_NONE,
};

struct outputs {
	const char *const *names; /* of the files, by enum output; "-": stdout; NULL: not wanted */
	enum text_amount text;
	struct atomic_file *file[OUTPUT_NR];
};

/* Do two outputs go to one file or both to stdout? *pair: their options; *name: the file. */
bool outputs__collide(const char *const names[OUTPUT_NR], const char *pair[2], const char **name);

/*
 * Return exit codes; report failures. names must outlive o. Call outputs__abort() in any case: it
 * removes files that were opened and not written.
 */
int outputs__open(struct outputs *o, const char *const names[OUTPUT_NR], enum text_amount text);
int outputs__write(struct outputs *o, const struct result *r);
void outputs__abort(struct outputs *o);

#endif
