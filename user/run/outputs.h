/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the result of a run goes: the text to the terminal, each of OUTPUTS to the file that was
 * named for it. Files are opened before anything is measured, and are there whole or not at all.
 */
#ifndef RUN_OUTPUTS_H
#define RUN_OUTPUTS_H

#include <stdbool.h>

#include "write/output.h"

struct atomic_file;

enum text_amount {
	TEXT_SUMMARY, /* the end of a run: the answer first, on a screen */
	TEXT_DETAILS, /* and everything else behind it */
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
 * An exit code; what failed has been said. names must outlive o. outputs__abort() in any case:
 * it takes back what was opened and not written.
 */
int outputs__open(struct outputs *o, const char *const names[OUTPUT_NR], enum text_amount text);
int outputs__write(struct outputs *o, const struct result *r);
void outputs__abort(struct outputs *o);

#endif
