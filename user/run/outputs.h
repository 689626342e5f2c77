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

/*
 * The first two outputs that both ask for stdout, or for one file, in pair, and a name of that in
 * *name; false: no two do.
 */
bool outputs__collide(const char *const names[OUTPUT_NR], const char *pair[2], const char **name);

/*
 * An exit code; failures have been reported. names must outlive o. Call outputs__abort() in any
 * case: it removes what was opened and not written.
 */
int outputs__open(struct outputs *o, const char *const names[OUTPUT_NR], enum text_amount text);
int outputs__write(struct outputs *o, const struct result *r);
void outputs__abort(struct outputs *o);

#endif
